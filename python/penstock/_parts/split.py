"""`Splits`: the parts of files, each of which can be read on its own, in any process."""

from __future__ import annotations

import os
from _collections_abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._base import sidecar as _sidecar
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN
from penstock._io import dialect as _dialect
from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._verbs import read as _read

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal, Self, overload

    from typing_extensions import TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import At, Format, Found, Index, Sources, T, Types, Where
    from penstock._io.remote.source import Remote
    from penstock._rust import Columns, Reader, Schema

SIZE = 64 << 20
"""About how many bytes a part has by default."""

LIMIT = 1 << 62
"""No file is so long, and nothing in one is counted so far. A range counts from here on what comes
before it, which it does not know."""

CONTAINERS = {"map", "list", "record"}
"""What may be open around a record of JSON. The last one says that the reader is behind one."""

KEYS = {"element", "member"}


def as_start(value: Any) -> Any:
    """Return a start as the core takes it: with tuples for what JSON has as lists.

    Raises:
        ValueError: It is damaged.
    """
    if value is None:
        return None
    try:
        offset, line, column, records, stood, opened = value
        counts = [_natural(offset, LIMIT), *map(_natural, (line, column, records))]
        return (*counts, _stood(stood), [_opened(*each) for each in opened])
    except (TypeError, ValueError) as error:
        raise ValueError("the point where records begin is damaged") from error


def _natural(value: Any, most: int = 2 * LIMIT) -> int:
    if type(value) is int and 0 <= value < most:
        return value
    raise ValueError(f"{value!r} is no number of bytes, lines or records")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no name")
    # The core cannot take half of a pair of surrogates.
    value.encode()
    return value


def _stood(stood: Any) -> Any:
    """Return what is open for the reader: containers, elements with their prefixes, or places."""
    if stood is None:
        return None
    if all(isinstance(each, str) and each in CONTAINERS for each in stood):
        return list(stood)
    if all(type(each) is int for each in stood):
        return [_natural(each) for each in stood]
    return [
        (_text(name), [(_text(prefix), _text(uri)) for prefix, uri in bound])
        for name, bound in stood
    ]


def _opened(state: Any, begun: Any, name: Any) -> Any:
    """Return what is open for whoever selects the records."""
    begun = None if begun is None else _natural(begun)
    if name is not None:
        kind, name = name
        if kind not in KEYS:
            raise ValueError(f"{kind!r} is no kind of a name")
        name = (kind, _text(name))
    return _natural(state, 1 << 32), begun, name


def check_values(kept: object, kinds: Mapping[str, tuple[type, ...]]) -> None:
    """Check the types of what was kept, and that a file may have its numbers.

    Raises:
        ValueError: Something is damaged.
    """
    for name, allowed in kinds.items():
        value = getattr(kept, name)
        # A truth value is an int.
        is_there = isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool))
        # A file may be older than 1970.
        if is_there and isinstance(value, int) and name != "mtime_ns":
            is_there = 0 <= value < LIMIT
        if is_there and name == "format":
            is_there = value in _formats.NAMES
        if is_there and name == "dialect" and value is not None:
            is_there = kept.format == "csv" and _is_dialect(value)  # type: ignore[attr-defined]
        if not is_there:
            raise damaged(type(kept), name)


def damaged(kept: type, name: str | None = None) -> ValueError:
    """Return the error for what was kept, if something of it is damaged, or one of its values."""
    which = "" if name is None else f": {name} is damaged"
    return ValueError(f"these are not the values of a penstock.{kept.__name__}{which}")


def _is_dialect(arguments: dict[str, Any]) -> bool:
    try:
        _dialect.of_options(arguments)
    except (TypeError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Split:
    """A part of a file: the records that begin in a range of its bytes. `penstock.split` makes it.

    It is small, can be pickled, and holds plain values only. The records of all parts of a file, in
    their order, are those of the file, with the same numbers, lines and paths in errors.

    Attributes:
        path: The file.
        format: Its format.
        at: Where the records are, as for `penstock.read`.
        index: The number of the part in its file, from 0.
        count: How many parts the file has.
        begin: The offset of its first byte, in the decompressed text. Of a binary property list,
            whose objects may be anywhere, a share of the file as that of the records before it.
        end: The offset behind its last byte; None for the last part, which ends with the file.
        start: What is open where it begins; None for the first part.
        text: The size of the text, in bytes: that of the file, unless it is compressed.
        size: The size of the file, in bytes, when it was split.
        mtime_ns: When the file was changed last, in nanoseconds.
        dialect: Of a CSV file, the arguments of the `penstock.csv.Dialect` that was given to
            `penstock.csv.split`. None if it is that of the file's name.
        until: Of a binary property list, the place of the first record behind it. None for the last
            part, and for any other format.
        pieces: Of a compressed file, where those of its pieces are that have this part, so that
            nobody must look for them; None if it is read from the start of the file.
        remote: The address of the file; None if it is read by its path.

    Example:
        >>> import pathlib, pickle, penstock
        >>> path = pathlib.Path("primes.json")
        >>> _ = path.write_text("[2, 3, 5, 7, 11, 13]")
        >>> first, last = penstock.split(path, parts=2)
        >>> list(first.read(int)), list(pickle.loads(pickle.dumps(last)).read(int))
        ([2, 3, 5], [7, 11, 13])
    """

    path: str
    format: Format
    at: At[Any] | None
    index: int
    count: int
    begin: int
    end: int | None
    start: Any
    text: int
    size: int
    mtime_ns: int
    dialect: dict[str, Any] | None = None
    until: list[int] | None = None
    pieces: str | None = None
    remote: Remote | None = None

    @property
    def records_before(self) -> int:
        """How many records of the file come before this part."""
        return 0 if self.start is None else int(self.start[3])

    def read(self, into: TypeForm[T] = PLAIN, /, **options: Any) -> Reader[T]:
        """Read the records of this part. The options are those of `penstock.read`.

        Returns:
            An iterator over the records; see `penstock.read`.

        Raises:
            OSError: The file cannot be opened.
            ValueError: The file has changed since it was split; or as for `penstock.read`.
            PlanError: Penstock cannot decode into `into`.
            DecodeError: While iterating.
        """
        from penstock._any_format import verbs as _verbs  # noqa: PLC0415 - it stands above

        return _verbs.read(self.remote or self.path, into, split=self, **options)

    def load(self, into: TypeForm[T] = PLAIN, /, **options: Any) -> list[T]:
        """Return the records of this part as a list; see `read`."""
        with self.read(into, **options) as reader:
            return list(reader)

    def columns(
        self,
        into: TypeForm[Any],
        /,
        *,
        rows: int = 65_536,
        columns: Sequence[str] | None = None,
        unions: Literal["error", "text", "json"] = "error",
        threads: int = 1,
        **options: Any,
    ) -> Columns:
        """Read the records of this part into Arrow columns; see `penstock.columns`."""
        return self.read(into, **options).columns(rows, columns, unions, threads)

    def schema(
        self,
        *,
        threads: int = 1,
        errors: Literal["raise", "skip"] = "raise",
        limits: Limits | None = None,
    ) -> Schema:
        """Find the columns of the records of this part; see `penstock.schema`.

        `Schema.merge` makes the schema of the whole file of those of its parts, which may come from
        other processes.

        Raises:
            OSError: The file cannot be opened.
            ValueError: The file has changed since it was split; or `threads` is less than 1.
            PlanError: As for `penstock.schema`.
            DecodeError: As for `penstock.schema`.
        """
        if errors not in {"raise", "skip"}:
            raise ValueError(f"errors must be 'raise' or 'skip', not {errors!r}")
        file, version = _as_it_was(self)
        if _is_archive(_sources.locate("schema", file, "infer", None, limits)[0]):
            reader: Any = self.read(errors=errors, limits=limits)
            found: Schema = reader._schema(threads, True, "error")  # noqa: SLF001 - it is ours
            return found
        dialect = dialect_of(self.format, self.path, self.dialect)
        opened = _rust.Source(file, self.path, None, "infer")
        start, skips = as_start(self.start), errors == "skip"
        until, pieces = self.until, _pieces(self)
        return _rust.split_schema(
            dialect,
            opened,
            self.at,
            skips,
            limits,
            version,
            start,
            self.end,
            until,
            pieces,
            threads,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what it holds, for JSON. `from_dict` takes it back."""
        values = asdict(replace(self, remote=None))
        return values if self.remote is None else {**values, "remote": self.remote.as_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], /) -> Self:
        """Return the part of which `as_dict` has made these values, also through JSON.

        Raises:
            ValueError: They are damaged.
        """
        try:
            part = cls(**{**values, "start": as_start(values["start"])})
            if part.remote is not None:
                part = replace(part, remote=_remote_of(part.remote))
        except (LookupError, TypeError) as error:
            raise damaged(cls) from error
        check_values(part, KINDS)
        if not all(type(place) is int and 0 <= place < LIMIT for place in part.until or ()):
            raise damaged(cls, "until")
        return part

    def __str__(self) -> str:
        """Return the part, its bytes and its first record in one line."""
        end = self.text if self.end is None else self.end
        return (
            f"{self.path}, part {self.index + 1} of {self.count}: bytes {self.begin:,} to {end:,}, "
            f"from record {self.records_before + 1:,}"
        )


Split.__module__ = "penstock"

KINDS: dict[str, tuple[type, ...]] = {
    "path": (str,),
    "format": (str,),
    "at": (str, dict, type(None)),
    "index": (int,),
    "count": (int,),
    "begin": (int,),
    "end": (int, type(None)),
    "text": (int,),
    "size": (int,),
    "mtime_ns": (int,),
    "dialect": (dict, type(None)),
    "until": (list, tuple, type(None)),
    "pieces": (str, type(None)),
}
"""The types of a part's values."""


class Splits(Sequence["Split"]):
    r"""The parts of one or several files, in order. `penstock.split` makes it.

    Printing it tells how each file was split, or why it was not.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("primes.ndjson")
        >>> _ = path.write_text("2\n3\n5\n7\n")
        >>> print(penstock.split(path, parts=2))
        2 parts of 1 file, exact
        primes.ndjson, part 1 of 2: bytes 0 to 4, from record 1
        primes.ndjson, part 2 of 2: bytes 4 to 8, from record 3
    """

    __slots__ = ("_parts", "_whole")
    __module__ = "penstock"

    _parts: tuple[Split, ...]
    # Why a file is one part.
    _whole: dict[str, str]

    def __init__(self, parts: Sequence[Split], whole: Mapping[str, str]) -> None:
        self._parts, self._whole = tuple(parts), dict(whole)

    @property
    def whole(self) -> dict[str, str]:
        """The files that are one part each, and why."""
        return dict(self._whole)

    def __len__(self) -> int:
        return len(self._parts)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int, /) -> Split: ...
        @overload
        def __getitem__(self, index: slice, /) -> tuple[Split, ...]: ...

    def __getitem__(self, index: int | slice, /) -> Split | tuple[Split, ...]:
        return self._parts[index]

    def __iter__(self) -> Iterator[Split]:
        return iter(self._parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Splits):
            return NotImplemented
        return (self._parts, self._whole) == (other._parts, other._whole)

    __hash__ = None  # type: ignore[assignment]  # as a list's

    def __str__(self) -> str:
        """Return the plan: a line for each part."""
        files = len({part.path for part in self._parts})
        lines = [f"{_many(len(self), 'part')} of {_many(files, 'file')}, exact"]
        for part in self._parts:
            why = self._whole.get(part.path)
            lines.append(f"{part}" if why is None else f"{part}; it is not split: {why}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        files = len({part.path for part in self._parts})
        return f"<Splits: {_many(len(self), 'part')} of {_many(files, 'file')}>"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


@_suggest.advised
def split(
    source: Sources,
    /,
    *,
    parts: int | None = None,
    bytes: int | None = None,
    format: Format | None = None,
    at: At[Any] | None = None,
    limits: Limits | None = None,
    threads: int = 1,
    index: Index = None,
) -> Splits:
    r"""Find the parts of files, each of which can be read on its own, in any process.

    The records of all parts, in their order, are those of the files: the same number of them, with
    the same record numbers, lines, columns and paths in errors. Nothing is guessed: one pass over a
    file finds where records begin, and what is open there. The readers of the parts check the text:
    if a document has a fault, its part raises it, and what is read behind that part means nothing.

    A part is small, can be pickled, and holds no data. NDJSON, JSON, XML and CSV are split, also
    compressed as BGZF, as zstd with a seek table or in several frames, as xz in several blocks, or
    as bzip2: `penstock.recompress` makes files of the first two kinds. A file of bzip2 is
    decompressed once to find its blocks, before the pass. Any other compressed file, a zip archive
    of one file, a text that is not in UTF-8, and a property list that is text are one part each,
    and so is a document whose records are no elements of a list. For a dialect of CSV, see
    `penstock.csv.split`.

    A binary property list needs no pass: a table in it says where its objects are. Its parts have
    the same number of records each, which may be the values of a dictionary, too.

    Args:
        source: A path, a list of paths, a pattern or a folder, as for `penstock.read`.
        parts: How many parts there shall be, at most: of several files, each has about as many.
        bytes: About how many bytes a part shall have: it ends with the record in which so many are
            reached. By default 64 MiB.
        format: As for `penstock.read`.
        at: Where the records are, as for `penstock.read`.
        limits: As for `penstock.read`.
        threads: How many threads look at a file at once, if it has 32 MiB of text or more. Each
            scans another range of it, from where a record seems to begin. If that is wrong, the
            range is scanned again. So many threads also look for the blocks of bzip2. The parts are
            the same for any number.
        index: Keep where parts may begin, so that the next call for the same records needs no pass,
            whatever its `parts` or `bytes` are. True keeps that beside each file, under its name
            with the suffix `.penstock-splits`; a path says where, for one file. A part then begins
            at the point that is nearest: one is kept for every 1024th of the text, but not for less
            than 4 KiB or more than 4 MiB. If the file has changed, it is passed over again.

    Returns:
        A sequence of parts. Printing it shows the plan.

    Raises:
        OSError: A file cannot be opened.
        FileExistsError: `index` names something else than what `split` has kept.
        TypeError: `source` is no path; or `parts` and `bytes` are both given.
        ValueError: One of them, or `threads`, is less than 1; or `index` is a path, and there are
            several files; or what was kept there is damaged; or as for `penstock.read`.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.json")
        >>> _ = path.write_text('{"sizes": [36, 38, 40, 42, 44, 46]}')
        >>> parts = penstock.split(path, parts=2, at="sizes/*")
        >>> print(parts)
        2 parts of 1 file, exact
        sizes.json, part 1 of 2: bytes 0 to 19, from record 1
        sizes.json, part 2 of 2: bytes 19 to 35, from record 3
        >>> [sum(part.read(int)) for part in parts]
        [74, 172]
    """
    kind = None if format is None else _formats.checked(format)
    return of_files(source, parts, bytes, kind, at, limits, threads, None, index)


split.__module__ = "penstock"


def of_files(
    source: Sources,
    parts: int | None,
    size: int | None,
    format: Format | None,
    at: At[Any] | None,
    limits: Limits | None,
    threads: int,
    choose: Callable[[str], dict[str, Any]] | None,
    index: Index,
) -> Splits:
    """Return the parts of files.

    `choose` gives the arguments of the dialect of each file, if it is not that of its name.
    """
    check(parts, size)
    if not 1 <= threads <= _rust.MOST_THREADS:
        raise ValueError(f"threads must be from 1 to {_rust.MOST_THREADS}")
    paths = _files.files(source, format)
    if paths is None:
        # A file that was fetched is elsewhere in another process, so a part has its address.
        is_remote = _sources.is_remote(source)
        file: Any = source if is_remote else _sources.path("split", source)[0]  # type: ignore[arg-type]  # it is checked there
        paths = [file]
    if index is not None and not isinstance(index, bool) and len(paths) != 1:
        raise ValueError("index= is the path for one file: True keeps one beside each of several")
    found: list[Split] = []
    whole: dict[str, str] = {}
    for path in paths:
        name = _sources.shown(path)
        chosen = None if choose is None else choose(name)
        mine, why = _split(
            path, len(paths), parts, size, format, at, limits, threads, chosen, index
        )
        found += mine
        if why is not None:
            whole[name] = why
    return Splits(found, whole)


def check(parts: int | None, size: int | None) -> None:
    """Check how many parts are wanted, or of which size.

    Raises:
        TypeError: Both are given.
        ValueError: One of them is less than 1.
    """
    if parts is not None and size is not None:
        raise TypeError("split() takes parts or bytes, not both")
    for name, value in (("parts", parts), ("bytes", size)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")


def _as_it_was(split: Split) -> tuple[Found, tuple[int, int]]:
    """Return the file of a part, which is as it was when it was split, and its state.

    That is another one for a file which was fetched and kept.
    """
    file: Found = split.remote or split.path
    about = _sources.stat(file)
    if (about.st_size, about.st_mtime_ns) != (split.size, split.mtime_ns):
        raise ValueError(f"{split.path} has changed since it was split")
    if split.remote is not None:
        file = _sources.local(split.remote)
        about = _sources.stat(file)
    return file, (about.st_size, about.st_mtime_ns)


def _is_archive(given: object) -> bool:
    """Whether a source is the member of a zip archive, all of which is one part."""
    return not isinstance(given, str) and not _sources.is_remote(given)


def _remote_of(values: Any) -> Remote:
    from penstock._io.remote.source import Remote  # noqa: PLC0415 - few parts have an address

    return values if isinstance(values, Remote) else Remote.from_dict(values)


def _split(
    path: Found,
    files: int,
    parts: int | None,
    size: int | None,
    format: Format | None,
    at: At[Any] | None,
    limits: Limits | None,
    threads: int,
    chosen: dict[str, Any] | None,
    index: Index,
) -> tuple[list[Split], str | None]:
    """Return the parts of one of several files, and why it is one, if it is."""
    about = _sources.stat(path)
    remote: Any = None if isinstance(path, str) else path
    if about.st_size is None:
        raise ValueError(f"{remote.name} cannot be split: its server gives no ranges of bytes")
    given, name = _sources.locate("split", path, "infer", None, limits)
    try:
        kind = _formats.of_source(given, name) if format is None else format
        starts: list[Any] = []
        text = about.st_size
        why: str | None = "it is an archive"
        pieces: _rust.Pieces | None = None
        if not _is_archive(given):
            opened = _rust.Source(given, name, None, "infer")
            dialect = dialect_of(kind, name, chosen)
            found = partial(_found, given, dialect, opened, at, limits, threads)

            wanted = partial(offsets, files, parts, size)
            if index is None or index is False:
                text, starts, why, pieces = found(wanted)
            else:
                from penstock._parts import points as _points  # noqa: PLC0415 - few programs do

                key = _points.key(path, about, kind, at, chosen, limits)
                kept = _sidecar.place(path, index, _points.SUFFIX)
                points = _points.of(kept, key, lambda: _points.found(found))
                text, why, pieces = points.text, points.why, points.those_of_parts()
                starts = points.nearest(wanted(text))
    finally:
        del given  # This closes an archive that was opened here.
    version = text, about.st_size, about.st_mtime_ns
    named = path if isinstance(path, str) else path.name
    made = parts_at(named, kind, at, starts, version, chosen, pieces)
    return made if remote is None else [replace(part, remote=remote) for part in made], why


def offsets(files: int, parts: int | None, size: int | None, text: int) -> Sequence[int]:
    """Return where parts are wanted in a text of so many bytes, one of several files."""
    if parts is None:
        return range(size or SIZE, text, size or SIZE)
    mine = -(-parts // files)
    return [text * part // mine for part in range(1, mine)]


def parts_at(
    path: str,
    kind: Format,
    at: At[Any] | None,
    starts: Sequence[Any],
    version: tuple[int, int, int],
    chosen: dict[str, Any] | None = None,
    pieces: _rust.Pieces | None = None,
) -> list[Split]:
    """Return the parts of a file that begin at these points, and at its beginning.

    The version is the size of the text, that of the file, and when that was changed.
    """
    begins = [0, *(start[0] for start in starts)]
    ends = [*begins[1:], None]
    untils = [start[4] if kind == "plist" else None for start in starts]
    parts = zip(begins, ends, [None, *starts], [*untils, None], strict=True)
    made = [
        Split(path, kind, at, index, len(begins), begin, end, start, *version, chosen, until)
        for index, (begin, end, start, until) in enumerate(parts)
    ]
    if pieces is not None and kind != "plist":
        made[1:] = [
            replace(part, pieces=pieces.part(part.begin, part.end, _purpose(part)))
            for part in made[1:]
        ]
    return made


def _purpose(split: Split) -> str:
    """Return what the pieces of a part are for: this part, of this state of the file."""
    return f"{split.begin} {split.end} {split.text} {split.size} {split.mtime_ns}"


def _pieces(split: Split) -> tuple[str, str] | None:
    return None if split.pieces is None else (split.pieces, _purpose(split))


def _found(
    path: Any,
    dialect: _rust.Dialect,
    source: _rust.Source,
    at: At[Any] | None,
    limits: Limits | None,
    threads: int,
    wanted: Callable[[int], Sequence[int]],
) -> tuple[int, list[Any], str | None, _rust.Pieces | None]:
    """Return the size of a text, points at offsets of it, why there are none, and its pieces."""
    text, why, pieces = _rust.split_size(source, limits, threads)
    starts: list[Any] = []
    if why is not None:
        return text, starts, why, pieces
    if threads > 1:
        from penstock._parts import ranges as _ranges  # noqa: PLC0415 - few programs do

        points = _ranges.of(dialect, source, at, limits, text, wanted, None, pieces, path)
        if points is not None:
            _ranges.by_threads(points, threads)
            return text, points.chain.points, None, pieces
    starts, why = _rust.split_points(dialect, source, object, at, limits, wanted(text), text)
    return text, starts, why, pieces


def dialect_of(format: Format, name: str | None, chosen: dict[str, Any] | None) -> _rust.Dialect:
    """Return the dialect that was chosen by its arguments, or that of a name."""
    if chosen is None:
        return _formats.dialect(format, name)
    return _dialect.checked(_dialect.of_options(chosen))


def read(
    split: Split,
    source: object,
    into: object,
    policy: _rust.Policy,
    types: Types | None,
    limits: Limits | None,
    others: Mapping[str, bool],
    where: Where | None = None,
) -> Reader[Any]:
    """Read the records of a part. `others` says which other options the caller gave.

    Raises:
        OSError: The file cannot be opened.
        TypeError: The part says what one of them says.
        ValueError: The part is one of another file, or the file has changed since it was split.
    """
    for option, given in others.items():
        if given:
            raise TypeError(f"{option}= is known of a part: split() takes it")
    is_path = isinstance(source, (str, os.PathLike)) and os.fsdecode(source) == split.path
    if not is_path and (split.remote is None or source != split.remote):
        raise ValueError(f"the part is one of {split.path}")
    at = split.at
    file, version = _as_it_was(split)
    if types is not None:
        into, at = _plan.of_records(into, at, types)  # type: ignore[arg-type]  # it is checked there
    dialect = _read.wanting(dialect_of(split.format, split.path, split.dialect), where)
    found, name = _sources.locate("read", file, "infer", None, limits)
    if _is_archive(found):
        try:
            opened = _rust.Source(found, name, None, "infer")
            return _rust.Reader(dialect, opened, into, at, policy, limits)
        finally:
            del found  # This closes an archive that was opened here.
    opened = _rust.Source(file, split.path, None, "infer")
    start = as_start(split.start)
    until, pieces = split.until, _pieces(split)
    return _rust.read_split(
        dialect,
        opened,
        into,
        at,
        policy,
        limits,
        version,
        start,
        split.end,
        until,
        pieces,
    )
