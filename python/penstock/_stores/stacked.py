"""Stores that stand on others: `Overlay`, `Cached`, `Mapped`, `Logged`.

That a store may be made of stores is from "Storage Combinators" by Marcel Weiher and Robert
Hirschfeld (Onward! 2019).
"""

from __future__ import annotations

import errno
from collections import OrderedDict
from threading import Lock
from typing import Any, NamedTuple

import penstock.json as json
from penstock._base.types import PLAIN
from penstock._stores.base import Store

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Overlay(Store):
    """Two stores as one: what the upper one does not have is that of the lower one.

    Only the upper store is ever changed. So a value of the lower one can be replaced, and not
    deleted.

    Example:
        >>> from penstock.stores import Memory, Overlay
        >>> defaults, mine = Memory(), Memory()
        >>> defaults.put("colour", "red"), defaults.put("size", 3)
        (None, None)
        >>> store = Overlay(mine, defaults)
        >>> store.put("colour", "blue")
        >>> store.get("colour"), store.get("size"), defaults.get("colour")
        ('blue', 3, 'red')
        >>> store.delete("colour")
        Traceback (most recent call last):
        PermissionError: [Errno 1] the lower store has it, which stays as it is: 'colour'
    """

    __module__ = "penstock.stores"
    __slots__ = ("_lower", "_upper")

    def __init__(self, upper: Store, lower: Store, /) -> None:
        """Put one store above the other."""
        super().__init__()
        self._upper, self._lower = upper, lower

    def _get(self, ref: str, into: Any) -> Any:
        try:
            return self._upper.get(ref, into)
        except KeyError:
            return self._lower.get(ref, into)

    def _put(self, ref: str, value: object) -> None:
        self._upper.put(ref, value)

    def _delete(self, ref: str) -> None:
        try:
            self._lower.version(ref)
        except KeyError:
            self._upper.delete(ref)
            return
        message = "the lower store has it, which stays as it is"
        raise PermissionError(errno.EPERM, message, ref)

    def _list(self, prefix: str) -> Sequence[str]:
        return sorted({*self._upper.list(prefix), *self._lower.list(prefix)})

    def _version(self, ref: str) -> str:
        try:
            return f"upper {self._upper.version(ref)}"
        except KeyError:
            return f"lower {self._lower.version(ref)}"

    def __repr__(self) -> str:
        """Return both stores."""
        return f"<Overlay of {self._upper!r} on {self._lower!r}>"


class Cached(Store):
    """A fast store in front of a slow one, of which it has what was asked for.

    A value is written to both, the slow one first. What others change in the slow store is not
    seen: a cache is for what changes by it, or never.

    Args:
        fast: The store that keeps values, mostly a `Memory`. It must be empty.
        slow: The store that has all of them.
        bytes: How many bytes the values in `fast` have at most, as JSON. What nobody has asked for
            the longest goes first. By default there is no limit.

    Raises:
        ValueError: `bytes` is negative, or `fast` is not empty.

    Example:
        >>> from penstock.stores import Cached, Folder, Memory
        >>> fast, slow = Memory(), Folder("slow")
        >>> store = Cached(fast, slow, bytes=20)
        >>> store.put("a", "a" * 10), store.put("b", "b" * 10)
        (None, None)
        >>> fast.list(), slow.list(), store.get("a")
        (['b'], ['a', 'b'], 'aaaaaaaaaa')
        >>> fast.list()
        ['a']
    """

    __module__ = "penstock.stores"
    __slots__ = ("_bytes", "_fast", "_lock", "_sizes", "_slow", "_total", "_writes")

    def __init__(self, fast: Store, slow: Store, /, *, bytes: int | None = None) -> None:
        """Put one store in front of the other."""
        super().__init__()
        if bytes is not None and bytes < 0:
            raise ValueError(f"bytes must not be negative: {bytes}")
        if fast.list():
            raise ValueError("the fast store must be empty: nobody knows how old its values are")
        self._fast, self._slow, self._bytes = fast, slow, bytes
        # The references in the fast store, from the one that was asked for first.
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._total = 0
        self._lock = Lock()
        # How often something was written. A value that was read before is not kept.
        self._writes = 0

    def _get(self, ref: str, into: Any) -> Any:
        with self._lock:
            if ref in self._sizes:
                self._sizes.move_to_end(ref)
                return self._fast.get(ref, into)
            writes = self._writes
        value = self._slow.get(ref, into)
        # What is read into another type is not what the slow store has.
        if into is PLAIN:
            size = self._size(value)
            with self._lock:
                if writes == self._writes:
                    self._keep(ref, value, size)
        return value

    def _put(self, ref: str, value: object) -> None:
        size = self._size(value)
        with self._lock:
            self._writes += 1
            # If it is not written, the fast store has not got it either.
            self._drop(ref)
            self._slow.put(ref, value)
            self._keep(ref, value, size)

    def _delete(self, ref: str) -> None:
        with self._lock:
            self._writes += 1
            self._drop(ref)
            self._slow.delete(ref)

    def _list(self, prefix: str) -> Sequence[str]:
        return self._slow.list(prefix)

    def _version(self, ref: str) -> str:
        return self._slow.version(ref)

    def _size(self, value: object) -> int:
        return 0 if self._bytes is None else len(json.encode(value))

    def _keep(self, ref: str, value: object, size: int) -> None:
        if self._bytes is not None and size > self._bytes:
            return
        self._drop(ref)
        while self._bytes is not None and self._total + size > self._bytes:
            self._drop(next(iter(self._sizes)))
        self._fast.put(ref, value)
        self._sizes[ref] = size
        self._total += size

    def _drop(self, ref: str) -> None:
        size = self._sizes.pop(ref, None)
        if size is not None:
            self._total -= size
            self._fast.delete(ref)

    def __repr__(self) -> str:
        """Return both stores."""
        return f"<Cached {self._slow!r} in {self._fast!r}>"


class Mapped(Store):
    """A store whose values are made of those of another one.

    Args:
        store: The other store.
        read: It takes a value of that store and returns one of this.
        write: It takes a value of this store and returns one of that.

    Example:
        >>> from decimal import Decimal
        >>> from penstock.stores import Mapped, Memory
        >>> texts = Memory()
        >>> prices = Mapped(texts, Decimal, str)
        >>> prices.put("pen", Decimal("1.50"))
        >>> texts.get("pen"), prices.get("pen")
        ('1.50', Decimal('1.50'))
    """

    __module__ = "penstock.stores"
    __slots__ = ("_read", "_store", "_write")

    def __init__(
        self, store: Store, read: Callable[[Any], Any], write: Callable[[Any], Any], /
    ) -> None:
        """Stand on a store."""
        super().__init__()
        self._store, self._read, self._write = store, read, write

    def _get(self, ref: str, into: Any) -> Any:
        return self._read(self._store.get(ref, into))

    def _put(self, ref: str, value: object) -> None:
        self._store.put(ref, self._write(value))

    def _delete(self, ref: str) -> None:
        self._store.delete(ref)

    def _list(self, prefix: str) -> Sequence[str]:
        return self._store.list(prefix)

    def _version(self, ref: str) -> str:
        return self._store.version(ref)

    def __repr__(self) -> str:
        """Return the store."""
        return f"<Mapped {self._store!r}>"


class Operation(NamedTuple):
    """What was done with a store.

    Attributes:
        verb: What was called: `"get"`, `"put"`, `"delete"`, `"list"` or `"version"`.
        ref: The reference, or the prefix.
    """

    verb: str
    ref: str


Operation.__module__ = "penstock.stores"


class Logged(Store):
    """A store that tells what is done with it, once it is done.

    An operation has the reference, and not the value: who copies the values of all references that
    were put or deleted has what the store has.

    Args:
        store: The store with which it is done.
        sink: It gets each `Operation`: a function, or an object with `write` or `append`, such as a
            writer, a pipeline, a list or a `penstock.Log`.

    Raises:
        TypeError: `sink` is none of these.

    Example:
        >>> from penstock.stores import Logged, Memory
        >>> done = []
        >>> store = Logged(Memory(), done)
        >>> store.put("task/7", "milk")
        >>> store.get("task/7")
        'milk'
        >>> done
        [Operation(verb='put', ref='task/7'), Operation(verb='get', ref='task/7')]
    """

    __module__ = "penstock.stores"
    __slots__ = ("_store", "_tell")

    def __init__(self, store: Store, sink: Any, /) -> None:
        """Stand on a store."""
        super().__init__()
        self._store = store
        tell = getattr(sink, "write", None) or getattr(sink, "append", None) or sink
        if not callable(tell):
            raise TypeError(
                "Logged() takes a function, or an object with write or append, not "
                f"{type(sink).__name__}"
            )
        self._tell: Callable[[Operation], object] = tell

    def _get(self, ref: str, into: Any) -> Any:
        value = self._store.get(ref, into)
        self._tell(Operation("get", ref))
        return value

    def _put(self, ref: str, value: object) -> None:
        self._store.put(ref, value)
        self._tell(Operation("put", ref))

    def _delete(self, ref: str) -> None:
        self._store.delete(ref)
        self._tell(Operation("delete", ref))

    def _list(self, prefix: str) -> Sequence[str]:
        found = self._store.list(prefix)
        self._tell(Operation("list", prefix))
        return found

    def _version(self, ref: str) -> str:
        found = self._store.version(ref)
        self._tell(Operation("version", ref))
        return found

    def __repr__(self) -> str:
        """Return the store."""
        return f"<Logged {self._store!r}>"
