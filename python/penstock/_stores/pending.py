"""The references of which the work is not done yet, each of them once.

The rule is that of the work queues of Kubernetes' client-go: a reference that is marked while its
work waits is there already, and one that is marked while it is worked on is put into the queue
again, once that is done. So the last change is never lost, and nobody works on a reference twice at
once.
"""

from __future__ import annotations


class Pending:
    """A queue of references. The caller looks after threads."""

    __slots__ = ("_again", "_queue", "_working")

    def __init__(self) -> None:
        """Begin with nothing."""
        # A dict keeps the order.
        self._queue: dict[str, None] = {}
        self._working: dict[str, None] = {}
        self._again: dict[str, None] = {}

    def __len__(self) -> int:
        """Return of how many references the work is not done."""
        return len(self._queue) + len(self._working)

    def __contains__(self, ref: str) -> bool:
        """Return whether the work of a reference is not done."""
        return ref in self._queue or ref in self._working

    def refs(self) -> list[str]:
        """Return them: those that are worked on, and those that wait, in order."""
        return [*self._working, *self._queue]

    @property
    def is_waiting(self) -> bool:
        """Whether there is one to take."""
        return bool(self._queue)

    def mark(self, ref: str) -> None:
        """Say that there is work for a reference."""
        if ref in self._working:
            self._again[ref] = None
        else:
            self._queue[ref] = None

    def take(self) -> str:
        """Take the one that has waited for the longest. Look at its value only now."""
        ref = next(iter(self._queue))
        del self._queue[ref]
        self._working[ref] = None
        return ref

    def done(self, ref: str) -> None:
        """Say that its work is done."""
        del self._working[ref]
        if ref in self._again:
            del self._again[ref]
            self._queue[ref] = None
