"""What all stores are, and the store in memory."""

from __future__ import annotations

from threading import Lock

from penstock._base.types import PLAIN
from penstock._stores.changes import Changes
from penstock._stores.refs import checked, checked_prefix, within

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import TypeForm

    from penstock._base.types import T


class Store:
    """Values by references. All stores have these five methods, so they stand in for each other.

    A reference is a path of text, such as `task/7/notes`. Its steps are not empty, and not `.` or
    `..`. None is a value as any other.

    To write a store, derive from this class and define the same five with an underscore before
    their names, such as `_get(self, ref, into)`. They get references that are checked.
    """

    __module__ = "penstock.stores"
    __slots__ = ("__weakref__", "_changes")

    def __init__(self) -> None:
        """Begin without anybody who wants to know of changes."""
        self._changes = Changes()

    @property
    def changes(self) -> Changes:
        """Who wants to know what changes by `put` and `delete` of this store."""
        return self._changes

    def get(self, ref: str, into: TypeForm[T] = PLAIN, /) -> T:
        """Return the value of a reference.

        Args:
            ref: The reference.
            into: The type to read the value into; by default that of the store. A store that keeps
                objects returns them as they are.

        Raises:
            KeyError: There is none.
            ValueError: It is no reference.
            DecodeError: The value cannot be read.
            OSError: The store cannot be read.
        """
        made: T = self._get(checked(ref), into)
        return made

    def put(self, ref: str, value: object, /) -> None:
        """Store a value, all of it or nothing.

        Raises:
            ValueError: It is no reference.
            EncodeError: The value cannot be written.
            OSError: The store cannot be written to, or only be read.
        """
        self._put(checked(ref), value)
        self._changes._tell(ref)  # noqa: SLF001 - of the same package

    def delete(self, ref: str, /) -> None:
        """Delete the value of a reference. If there is none, this does nothing.

        Raises:
            ValueError: It is no reference.
            OSError: The store cannot be written to, or only be read.
        """
        self._delete(checked(ref))
        self._changes._tell(ref)  # noqa: SLF001 - of the same package

    def list(self, prefix: str = "", /) -> Sequence[str]:
        """Return the references that are `prefix` or behind it, sorted.

        Raises:
            ValueError: It is no reference.
            OSError: The store cannot be read.
        """
        return self._list(checked_prefix(prefix))

    def version(self, ref: str, /) -> str:
        """Return a text that is another one once the value is.

        Raises:
            KeyError: There is no value.
            ValueError: It is no reference.
            OSError: The store cannot be read.
        """
        return self._version(checked(ref))

    def _get(self, ref: str, into: Any) -> Any:
        raise NotImplementedError

    def _put(self, ref: str, value: object) -> None:
        raise NotImplementedError

    def _delete(self, ref: str) -> None:
        raise NotImplementedError

    def _list(self, prefix: str) -> Sequence[str]:
        raise NotImplementedError

    def _version(self, ref: str) -> str:
        raise NotImplementedError


class Memory(Store):
    """Keeps objects, as they are.

    Who changes an object that was put changes the value, and nobody is told. So put another one.

    Example:
        >>> from penstock.stores import Memory
        >>> store = Memory()
        >>> store.put("task/7/notes", "milk")
        >>> store.put("task/70", None)
        >>> store.get("task/7/notes"), store.list("task/7"), store.list()
        ('milk', ['task/7/notes'], ['task/7/notes', 'task/70'])
    """

    __module__ = "penstock.stores"
    __slots__ = ("_count", "_lock", "_values")

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self._values: dict[str, tuple[object, int]] = {}
        self._count = 0
        self._lock = Lock()

    def _get(self, ref: str, into: Any) -> Any:  # noqa: ARG002 - it is an object already
        return self._values[ref][0]

    def _put(self, ref: str, value: object) -> None:
        with self._lock:
            self._count += 1
            self._values[ref] = value, self._count

    def _delete(self, ref: str) -> None:
        self._values.pop(ref, None)

    def _list(self, prefix: str) -> Sequence[str]:
        return within(tuple(self._values), prefix)

    def _version(self, ref: str) -> str:
        return str(self._values[ref][1])

    def __repr__(self) -> str:
        """Return how many values there are."""
        return f"<Memory: {len(self._values):,} values>"
