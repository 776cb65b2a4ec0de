"""`Checkpoint`: a place behind a record of a file, at which reading goes on another time."""

from __future__ import annotations

import hashlib
import os
import stat
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, replace

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._io.dialect import Dialect
from penstock._parts.split import as_start, check_values, damaged, dialect_of
from penstock._verbs import read as _read

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, BinaryIO, Literal, Self, TypeAlias

    from penstock._base.limits import Limits
    from penstock._base.types import At, Format, Found, Types, Where
    from penstock._rust import Reader

    Said: TypeAlias = dict[str, Any] | Callable[[Found], dict[str, Any]] | None
    # Which file it is, where its records are, how many there were if it has ended, where they go
    # on, the arguments of its dialect, and whether it is the last file.
    Place: TypeAlias = tuple[
        tuple[int, int] | None, str | None, int | None, Any, dict[str, Any] | None, bool
    ]
    Opened: TypeAlias = tuple[_rust.Dialect, _rust.Source, Place]

SAMPLE = 4096
"""How many bytes before a checkpoint, and at the beginning of its file, it knows."""

BLOCK = 1 << 16
"""How many bytes are looked at at once for the end of a line."""

KEY, STATE = 8, 4
"""The bytes by which a checkpoint knows a file that is done, and whether it has changed."""

GROWING = {"ndjson", "csv"}
"""The formats of which a file may grow behind a checkpoint."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    r"""A place behind a record of a file. `Reader.checkpoint` makes it.

    `penstock.read(path, ..., resume=checkpoint)` goes on there: its records are those that were
    still to come, with the same numbers, lines and paths in errors. A checkpoint is small, can be
    pickled, and holds plain values only.

    An NDJSON or CSV file that is not compressed may grow meanwhile, or get another name. Any other
    file must be as it was, and so must one behind an address.

    Attributes:
        path: The file, or its address without a password and without a query.
        format: Its format.
        dialect: Of a CSV file, the arguments of the `penstock.csv.Dialect` that was given. None if
            it is that of the file's name.
        sought: Where its records are, as an error says it.
        records: How many records come before the place, with those in error.
        offset: How many bytes of the text come before the place; 0 of a property list.
        ended: Whether the document has ended there.
        start: What is open there; None at the beginning, and at the end of a document.
        size: The size of the file, in bytes.
        mtime_ns: When the file was changed last, in nanoseconds. None if it may grow. Behind an
            address it is a digest of the version, or 0 if the server names none.
        digest: A BLAKE2 hash of the first bytes of the file and of those before the place. None if
            it may not grow. If a server names no version, it is a hash of the first and last bytes.
        done: If there are several files: which of them are done, and how they were then. It has 16
            characters for each.
        waiting: The places in files that come behind this one.

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
    done: str | None = None
    waiting: tuple[Checkpoint, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return what it holds, for JSON. `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], /) -> Self:
        """Return the checkpoint of which `as_dict` has made these values, also through JSON.

        Raises:
            ValueError: They are damaged.
        """
        try:
            waiting = tuple(map(cls.from_dict, values.get("waiting", ())))
            start = as_start(values["start"])
            checkpoint = cls(**{**values, "start": start, "waiting": waiting})
        except (AttributeError, LookupError, TypeError) as error:
            raise damaged(cls) from error
        check_values(checkpoint, KINDS)
        if checkpoint.done is not None:
            try:
                done = b64decode(checkpoint.done, validate=True)
            except ValueError as error:
                raise damaged(cls, "done") from error
            if len(done) % (KEY + STATE):
                raise damaged(cls, "done")
        return checkpoint

    def __str__(self) -> str:
        """Return the place in one line."""
        place = f"{self.path}, behind record {self.records:,}"
        if self.format != "plist":
            place = f"{place} at byte {self.offset:,}"
        if not self.done:
            return place
        done = len(b64decode(self.done)) // (KEY + STATE)
        return f"{place}; files done: {done:,}"


Checkpoint.__module__ = "penstock"

KINDS: dict[str, tuple[type, ...]] = {
    "path": (str,),
    "format": (str,),
    "dialect": (dict, type(None)),
    "sought": (str,),
    "records": (int,),
    "offset": (int,),
    "ended": (bool,),
    "size": (int,),
    "mtime_ns": (int, type(None)),
    "digest": (str, type(None)),
    "done": (str, type(None)),
}
"""The types of a checkpoint's values."""


def _named(file: Found) -> str:
    """Return what a checkpoint calls a file: its path, or its address without a query."""
    # What is kept of an address has the name of that.
    name: str = getattr(file, "name", file)  # type: ignore[arg-type]  # a path is its own name
    return name


def _pinned(file: Found) -> tuple[int, int] | None:
    """Return the state of a file behind an address; None if it is a file by its path.

    Raises:
        ValueError: Its server gives no ranges of bytes, so that nobody can go on there.
    """
    if isinstance(file, str):
        state: tuple[int, int] | None = getattr(file, "state", None)
        return state
    about = file.stat()
    if about.st_size is None:
        raise ValueError(
            f"resume= reads a file from the middle, and the server of {file.name} gives no ranges "
            "of bytes"
        )
    return about.st_size, about.st_mtime_ns


def _open(file: Found) -> BinaryIO:
    return open(file, "rb") if isinstance(file, str) else file.as_file()  # noqa: PTH123 - pathlib is slow to import


def _hash_of_ends(file: Found, size: int) -> str:
    """Return the hash of the first and last bytes of a file behind an address."""
    with _open(file) as opened:
        return hash_of(opened, size)


def of(
    path: Found,
    which: tuple[int, int],
    is_plain: bool,
    format: Format,
    dialect: dict[str, Any] | None,
    sought: str,
    records: int,
    ended: bool,
    start: Any,
    files: Files | None,
) -> Checkpoint:
    """Return the checkpoint of a reader.

    Raises:
        ValueError: The path leads to another file than the reader's, or its last line has no end.
    """
    offset = 0 if start is None else start[0]
    done, waiting = (None, ()) if files is None else files.kept()
    pinned = _pinned(path)
    if pinned is not None:
        size, version = pinned
        known = None if version else _hash_of_ends(path, size)
        place = dialect, sought, records, offset, ended, start
        return Checkpoint(_named(path), format, *place, size, version, known, done, waiting)
    assert isinstance(path, str)  # noqa: S101 - addresses are pinned
    with open(path, "rb") as file:  # noqa: PTH123 - as above
        about = os.fstat(file.fileno())
        if (about.st_dev, about.st_ino) != which:
            raise ValueError(f"there is no checkpoint: {path} was replaced while it was read")
        digest = None
        if is_plain and format in GROWING:
            may_grow = files is None or files.is_last
            if offset and may_grow and not _is_whole(file, offset, about.st_size, format):
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
        done,
        waiting,
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


def _check(checkpoint: Checkpoint, path: Found) -> tuple[int, int]:
    """Check that a file is that of a checkpoint, and return which it is on this machine.

    Raises:
        ValueError: It is not.
    """
    pinned = _pinned(path)
    if pinned is not None:
        size, known = pinned[0], checkpoint.digest
        is_same = pinned == (checkpoint.size, checkpoint.mtime_ns)
        if not is_same or (known is not None and known != _hash_of_ends(path, size)):
            raise ValueError(f"{_named(path)} has changed since the checkpoint was made")
        about = _sources.stat(path)
        return about.st_dev, about.st_ino
    assert isinstance(path, str)  # noqa: S101 - addresses are pinned
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


class Opening:
    """Opens files for a reader whose place can be kept."""

    __slots__ = ("kind", "known", "said", "where")

    def __init__(
        self,
        kind: Format | None,
        said: Said,
        known: dict[str, Any] | None,
        where: Where | None = None,
    ) -> None:
        """Store the format and the arguments of a dialect, if the caller has named them.

        `known` are the arguments that a checkpoint has, and `where` says which records are wanted.
        """
        self.kind = kind
        self.said = said
        self.known = known
        self.where = where

    def open(self, file: Found, behind: Checkpoint | None, is_last: bool) -> Opened:
        """Return how a file is read from the beginning or behind a checkpoint.

        If the file is the last one, what is behind its last line feed is left for another time. One
        behind an address does not grow.

        Raises:
            OSError: It cannot be opened.
            ValueError: It is not the file of the checkpoint, or no regular file.
        """
        path: Found = file if isinstance(file, str) else _sources.local(file)
        is_pinned = _pinned(path) is not None
        if not is_pinned and not stat.S_ISREG(_sources.stat(path).st_mode):
            raise ValueError(f"resume= reads a regular file, and {path} is none")
        name = _named(path)
        kind, said, named = self.kind, self.said, name
        which = sought = ended = start = None
        if behind is not None:
            if kind not in {None, behind.format}:
                raise ValueError(f"the checkpoint is one of {behind.format}, not of {kind}")
            if isinstance(said, dict) and not _is_same(said, behind.dialect):
                raise ValueError("the checkpoint is one of another dialect")
            # Its name may be another one now, and say nothing of the delimiter.
            kind, said, named = behind.format, behind.dialect, behind.path
            which, sought, start = _check(behind, path), behind.sought, as_start(behind.start)
            ended = behind.records if behind.ended else None
            if start is None and ended is None and callable(self.said):
                # Nothing was read: the dialect was found in a header that may have been torn.
                said = self.said
        else:
            kind = _formats.of_source(path, name) if kind is None else kind
            said = self.known if said is None else said
        if kind != "csv":
            said = None
        elif callable(said):
            said = said(path)
        end = (said or {}).get("terminator")
        if end is not None and end != "any" and not end.endswith("\n"):
            raise ValueError(f"resume= reads rows that end with a line feed, not with {end!r}")
        source = _rust.Source(path, name, None, "infer")
        place = (which, sought, ended, start, said, is_last and not is_pinned)
        return _read.wanting(dialect_of(kind, named, said), self.where), source, place


def _key(path: str) -> bytes:
    """Return the name under which a checkpoint knows a file that is done."""
    return hashlib.blake2b(os.fsencode(path), digest_size=KEY).digest()


def _state(file: Found) -> bytes:
    """Return what shows whether a file has changed."""
    about = _sources.stat(file)
    known = f"{about.st_size} {about.st_mtime_ns}".encode()
    return hashlib.blake2b(known, digest_size=STATE).digest()


class Files:
    """The files that one reader reads, in order, and which of them are done."""

    __slots__ = ("_done", "_next", "_now", "_opened", "_opening", "_paths", "_places", "is_last")

    def __init__(
        self, paths: list[Found], places: dict[str, Checkpoint], done: bytes, opening: Opening
    ) -> None:
        """Store the files that are left, the places in them, and which files are done."""
        self._paths = paths
        self._places = places
        self._done = bytearray(done)
        self._opening = opening
        self._next = 0
        self._opened = ("", b"")
        self._now = b""
        self.is_last = False

    def __iter__(self) -> Self:
        """Return this."""
        return self

    def __next__(self) -> Opened:
        """Return how the next file is read. One that cannot be opened is passed over."""
        if self._is_over:
            raise StopIteration
        file = self._paths[self._next]
        self._next += 1
        name = _named(file)
        # What comes while it is read may be missed: then it counts as changed.
        self._opened = name, _key(name) + _state(file)
        return self._opening.open(file, self._places.get(name), self._is_over)

    @property
    def _is_over(self) -> bool:
        return self._next == len(self._paths)

    def enter(self) -> None:
        """Say that the reader is in the file that came last, and has read the one before."""
        path, stamp = self._opened
        # If there is no memory for it, the reader stays where it is.
        self._done += self._now
        self._now = stamp
        self.is_last = self._is_over
        self._places.pop(path, None)

    def kept(self) -> tuple[str, tuple[Checkpoint, ...]]:
        """Return what a checkpoint holds of the other files."""
        return b64encode(self._done).decode(), tuple(self._places.values())


def _left(resume: Checkpoint | Literal["start"], files: list[Found], opening: Opening) -> Files:
    """Return the files that are still to be read.

    Raises:
        OSError: A file cannot be read.
        ValueError: Files are missing, or have changed; or one is there twice.
    """
    paths = {_named(file): file for file in files}
    if len(paths) != len(files):
        names = [_named(file) for file in files]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"resume= reads each file once, and {twice} is there twice")
    for file in files:
        _sources.stat(file)
    if resume == "start":
        return Files(files, {}, b"", opening)
    if resume.done is None:
        raise ValueError("the checkpoint is one of a single file, which is read by its path")
    # What is done, and what waits, is kept once: otherwise each run would double it.
    alone = (replace(place, done=None, waiting=()) for place in (resume, *resume.waiting))
    places = {place.path: place for place in alone}
    for path, place in places.items():
        if path not in paths:
            raise ValueError(f"{path} is missing: the checkpoint has a place in it")
        _check(place, paths[path])
    done = b64decode(resume.done)
    known = {
        done[at : at + KEY]: done[at + KEY : at + KEY + STATE]
        for at in range(0, len(done), KEY + STATE)
    }
    left: list[Found] = []
    for path, file in paths.items():
        state = known.get(_key(path))
        if state is None:
            left.append(file)
        elif state != _state(file):
            raise ValueError(
                f"{path} has changed since it was read: the checkpoint counts it as done"
            )
    mine = {path: places[path] for path in map(_named, left) if path in places}
    return Files(left, mine, done, opening)


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
    said: Said = None,
    where: Where | None = None,
) -> Reader[Any]:
    """Read on behind a checkpoint.

    `others` says which other options the caller gave, `said` the arguments of a dialect, or what
    finds those of a file.

    Raises:
        OSError: The file cannot be opened.
        TypeError: An option cannot be used with one, or the source is neither path nor address.
        ValueError: The file is another one, or has changed; or the records are others.
    """
    for option, given in others.items():
        if given:
            raise TypeError(f"{option}= cannot be used with resume=")
    if not isinstance(resume, Checkpoint) and resume != "start":
        raise ValueError(f"resume must be a Checkpoint or 'start', not {resume!r}")
    kind = None if format is None else _formats.checked(format)
    paths = _files.files(source, kind)
    is_remote = _sources.is_remote(source)
    if paths is None and not is_remote and not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"resume= reads files by their paths, not {type(source).__name__}")
    if types is not None:
        into, at = _plan.of_records(into, at, types)  # type: ignore[arg-type]  # it is checked there
    behind = resume if isinstance(resume, Checkpoint) else None
    opening = Opening(kind, said, None if behind is None else behind.dialect, where)
    if paths is not None:
        files = _left(resume, paths, opening)
        return _rust.read_on(next(files), into, at, policy, limits, files, f"{len(paths):,} files")
    if behind is not None and behind.done is not None:
        raise ValueError("the checkpoint is one of several files, of which the others are missing")
    file: Any = source if is_remote else os.fsdecode(source)  # type: ignore[arg-type]  # it is a path
    opened = opening.open(file, behind, True)
    return _rust.read_on(opened, into, at, policy, limits, None, _named(file))
