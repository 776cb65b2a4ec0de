"""Ranges of one file, scanned side by side: by threads, or by the tasks of an engine.

A range begins with a guess: its first record is the first place that looks like one, with the same
things open as at a record that is known. Whoever has come to the end of the range before it knows
whether that is so. If it is not, he reads on until he meets the range further on, or passes it. So
the points are those of one pass over the file, and a wrong guess costs time.
"""

from __future__ import annotations

from collections import deque

import penstock._rust as _rust
from penstock._base.processors import not_begun

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import At

SIZE = 16 << 20
"""How many bytes a thread scans at once. A smaller file is passed over by one thread."""

AHEAD = 2
"""How many ranges are scanned or wait to be taken, for each thread."""

MISSES = 4
"""After so many wrong guesses, for each range that is scanned ahead, one thread does the rest."""


class Points:
    """The points of a file that are wanted at some offsets, as far as its ranges have told them."""

    def __init__(self, ranges: _rust.Ranges, text: int, offsets: Sequence[int], name: str) -> None:
        self.ranges, self.text, self.name = ranges, text, name
        self.chain = ranges.chain(offsets)
        # The second record shows how others begin.
        self._go_on(self.chain.at[0] + 1)

    @property
    def is_done(self) -> bool:
        """Whether all points are known."""
        return self.chain.is_over or self.chain.at[0] >= self.text

    def asked(self, begin: int, end: int) -> tuple[Any, ...]:
        """Return what `_rust.Ranges.scan` takes for a range. The last one has no end."""
        until = end if end < self.text else None
        return self.chain.at, begin, self.chain.wanted(begin, until), until

    def known(self, end: int) -> tuple[Any, ...]:
        """Return what `_rust.Ranges.scan` takes for a range that begins at the last known point."""
        until = end if end < self.text else None
        return self.chain.at, None, self.chain.wanted(self.chain.at[0], until), until

    def expects(self, asked: tuple[Any, ...]) -> bool:
        """Return whether as much is open at the last known point as a range has guessed."""
        return _open(asked[0]) == _open(self.chain.at)

    def is_behind(self, asked: tuple[Any, ...]) -> bool:
        """Return whether all points of a range are known."""
        until = self.text if asked[3] is None else asked[3]
        return self.chain.is_over or self.chain.at[0] >= until

    def take(self, asked: tuple[Any, ...], answer: Any, most: int | None = None) -> bool:
        """Take what a range tells, and go on to its end. Return whether it was of any use.

        With `most`, it stops before the end rather than scan more bytes than these alone.
        """
        until = self.text if asked[3] is None else asked[3]
        begin, met = self.chain.at[0], False
        while not self.is_behind(asked):
            if self.chain.take(answer):
                begin, met = self.chain.at[0], True
            meeting = self.chain.meeting(answer, until)
            goal = until if meeting is None else meeting
            if most is not None and goal - begin > most:
                break
            self._go_on(goal)
        return met

    def finish(self) -> None:
        """Go on to the end of the file, without any guess."""
        while not self.is_done:
            self._go_on(self.chain.at[0] + SIZE)

    def _go_on(self, until: int) -> None:
        """Go on from the last known point to the first record that begins at an offset.

        Raises:
            ValueError: The point is not there any more.
        """
        here = self.chain.at
        end = until if until < self.text else None
        while not self.chain.is_over and here[0] < until:
            wanted = self.chain.wanted(here[0], end)
            if not self.chain.take(self.ranges.scan(here, None, wanted, end)):
                raise ValueError(f"{self.name} has changed while it was split")
            if self.chain.at != here or end is None:
                break
            # Nobody can begin at the record there. One pass knows what becomes of those behind it.
            end = None


def of(
    dialect: _rust.Dialect,
    source: _rust.Source,
    at: At[Any] | None,
    limits: Limits | None,
    text: int,
    wanted: Callable[[int], Sequence[int]],
    least: int | None = None,
    pieces: _rust.Pieces | None = None,
    name: str = "the file",
) -> Points | None:
    """Return the points of a text of so many bytes, of which none is known yet.

    An error calls the file by its name.

    None if it has not at least so many bytes, or if only one pass finds its points.
    """
    if text < (2 * SIZE if least is None else least):
        return None
    ranges = _rust.Ranges.of(dialect, source, object, at, limits, text, pieces)
    return None if ranges is None else Points(ranges, text, wanted(text), name)


def _open(point: Any) -> Any:
    """Return what is open at a point, wherever in the innermost list that is."""
    *outer, (state, begun, name) = point[5] or [(None, None, None)]
    return point[4], outer, state, begun is None, name


def by_threads(points: Points, threads: int) -> None:
    """Find points with so many threads."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - it is slow to import

    most = AHEAD * threads
    waiting: deque[tuple[tuple[Any, ...], Future[Any]]] = deque()
    misses = 0
    begin = points.chain.at[0]
    with ThreadPoolExecutor(threads, "penstock") as pool:
        try:
            while not points.is_done and misses < MISSES * most:
                while len(waiting) < most and begin < points.text:
                    end = begin + SIZE
                    asked = points.asked(begin, end)
                    try:
                        task = pool.submit(points.ranges.scan, *asked)
                    except RuntimeError as error:
                        raise not_begun(error) from None
                    waiting.append((asked, task))
                    begin = end
                asked, answer = waiting.popleft()
                if points.expects(asked):
                    misses = 0 if points.take(asked, answer.result()) else misses + 1
                else:
                    # Other things are open from here on.
                    misses += 1
                    for _, other in waiting:
                        other.cancel()
                    waiting.clear()
                    begin = points.chain.at[0]
        finally:
            pool.shutdown(cancel_futures=True)
    points.finish()
