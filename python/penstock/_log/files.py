"""The files of a log: its own, those that are sealed, and those beside it.

| file | has |
|---|---|
| `state.ndjson` | the events since the last seal |
| `state.1-1.ndjson.zst` | the events of the first seal, in the first generation |
| `state.1-1.ndjson` | the same, before it is compressed |
| `state.ndjson.generation` | the number of the generation, once there is a second one |
| `state.ndjson.snapshot` | a state, and the place behind it |
| `state.ndjson.lock` | who writes |

Each change is one `rename`. Sealing renames the log to the next sealed file, and so the events are
in one of the two at any time. A new generation is written as its own first sealed file, which
nobody reads before the number of the generation says so.
"""

from __future__ import annotations

import os

import penstock.json as json
from penstock._io import sources as _sources
from penstock._verbs import write as _write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._base.types import Format, Path

SEALED = ".zst"
"""What the name of a sealed file ends in, once it is compressed."""


class Files:
    """The paths of a log's files."""

    __slots__ = ("_ending", "_root", "folder", "format", "name", "path")

    def __init__(self, path: Path, format: Format | None) -> None:
        """Find the format, and what the other files are called.

        Raises:
            TypeError: It is not a path.
            ValueError: The format is not one of lines, or the file would be compressed.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a log is a file by its path, not {type(path).__name__}")
        self.path = os.fsdecode(path)
        self.name = _sources.printable(self.path)
        self.format = _write.format_of(self.path, format)
        if self.format not in {"ndjson", "csv"}:
            raise ValueError(f"a log is a file of lines: NDJSON or CSV, not {self.format}")
        if self.path.lower().endswith((".gz", ".bgz", ".zst", ".bz2", ".xz")):
            raise ValueError("a log is not compressed: Log.seal() compresses what is finished")
        self.folder, last = os.path.split(self.path)
        stem, dot, suffix = last.partition(".")
        self._root = os.path.join(self.folder, stem)  # noqa: PTH118 - pathlib is slow to import
        self._ending = dot + suffix

    @property
    def lock(self) -> str:
        """The file that its writer locks."""
        return f"{self.path}.lock"

    @property
    def snapshot(self) -> str:
        """The file of the last snapshot."""
        return f"{self.path}.snapshot"

    def part(self, generation: int, number: int) -> str:
        """Return the path of a sealed file before it is compressed."""
        return f"{self._root}.{generation}-{number}{self._ending}"

    def sealed(self, generation: int, number: int) -> str | None:
        """Return the path of a sealed file; None if there is none of that number.

        The plain file goes once the compressed one is there. So it is looked for first.
        """
        plain = self.part(generation, number)
        is_plain = os.path.exists(plain)  # noqa: PTH110 - pathlib is slow to import
        packed = plain + SEALED
        if os.path.exists(packed):  # noqa: PTH110 - as above
            return packed
        return plain if is_plain else None

    def remove(self, generation: int) -> None:
        """Remove the sealed files of a generation, the last one first."""
        found: list[str] = []
        while (path := self.sealed(generation, len(found) + 1)) is not None:
            found.append(path)
        for number in range(len(found), 0, -1):
            plain = self.part(generation, number)
            for path in (plain, plain + SEALED):
                if os.path.exists(path):  # noqa: PTH110 - pathlib is slow to import
                    os.remove(path)  # noqa: PTH107 - as above

    def generation(self) -> int:
        """Return the number of the generation, from 1.

        Raises:
            ValueError: The file that has it is damaged.
        """
        path = f"{self.path}.generation"
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
                text = file.read(32)
        except FileNotFoundError:
            return 1
        number = text.strip()
        if not number.isdigit():
            raise ValueError(f"{path} has no number of a generation: {text!r}")
        return int(number)

    def begin(self, generation: int) -> None:
        """Have another generation count. It is on the disk when this returns."""
        json.dump(generation, f"{self.path}.generation", sync=True)

    def sync(self) -> None:
        """Have the names of the files on the disk."""
        descriptor = os.open(self.folder or ".", os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync(path: str) -> None:
    """Have the bytes of a file on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
