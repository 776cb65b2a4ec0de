"""Finds the parts of files in tasks of an engine: one for each file, many for a large one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from penstock import _format, _ranges, _rust, _sources, _split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock import Split
    from penstock._types import At, Format

LARGE = 1 << 30
"""A file of more bytes has a task for each of so many bytes of its text."""

ROUNDS = 3
"""How often tasks scan the rest of a file in which other things are open than they have guessed."""


class _Large:
    """A file whose points tasks find."""

    def __init__(self, path: str, kind: Format, at: At[Any] | None, about: os.stat_result) -> None:
        self.path, self.kind, self.at = path, kind, at
        self.about = about.st_size, about.st_mtime_ns
        self.points: _ranges.Points
        self.pieces: _rust.Pieces | None = None
        self.left: list[tuple[Any, ...]] = []

    @classmethod
    def of(
        cls,
        path: str,
        format: Format | None,
        at: At[Any] | None,
        wanted: Callable[[int], Sequence[int]],
    ) -> _Large | None:
        """Return a file that is large, if its ranges can be scanned."""
        about = os.stat(path)  # noqa: PTH116 - as elsewhere
        if about.st_size <= LARGE:
            return None
        given, name = _sources.locate("split", path, "infer", None, None)
        if given != path:
            return None
        file = cls(path, format or _format.of_source(given, name), at, about)
        # A file of bzip2, all of which must be decompressed, has one task.
        text, why, file.pieces = _rust.split_size(_source(path), None, None)
        if why is not None:
            return None
        dialect = _split.dialect_of(file.kind, path, None)
        points = _ranges.of(dialect, _source(path), at, None, text, wanted, LARGE, file.pieces)
        if points is None:
            return None
        file.points = points
        file.begin()
        return file

    def begin(self) -> None:
        """Have all scanned that is behind the last known point."""
        points, self.left = self.points, []
        begin = points.chain.at[0]
        while not points.chain.is_over and begin < points.text:
            self.left.append(points.asked(begin, begin + LARGE))
            begin += LARGE

    def work(self) -> list[dict[str, Any]]:
        """Return what is to be done, with a task for each."""
        same = {"path": self.path, "format": self.kind, "at": self.at, "about": self.about}
        return [{**same, "text": self.points.text, "asked": asked} for asked in self.left]

    def take(self, answers: Sequence[Any]) -> None:
        """Take what the tasks have found. If something is left then, they have guessed wrong."""
        for asked, (found, is_over) in zip(self.left, answers, strict=True):
            if not self.points.expects(asked):
                self.begin()
                return
            self.points.take(asked, ([_split.as_start(each) for each in found], is_over))
        self.left = []

    def parts(self) -> list[Split]:
        """Return the parts. What no task has found is looked for here."""
        self.points.finish()
        version = self.points.text, *self.about
        points = self.points.chain.points
        return _split.parts_at(self.path, self.kind, self.at, points, version, None, self.pieces)


def plan(
    files: list[str],
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

    large = {path: _Large.of(path, format, at, wanted) for path in files}
    mine = None if parts is None else -(-parts // len(files))
    same = {"parts": mine, "bytes": size, "format": format, "at": at}
    ranged = [file for file in large.values() if file is not None]
    first: list[dict[str, Any]] = [
        {"path": path, "split": same} for path, file in large.items() if file is None
    ]
    found: dict[str, list[Split]] = {}
    for _ in range(ROUNDS):
        works = [file.work() for file in ranged]
        todo = first + [each for work in works for each in work]
        if not todo:
            break
        answers = iter(run(todo))
        for each in first:
            found[each["path"]] = [
                _split.Split.from_dict({**part, "start": _split.as_start(part["start"])})
                for part in next(answers)
            ]
        for file, work in zip(ranged, works, strict=True):
            file.take([next(answers) for _ in work])
        first = []
    found |= {file.path: file.parts() for file in ranged}
    return [part for path in files for part in found[path]]


def work(of: dict[str, Any]) -> Any:
    """Do what a task is to do: split a file, or scan a range of one.

    Raises:
        ValueError: The file has changed since the ranges were planned.
    """
    path = of["path"]
    if "split" in of:
        return [part.as_dict() for part in _split.split(path, **of["split"])]
    about = os.stat(path)  # noqa: PTH116 - as elsewhere
    ranges = None
    if [about.st_size, about.st_mtime_ns] == list(of["about"]):
        dialect = _split.dialect_of(of["format"], path, None)
        ranges = _rust.Ranges.of(dialect, _source(path), object, of["at"], None, of["text"], None)
    if ranges is None:
        raise ValueError(f"{path} has changed while it was split")
    start, *asked = of["asked"]
    return ranges.scan(_split.as_start(start), *asked)


def _source(path: str) -> _rust.Source:
    return _rust.Source(path, path, None, "infer")
