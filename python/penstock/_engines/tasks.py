"""Finds the parts of files in tasks of an engine: one for each file, many for a large one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import penstock
import penstock._rust as _rust
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._parts import ranges as _ranges
from penstock._parts import split as _split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock import Split
    from penstock._base.types import At, Format, Found

LARGE = 1 << 30
"""A file of more bytes has a task for each of so many bytes of its text."""

LEAST = 8
"""A round in which the guesses of fewer ranges were right is a poor one."""

POOR = 3
"""After so many poor rounds in a row, one task passes over the rest of a file."""

HERE = 4 << 20
"""To meet a range that has begun with a wrong guess, the driver scans no more bytes than these."""

NEAR = 1024
"""A task looks at so many bytes before the place where it begins, or fewer."""

TABLE = 16 << 10
"""A table of pieces that is longer is not sent to a task."""


class _Large:
    """A file whose points tasks find."""

    def __init__(self, path: Found, kind: Format, at: At[Any] | None, about: Any) -> None:
        self.path, self.kind, self.at = path, kind, at
        self.name = path if isinstance(path, str) else path.name
        self.about = about.st_size, about.st_mtime_ns
        self.points: _ranges.Points
        self.are_sent = False
        self.pieces: _rust.Pieces | None = None
        self.left: list[tuple[Any, ...]] = []
        self.poor = 0

    @classmethod
    def of(
        cls,
        path: Found,
        format: Format | None,
        at: At[Any] | None,
        wanted: Callable[[int], Sequence[int]],
    ) -> _Large | None:
        """Return a file that is large, if its ranges can be scanned."""
        about = _sources.stat(path)
        # The task for a file whose server gives no ranges says so.
        if about.st_size is None or about.st_size <= LARGE:
            return None
        given, name = _sources.locate("split", path, "infer", None, None)
        # An archive has one task, and so has a file that a task fetches to keep it.
        if given != path:
            return None
        file = cls(path, format or _formats.of_source(given, name), at, about)
        # A file of bzip2, all of which must be decompressed, has one task.
        text, why, file.pieces = _rust.split_size(_source(path), None, None)
        if why is not None:
            return None
        dialect = _split.dialect_of(file.kind, file.name, None)
        points = _ranges.of(
            dialect, _source(path), at, None, text, wanted, LARGE, file.pieces, file.name
        )
        if points is None:
            return None
        file.points = points
        file.are_sent = file.pieces is not None and len(file.pieces.kept([])) <= TABLE
        file.begin()
        return file

    def begin(self, most: int | None = None) -> None:
        """Have ranges scanned behind the last known point: all, or so many."""
        points, begin = self.points, self.points.chain.at[0]
        self.left = []
        while not points.is_done and begin < points.text and len(self.left) != most:
            end = begin + LARGE
            # The first one needs no guess.
            self.left.append(points.asked(begin, end) if self.left else points.known(end))
            begin = end

    def work(self) -> list[dict[str, Any]]:
        """Return what is to be done, with a task for each."""
        same: dict[str, Any] = {"path": told(self.path), "format": self.kind, "at": self.at}
        same |= {"about": self.about, "text": self.points.text}
        return [{**same, "asked": asked, "pieces": self._pieces(asked)} for asked in self.left]

    def _pieces(self, asked: tuple[Any, ...]) -> str | None:
        """Return where the pieces of a compressed file are that a task needs.

        Without them, each task would read the headers of all pieces. For a file of xz, a task needs
        the whole table. A long one is not sent, because the task can read it from the file.
        """
        if self.pieces is None or not self.are_sent:
            return None
        begins = asked[0][0], asked[0][0] if asked[1] is None else asked[1]
        return self.pieces.kept([max(0, begin - NEAR) for begin in begins])

    def take(self, answers: Sequence[Any]) -> None:
        """Take what the tasks have found, and say what is to be done then.

        Behind a wrong guess, the others are of no use. The next round has twice as many ranges as
        guessed right: if a list is as long as the one before it, little is scanned in vain, and if
        it is longer, a few rounds are enough.
        """
        points, last = self.points, self.left[-1]
        begin, proved = points.chain.at[0], 0
        for asked, (found, is_over) in zip(self.left, answers, strict=True):
            if not points.is_behind(asked) and points.expects(asked):
                points.take(asked, ([_split.as_start(each) for each in found], is_over), HERE)
            if not points.is_behind(asked):
                break
            proved += 1
        if points.is_behind(last) or proved >= LEAST:
            self.poor = 0
        else:
            self.poor += 1
        if last[1] is last[3] is None:
            # One task has passed over the rest.
            self.left = []
        elif self.poor == POOR or points.chain.at[0] == begin:
            self.left = [] if points.is_done else [points.known(points.text)]
        else:
            self.begin(max(2 * proved, LEAST))

    def parts(self) -> list[Split]:
        """Return the parts."""
        self.points.finish()
        version = self.points.text, *self.about
        points = self.points.chain.points
        parts = _split.parts_at(self.name, self.kind, self.at, points, version, None, self.pieces)
        remote: Any = self.path
        return parts if isinstance(remote, str) else [replace(it, remote=remote) for it in parts]


def plan(
    files: list[Found],
    run: Callable[[list[dict[str, Any]]], Sequence[Any]],
    parts: int | None,
    size: int | None,
    format: Format | None,
    at: At[Any] | None,
) -> list[Split]:
    """Return the parts of files.

    `run` calls `work` with each of some values, in a task each, and returns the results, which may
    have become what JSON makes of them.

    Raises:
        TypeError: Both `parts` and `size` are given.
        ValueError: One of them is less than 1.
    """
    _split.check(parts, size)

    def wanted(text: int) -> Sequence[int]:
        return _split.offsets(len(files), parts, size, text)

    large = [_Large.of(path, format, at, wanted) for path in files]
    mine = None if parts is None else -(-parts // len(files))
    same = {"parts": mine, "bytes": size, "format": format, "at": at}
    ranged = [file for file in large if file is not None]
    first: list[dict[str, Any]] = [
        {"path": told(path), "split": same}
        for path, file in zip(files, large, strict=True)
        if file is None
    ]
    found: dict[str, list[Split]] = {}
    while True:
        works = [file.work() for file in ranged]
        todo = first + [each for work in works for each in work]
        if not todo:
            break
        answers = iter(run(todo))
        for each in first:
            found[_key(each["path"])] = [
                _split.Split.from_dict({**part, "start": _split.as_start(part["start"])})
                for part in next(answers)
            ]
        for file, work in zip(ranged, works, strict=True):
            if work:
                file.take([next(answers) for _ in work])
        first = []
    found |= {_key(told(file.path)): file.parts() for file in ranged}
    return [part for path in files for part in found[_key(told(path))]]


def told(file: Found) -> Any:
    """Return a file as JSON can have it: its path, or what its address is made of."""
    return file if isinstance(file, str) else file.as_dict()


def file_of(what: Any) -> Found:
    """Return the file that was told."""
    return what if isinstance(what, str) else penstock.Remote.from_dict(what)


def _key(what: Any) -> str:
    return str(what if isinstance(what, str) else what["address"])


def work(of: dict[str, Any]) -> Any:
    """Do what a task is to do: split a file, or scan a range of one.

    Raises:
        ValueError: The file has changed since the ranges were planned.
    """
    path = file_of(of["path"])
    if "split" in of:
        return [part.as_dict() for part in _split.split(path, **of["split"])]
    about = _sources.stat(path)
    name = path if isinstance(path, str) else path.name
    ranges = None
    if [about.st_size, about.st_mtime_ns] == list(of["about"]):
        dialect = _split.dialect_of(of["format"], name, None)
        pieces = None if of["pieces"] is None else _rust.Pieces(of["pieces"])
        ranges = _rust.Ranges.of(dialect, _source(path), object, of["at"], None, of["text"], pieces)
    if ranges is None:
        raise ValueError(f"{name} has changed while it was split")
    start, *asked = of["asked"]
    return ranges.scan(_split.as_start(start), *asked)


def _source(path: Found) -> _rust.Source:
    name = path if isinstance(path, str) else path.name
    return _rust.Source(path, name, None, "infer")
