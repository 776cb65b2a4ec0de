"""Changes of a store, for those who want to know of them: fewer and coarser when they are slow.

The queue between a store and a subscriber has references only, each of them once. If it grows, a
reference is shortened before it is put there: to the list that the element is in, and then to
everything. So the queue is bounded, and nothing that has changed is ever left out. The idea,
automatic coalescing, is from Marcel Weiher's "iOS and macOS Performance Tuning" (2017).
"""

from __future__ import annotations

import time
from _weakref import ref as weak_reference
from threading import Condition

from penstock._stores.refs import above, checked_prefix, is_within

TYPE_CHECKING = False

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Subscription:
    """References that have changed. `store.changes.subscribe` makes it.

    It is an iterator over references, which waits for the next one, and ends when it is closed. A
    reference stands for itself and all that is behind it: `task/7` for `task/7/notes`, and the
    prefix of the subscription for everything. Who gets one looks at the store for what is there.
    """

    __module__ = "penstock.stores"
    __slots__ = (
        "__weakref__",
        "_condition",
        "_is_closed",
        "_next",
        "_pause",
        "_prefix",
        "_queue",
        "_size",
    )

    def __init__(self, prefix: str, size: int, per_second: float | None) -> None:
        """Begin with nothing."""
        self._prefix = prefix
        self._size = size
        self._pause = 0.0 if per_second is None else 1 / per_second
        self._queue: dict[str, None] = {}
        self._condition = Condition()
        self._is_closed = False
        self._next = 0.0

    @property
    def prefix(self) -> str:
        """What it is about; the empty text for everything."""
        return self._prefix

    def __len__(self) -> int:
        """Return how many references wait. There are never more than twice `size`."""
        return len(self._queue)

    def wait(self, timeout: float | None = None) -> str | None:
        """Return the next reference; None after `timeout` seconds, or if it is closed."""
        until = None if timeout is None else time.monotonic() + timeout
        with self._condition:
            while not self._is_closed:
                now = time.monotonic()
                rest = None if until is None else until - now
                if self._queue:
                    if now >= self._next:
                        self._next = now + self._pause
                        first = next(iter(self._queue))
                        del self._queue[first]
                        return first
                    pause = self._next - now
                    rest = pause if rest is None else min(pause, rest)
                if until is not None and now >= until:
                    return None
                self._condition.wait(rest)
            return None

    def close(self) -> None:
        """End it: the iteration ends, and nothing more is put into the queue."""
        with self._condition:
            self._is_closed = True
            self._queue.clear()
            self._condition.notify_all()

    def __iter__(self) -> Self:
        """Return itself."""
        return self

    def __next__(self) -> str:
        """Return the next reference, and wait for it."""
        found = self.wait()
        if found is None:
            raise StopIteration
        return found

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """End it."""
        self.close()

    def _put(self, ref: str) -> None:
        """Put a reference into the queue, or what it is behind."""
        if not is_within(ref, self._prefix):
            return
        with self._condition:
            if self._is_closed:
                return
            queue, depth = self._queue, len(self._queue)
            level = 0 if depth < self._size else 1 if depth < 2 * self._size else 2
            if level == 1:
                ref = ref.rpartition("/")[0]
            if level == 2 or not is_within(ref, self._prefix):
                ref = self._prefix
            if ref in queue or any(each in queue for each in above(ref)):
                return
            if level:
                for each in [each for each in queue if is_within(each, ref)]:
                    del queue[each]
            queue[ref] = None
            self._condition.notify()


class Changes:
    """Who wants to know of the changes of a store."""

    __module__ = "penstock.stores"
    __slots__ = ("_subscriptions",)

    def __init__(self) -> None:
        """Begin with nobody."""
        self._subscriptions: tuple[weak_reference[Subscription], ...] = ()

    def subscribe(
        self, prefix: str = "", /, *, size: int = 64, per_second: float | None = None
    ) -> Subscription:
        """Return a queue of the references that change from now on.

        Args:
            prefix: Only references that are this one, or behind it; by default all.
            size: From how many waiting references on it gets the list in place of the element, and
                from twice as many on only the prefix, for everything.
            per_second: How many references it gives in a second at most.

        Raises:
            TypeError: `prefix` is no text.
            ValueError: `prefix` is no reference, or a number is not positive.

        Example:
            >>> from penstock.stores import Memory
            >>> store = Memory()
            >>> changes = store.changes.subscribe("task", size=2)
            >>> store.put("task/7/notes", "milk"), store.put("list/1", "groceries")
            (None, None)
            >>> changes.wait(0), changes.wait(0)
            ('task/7/notes', None)
            >>> for number in range(4):
            ...     store.put(f"task/7/{number}", "many")
            >>> changes.wait(0), changes.wait(0)
            ('task/7', None)
        """
        checked_prefix(prefix)
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        if per_second is not None and not per_second > 0:
            raise ValueError(f"per_second must be positive, not {per_second}")
        made = Subscription(prefix, size, per_second)
        living = [each for each in self._subscriptions if each() is not None]
        self._subscriptions = (*living, weak_reference(made))
        return made

    def _tell(self, ref: str) -> None:
        for each in self._subscriptions:
            subscription = each()
            if subscription is not None:
                subscription._put(ref)  # noqa: SLF001 - of the same module
