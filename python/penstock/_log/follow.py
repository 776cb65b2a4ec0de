"""`Follower`: the events of a log, as they come."""

from __future__ import annotations

import time

from penstock._log.cursor import Cursor, LogPlace, Of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Self

    from penstock._log.cursor import E
    from penstock._log.files import Files


class Follower(Of["E"]):
    """The events of a log behind a place, as they come. `Log.follow` makes it.

    It is an iterator, which waits for the next event, and a context manager. It goes on where the
    writer seals the file. If the log is compacted, it raises `ValueError`, because the events that
    it has given are those of another log. It takes no lock, and any number of processes may follow.

    `penstock.aio.follow` waits without a thread.
    """

    __module__ = "penstock"
    __slots__ = ("_cursor", "_events", "_wait")

    def __init__(self, files: Files, event: Any, place: LogPlace, wait: float | None) -> None:
        """Stand at a place."""
        if wait is not None and not wait >= 0:
            raise ValueError(f"wait must not be negative: {wait!r}")
        self._cursor: Cursor[E] = Cursor(files, event, place)
        self._events: Iterator[E] = iter(())
        self._wait = wait

    @property
    def wait(self) -> float | None:
        """How many seconds it sleeps if there is nothing new; None if it ends there."""
        return self._wait

    @property
    def place(self) -> LogPlace:
        """The place behind the last event that it gave, where another one may begin."""
        return self._cursor.place

    def ready(self) -> Iterator[E]:
        """Yield the events that are there now, and wait for none.

        Raises:
            DecodeError: A line is damaged, or no event.
            OSError: The file cannot be read.
            ValueError: The log was compacted, or it is not that of the place.
        """
        return self._cursor.ready()

    def close(self) -> None:
        """Close the file that is read. Closing it again does nothing."""
        self._cursor.close()

    def __iter__(self) -> Self:
        """Return itself."""
        return self

    def __next__(self) -> E:
        """Return the next event; raises as `ready` does."""
        while True:
            for event in self._events:
                return event
            self._events = self.ready()
            for event in self._events:
                return event
            if self._wait is None:
                raise StopIteration
            time.sleep(self._wait)

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
        """Close the file that is read."""
        self.close()

    def __repr__(self) -> str:
        """Return the log and the place."""
        return f"<Follower of {self._cursor.name!r}: {self.place}>"
