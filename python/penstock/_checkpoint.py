"""`Checkpoint`: a place behind a record of a file, at which reading goes on another time."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import asdict, dataclass

from penstock import _format, _plan, _rust
from penstock._dialect import Dialect
from penstock._split import as_start, dialect_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO, Literal, Self

    from penstock import Limits, Reader
    from penstock._types import At, Format, Types

SAMPLE = 4096
"""How many bytes before a checkpoint, and at the beginning of its file, it knows."""

BLOCK = 1 << 16
"""How many bytes are looked at at once for the end of a line."""

GROWING = {"ndjson", "csv"}
"""The formats of which a file may grow behind a checkpoint."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    r"""A place behind a record of a file. `Reader.checkpoint` makes it.

    `penstock.read(path, ..., resume=checkpoint)` goes on there: its records are those that were
    still to come, with the same numbers, lines and paths in errors. A checkpoint is small, can be
    pickled, and holds plain values only.

    An NDJSON or CSV file that is not compressed may grow meanwhile, or get another name. Any other
    file must be as it was.

    Attributes:
        path: The file.
        format: Its format.
        dialect: Of a CSV file, the arguments of the `penstock.csv.Dialect` that was given. None if
            it is that of the file's name.
        sought: Where its records are, as an error says it.
        records: How many records come before the place, with those in error.
        offset: How many bytes of the text come before the place; 0 of a property list.
        ended: Whether the document has ended there.
        start: What is open there; None at the beginning, and at the end of a document.
        size: The size of the file, in bytes.
        mtime_ns: When the file was changed last, in nanoseconds. None if it may grow.
        digest: A BLAKE2 hash of the first bytes of the file and of those before the place. None if
            it may not grow.

    Example:
        >>> import json, pathlib, penstock
        >>> path = pathlib.Path("events.ndjson")
        >>> _ = path.write_text('{"id": 1}\n{"id": 2}\n{"id"')
        >>> with penstock.read(path, resume="start") as events:
        ...     print([event["id"] for event in events])
        ...     kept = json.dumps(events.checkpoint().as_dict())
        [1, 2]
        >>> with path.open("a") as file:
        ...     _ = file.write(': 3}\n')
        >>> checkpoint = penstock.Checkpoint.from_dict(json.loads(kept))
        >>> list(penstock.read(path, resume=checkpoint))
        [{'id': 3}]
    """

    path: str
    format: Format
    dialect: dict[str, Any] | None
    sought: str
    records: int
    offset: int
    ended: bool
    start: Any
    size: int
    mtime_ns: int | None
    digest: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return what it holds, for JSON. `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], /) -> Self:
        """Return the checkpoint of which `as_dict` has made these values, also through JSON."""
        return cls(**{**values, "start": as_start(values["start"])})

    def __str__(self) -> str:
        """Return the place in one line."""
        place = f"{self.path}, behind record {self.records:,}"
        return place if self.format == "plist" else f"{place} at byte {self.offset:,}"


Checkpoint.__module__ = "penstock"


def of(
    path: str,
    which: tuple[int, int],
    is_plain: bool,
    format: Format,
    dialect: dict[str, Any] | None,
    sought: str,
    records: int,
    ended: bool,
    start: Any,
) -> Checkpoint:
    """Return the checkpoint of a reader.

    Raises:
        ValueError: The path leads to another file than the reader's, or its last line has no end.
    """
    offset = 0 if start is None else start[0]
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
        about = os.fstat(file.fileno())
        if (about.st_dev, about.st_ino) != which:
            raise ValueError(f"there is no checkpoint: {path} was replaced while it was read")
        digest = None
        if is_plain and format in GROWING:
            if offset and not _is_whole(file, offset, about.st_size, format):
                raise ValueError(
                    "there is no checkpoint: the last line has no line feed, so that more of it "
                    "may come; a reader with resume= leaves such a line for another time"
                )
            digest = hash_of(file, offset)
    changed = about.st_mtime_ns if digest is None else None
    return Checkpoint(
        path,
        format,
        dialect,
        sought,
        records,
        offset,
        ended,
        start,
        about.st_size,
        changed,
        digest,
    )


def _is_whole(file: BinaryIO, offset: int, size: int, format: Format) -> bool:
    """Return whether the line has ended whose record ends at an offset."""
    file.seek(offset - 1)
    last = file.read(1)
    if last == b"\n" or (format == "csv" and last == b"\r" and offset < size):
        return True
    if format == "csv":
        return False
    # Behind a value in its line.
    while block := file.read(BLOCK):
        if b"\n" in block:
            return True
    return False


def hash_of(file: BinaryIO, offset: int) -> str:
    """Return the hash of the first bytes of a file, and of those before an offset."""
    known = hashlib.blake2b(digest_size=16)
    file.seek(0)
    known.update(file.read(min(SAMPLE, offset)))
    file.seek(max(0, offset - SAMPLE))
    known.update(file.read(min(SAMPLE, offset)))
    return known.hexdigest()


def _check(checkpoint: Checkpoint, path: str) -> tuple[int, int]:
    """Check that a file is that of a checkpoint, and return which it is on this machine.

    Raises:
        ValueError: It is not.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - as above
        about = os.fstat(file.fileno())
        if checkpoint.digest is None:
            if (about.st_size, about.st_mtime_ns) != (checkpoint.size, checkpoint.mtime_ns):
                raise ValueError(f"{path} has changed since the checkpoint was made")
        elif about.st_size < checkpoint.offset:
            raise ValueError(
                f"{path} is not the file of the checkpoint: it has {about.st_size:,} bytes, and "
                f"{checkpoint.offset:,} were read of that"
            )
        elif hash_of(file, checkpoint.offset) != checkpoint.digest:
            raise ValueError(
                f"{path} is not the file of the checkpoint: other bytes come before the place"
            )
    return about.st_dev, about.st_ino


def _is_same(one: dict[str, Any], other: dict[str, Any] | None) -> bool:
    """Return whether two dialects are the same. One that comes from JSON has lists for tuples."""
    return other is not None and Dialect(**one) == Dialect(**other)


def read(
    resume: Checkpoint | Literal["start"],
    source: object,
    into: object,
    policy: _rust.Policy,
    types: Types | None,
    limits: Limits | None,
    format: Format | None,
    at: At[Any] | None,
    others: Mapping[str, bool],
    said: dict[str, Any] | None = None,
) -> Reader[Any]:
    """Read on behind a checkpoint.

    `others` says which other options the caller gave, `said` the arguments of a dialect.

    Raises:
        OSError: The file cannot be opened.
        TypeError: An option cannot be used with one, or the source is no path.
        ValueError: The file is another one, or has changed; or the records are others.
    """
    for option, given in others.items():
        if given:
            raise TypeError(f"{option}= cannot be used with resume=")
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"resume= reads one file by its path, not {type(source).__name__}")
    path = os.fsdecode(source)
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - as above
        raise ValueError(f"resume= reads a regular file, and {path} is none")
    kind = None if format is None else _format.checked(format)
    if isinstance(resume, Checkpoint):
        if kind not in {None, resume.format}:
            raise ValueError(f"the checkpoint is one of {resume.format}, not of {kind}")
        if said is not None and not _is_same(said, resume.dialect):
            raise ValueError("the checkpoint is one of another dialect")
        said = resume.dialect
        # Its name may be another one now, and say nothing of the delimiter.
        kind, named = resume.format, resume.path
        which = _check(resume, path)
        sought, start = resume.sought, resume.start
        ended = resume.records if resume.ended else None
    elif resume == "start":
        kind = _format.of_source(path, path) if kind is None else kind
        named, which, sought, ended, start = path, None, None, None, None
    else:
        raise ValueError(f"resume must be a Checkpoint or 'start', not {resume!r}")
    end = (said or {}).get("terminator")
    if end is not None and end != "any" and not end.endswith("\n"):
        raise ValueError(f"resume= reads rows that end with a line feed, not with {end!r}")
    if types is not None:
        into, at = _plan.of_records(into, at, types)  # type: ignore[arg-type]  # it is checked there
    opened = _rust.Source(path, path, None, "infer")
    dialect = dialect_of(kind, named, said)
    return _rust.read_on(
        dialect, opened, into, at, policy, limits, which, sought, ended, start, said
    )
