# scripts/verbs.py writes this file from scripts/verbs/_any_format/verbs.py: `make verbs`.
"""The verbs of `penstock` itself, which take the format from a name, the first bytes, or `format=`.

They call those of the formats, so they stand above them.
"""

from __future__ import annotations

import penstock._rust as _rust
import penstock.json as json
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._verbs import open as _open
from penstock._verbs import read as _read
from penstock._verbs import send as _send
from penstock._verbs import write as _write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, overload

    from typing_extensions import Buffer, TypeForm, TypeIs

    from penstock._base.limits import Limits
    from penstock._base.types import (
        ArrowColumns,
        At,
        Compression,
        CountedUnknown,
        Data,
        Duplicates,
        Empty,
        Errors,
        Format,
        Omit,
        Packing,
        Source,
        Sources,
        T,
        Target,
        Torn,
        Types,
        Unknown,
        Where,
    )
    from penstock._parts.checkpoint import Checkpoint
    from penstock._parts.rows import Rows
    from penstock._parts.split import Split
    from penstock._rust import Reader, Records, Writer


@_rust.direct
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    limits: Limits | None = None,
) -> T:
    r"""Decode one document that is in memory.

    Args:
        data: The document: a `str`, or any object with the buffer protocol, such as `bytes`. Never
            a path; use `load` for that.
        into: The type of the document; by default plain values. NDJSON as a whole is a list, so
            pass `list[City]`. (`penstock.ndjson.decode` takes the type of one record.)
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`. By default XML if the data
            begins with `<`, otherwise JSON.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        duplicates: Which value of a repeated key of JSON counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of bytes; see `penstock.json.decode`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        DecodeError: One of the four classes that `penstock.json.decode` lists.
        PlanError: Penstock cannot decode into `into`.
        ValueError: `format` is no format.

    Example:
        >>> import penstock
        >>> penstock.decode(b'[1, 2.5]')
        [1, 2.5]
        >>> penstock.decode("1\n2\n", list[int], format="ndjson")
        [1, 2]
        >>> penstock.decode("<size>36</size>", int)
        36
    """
    kind = _formats.of_data(data) if format is None else _formats.checked(format)
    if kind == "json":
        return json.decode(
            data,
            into,
            all_errors=all_errors,
            duplicates=duplicates,
            unknown=unknown,
            types=types,
            encoding=encoding,
            limits=limits,
        )
    record = _formats.record_type("decode", kind, into)
    if types is not None:
        record = _plan.with_types(record, types)
    dialect = _formats.dialect(kind)
    return _rust.decode(dialect, data, record, duplicates, unknown, all_errors, encoding, limits)


@_suggest.advised
def encode(
    value: Any,
    into: TypeForm[Any] | None = None,
    /,
    *,
    format: Format,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
) -> bytes:
    r"""Write a value as one document in memory.

    `penstock.json.encode` and its like have the options of their format.

    Args:
        value: The value; see `penstock.json.encode`. For NDJSON and CSV, the records.
        into: The type of the value; see `penstock.json.encode`. NDJSON or CSV as a whole is a list,
            so pass `list[City]`. (`penstock.ndjson.encode` takes the type of one record.)
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`.
        omit: The fields to leave out; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: A function that is called with each object that cannot be written by its class, and
            returns what is written in its place. Objects of all classes that `decode` makes need
            none.

    Returns:
        The document, in UTF-8.

    Raises:
        EncodeError: A value cannot be written. Its `path` says which.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import penstock
        >>> penstock.encode([{"S": 36}, {"M": 40}], format="ndjson")
        b'{"S":36}\n{"M":40}\n'
    """
    kind = _formats.checked(format)
    encoder = _write.encoder("encode", kind, into, omit, types, default)
    return encoder.encode_all(value) if _formats.is_stream(kind) else encoder.encode(value)


@_suggest.advised
def dump(
    value: Any,
    target: Target,
    into: TypeForm[Any] | None = None,
    /,
    *,
    format: Format | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
    append: bool = False,
    torn: Torn = "error",
) -> None:
    """Write a value as one document to a file or a stream.

    A file at a path is replaced at once or not at all: the text is written beside it, and renamed
    when all of it is there.

    Args:
        value: The value; see `penstock.json.encode`. For NDJSON and CSV, the records.
        target: A path, a binary file, or a function that is called with chunks of bytes; see
            `penstock.json.dump`.
        into: The type of the value, as for `encode`.
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`. By default that of the suffix
            of the path, without a compression suffix.
        omit: The fields to leave out; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed; see `penstock.json.dump`.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the file is on the disk before it replaces the old one.
        append: For NDJSON and CSV, whether to write behind the lines of the file; see
            `penstock.ndjson.dump` and `penstock.csv.dump`.
        torn: For NDJSON and CSV, what to do with a torn last line; see `penstock.ndjson.dump`.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        EncodeError: A value cannot be written. A file at a path stays as it was.
        PlanError: Penstock cannot plan `into`.
        ValueError: The format is not known, or an option is not valid.

    Example:
        >>> import penstock
        >>> penstock.dump([2, 3, 5], "primes.json.gz")
        >>> penstock.load("primes.json.gz", list[int])
        [2, 3, 5]
    """
    kind = _write.format_of(target, format)
    _write.no_lines(kind, append, torn)
    encoder = _write.encoder("dump", kind, into, omit, types, default, target, append, torn)
    if not _formats.is_stream(kind):
        _write.dump(encoder, value, target, compression, level, sync)
        return
    with _write.write(
        "dump", encoder, None, target, compression, level, sync, append, torn
    ) as writer:
        writer.write_all(value)


@_suggest.advised
def write(
    target: Target,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    at: str | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
    append: bool = False,
    torn: Torn = "error",
) -> Writer[T]:
    """Write records one at a time, in constant memory.

    Without `at`, the records are the elements of a JSON array, the lines of NDJSON, the child
    elements of the root of XML, or the rows of CSV: where `read` finds them.

    Args:
        target: A path, a binary file, or a function that is called with chunks of bytes; see
            `penstock.json.dump`.
        into: The type of a record; see `penstock.json.encode`.
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`, as for `dump`.
        at: Where the records are; see `penstock.json.write`. NDJSON and CSV have no other place
            than a line.
        omit: The fields to leave out; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed; see `penstock.json.dump`.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the file is on the disk before it replaces the old one.
        append: For NDJSON and CSV, whether to write behind the lines of the file; see
            `penstock.ndjson.write` and `penstock.csv.write`.
        torn: For NDJSON and CSV, what to do with a torn last line; see `penstock.ndjson.write`.

    Returns:
        A `Writer`; see `penstock.json.write`.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        PlanError: Penstock cannot plan `into`.
        ValueError: The format is not known, or an option is not valid.

    Example:
        >>> import penstock
        >>> with penstock.write("primes.json", int) as writer:
        ...     writer.write_all([2, 3, 5])
        >>> sum(penstock.read("primes.json", int))
        10
    """
    kind = _write.format_of(target, format)
    _write.no_lines(kind, append, torn)
    encoder = _write.encoder(
        "write", kind, _write.declared(into), omit, types, default, target, append, torn
    )
    return _write.write("write", encoder, at, target, compression, level, sync, append, torn)


@_suggest.advised
def load(
    source: Source | ArrowColumns,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> T:
    r"""Decode one document from a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that. Or Arrow columns, as for `read`.
        into: The type of the document; by default plain values. NDJSON as a whole is a list, so
            pass `list[City]`. (`penstock.ndjson.load` takes the type of one record.)
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`. By default Penstock looks at
            the suffix of the name, without a compression suffix, and then at the first bytes of a
            file at a path.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        duplicates: Which value of a repeated key of JSON counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The format is not known; or as for `penstock.json.load`.
        DecodeError: One of the four classes that `penstock.json.decode` lists; or itself, if the
            source raised while it was read.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.jsonl")
        >>> _ = path.write_text('{"S": 36}\n{"M": 40}\n')
        >>> penstock.load(path, list[dict[str, int]])
        [{'S': 36}, {'M': 40}]
    """
    if _has_columns(source):
        from penstock._arrow import table as _table  # noqa: PLC0415 - few programs have columns

        policy = _rust.Policy("raise", 100, duplicates, unknown, all_errors, "allow")
        others = _for_files(format, encoding, compression, member)
        return _table.load(source, into, policy, types, limits, others)  # type: ignore[return-value]  # a list, as `into` says
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        kind = _formats.of_source(given, name) if format is None else _formats.checked(format)
        record = _formats.record_type("load", kind, into)
        if types is not None:
            record = _plan.with_types(record, types)
        dialect = _formats.dialect(kind, name)
        return _rust.load(
            dialect,
            _rust.Source(given, name, encoding, compression),
            record,
            duplicates,
            unknown,
            all_errors,
            limits,
        )
    finally:
        del given  # This closes an archive that was opened here.


@_suggest.advised
def read(
    source: Sources | ArrowColumns,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "warn",
    where: Where | None = None,
    limit: int | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    split: Split | None = None,
    resume: Checkpoint | Literal["start"] | None = None,
) -> Reader[T]:
    """Read the records of a file or a stream one at a time, in constant memory.

    Without `at`, the records are the elements of a top-level JSON array, the lines of NDJSON, or
    the child elements of the root of XML; a top-level JSON object is one record.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.json"`, or a folder. Or Arrow columns: an object with
            `__arrow_c_stream__` or `__arrow_c_array__`, whose rows are the records.
        into: The type of one record; by default plain values.
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`, as for `load`.
        at: Where the records are; see `penstock.json.read`.
        errors: What to do with a record that does not fit; see `penstock.json.read`.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a document an error that has no record, or nothing at `at`; see
            `penstock.json.read`.
        where: Which records are wanted: a condition, or its text; see `penstock.field`.
        limit: How many records there are at most: behind the last of them, the source is closed.
        all_errors: Whether an error reports all problems; see `penstock.json.read`.
        duplicates: Which value of a repeated key of JSON counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.read`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.
        split: The part of the file to read, of `penstock.split`. It says the format, and where the
            records are.
        resume: Where to go on: what `Reader.checkpoint` has returned for this file, which is given
            by its path or its address. Of an NDJSON or CSV file by its path that is not compressed,
            a last line without a line feed is left for another time: more of it may come. `"start"`
            reads such a file from the beginning. Of property lists, only binary ones can be read on
            from the middle. Of several files, those that are done are passed over, and must not
            have changed; new ones are read in their places, and only the last one may have grown.

    Returns:
        An iterator over the records; see `penstock.json.read`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path; or `split` is no part of this file, or the
            file has changed since it was split; or `resume` is a checkpoint of another file, or of
            records elsewhere.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("primes.json")
        >>> _ = path.write_text("[2, 3, 5, 7]")
        >>> sum(penstock.read(path, int))
        17
    """
    if _has_columns(source):
        from penstock._arrow import table as _table  # noqa: PLC0415 - few programs have columns

        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        others = _for_files(format, encoding, compression, member)
        others = {"at": at is not None, "where": where is not None, **others}
        return _table.read(source, into, policy, types, limits, others)
    if split is not None:
        from penstock._parts import split as _split  # noqa: PLC0415 - few programs have parts

        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        others = _for_files(format, encoding, compression, member)
        others = {"at": at is not None, **others}
        return _split.read(split, source, into, policy, types, limits, others, where)
    if resume is not None:
        from penstock._parts import checkpoint as _checkpoint  # noqa: PLC0415 - few programs keep their place

        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        others = _for_files(None, encoding, compression, member)
        return _checkpoint.read(
            resume, source, into, policy, types, limits, format, at, others, where=where
        )
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    kind = None if format is None else _formats.checked(format)
    policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
    return _read.read(
        source, kind, None, into, at, policy, encoding, compression, member, limits, where=where
    )


def _has_columns(source: object) -> TypeIs[ArrowColumns]:
    """Return whether a source is Arrow columns of others."""
    return not isinstance(source, str) and (
        hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    )


def _for_files(
    format: Format | None, encoding: str | None, compression: Compression | None, member: str | None
) -> dict[str, bool]:
    """Return which options for files were given."""
    return {
        "format": format is not None,
        "encoding": encoding is not None,
        "compression": compression != "infer",
        "member": member is not None,
    }


if TYPE_CHECKING:

    @overload
    def open(
        source: Source | Buffer,
        into: None = None,
        /,
        *,
        format: Format | None = None,
        at: None = None,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> Any: ...
    @overload
    def open(
        source: Source | Buffer,
        into: None = None,
        /,
        *,
        format: Format | None = None,
        at: str,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> Records[Any]: ...
    @overload
    def open(
        source: Source | Buffer,
        into: TypeForm[T],
        /,
        *,
        format: Format | None = None,
        at: str | None = None,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> Records[T] | Rows[T]: ...


@_suggest.advised
def open(
    source: Source | Buffer,
    into: TypeForm[T] | None = None,
    /,
    *,
    format: Format | None = None,
    at: str | None = None,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    all_errors: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    """Open a document and decode the parts that you ask for.

    Penstock reads the text into memory, validates it once, and keeps a word of eight bytes per
    value. It creates no Python objects. `doc["items"][3]["name"]` then creates its result and
    nothing else. `bytes` are not copied.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`; or the
            document itself as `bytes`, or as another buffer, which is copied. Penstock closes the
            file before it returns, so the file may change later.
        into: The type of a record. Without it, and without `at`, you get the document itself.
        format: `"json"`, `"plist"` (see `penstock.plist.open`), or `"ndjson"` or `"csv"`, which
            need an index of their records; see `penstock.ndjson.open` and `penstock.csv.open`. By
            default it is found as for `load`.
        at: Where the records are, as for `read`. By default they are the elements of a top-level
            array; any other document is one record.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`. Here all
            keys are compared.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        all_errors: Whether the error of a record reports all of its problems.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The `Document`: an object is a `Mapping`, an array a `Sequence`. With `into` or `at`, the
        `Records`: a `Sequence` that makes each record when you first ask for it. For NDJSON and
        CSV, always the `Rows`, a `Sequence`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of these.
        ValueError: The format is not known, or cannot be opened; or `at` is not a path.
        DecodeError: The document is malformed, cut short or exceeds a limit, as for `load`. A
            record that does not fit `into` raises when you ask for it.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> import penstock
        >>> doc = penstock.open(b'{"items": [{"name": "Vila"}, {"name": "Soldeu"}]}')
        >>> doc["items"][1]["name"]
        'Soldeu'
        >>> penstock.open(b"[[1, 2], [3, 4]]", tuple[int, int])[1]
        (3, 4)
    """
    if format is not None:
        kind = _formats.checked(format)
    given, name = _open.located(source, compression, member, limits)
    try:
        if format is None and name is None and isinstance(given, (bytes, bytearray, memoryview)):
            kind = _formats.of_data(given)
        elif format is None:
            kind = _formats.of_source(given, name)
        if kind == "json":
            return _open.document(
                given,
                name,
                into,
                at,
                duplicates,
                unknown,
                all_errors,
                types,
                encoding,
                compression,
                limits,
            )
    finally:
        del given  # This closes an archive that was opened here.
    if kind == "plist":
        import penstock.plist as plist  # noqa: PLC0415 - few programs read property lists

        return plist.open(
            source,
            into,
            at=at,
            unknown=unknown,
            all_errors=all_errors,
            types=types,
            encoding=encoding,
            compression=compression,
            member=member,
            limits=limits,
        )
    if kind == "xml":
        raise ValueError(f"{kind} cannot be opened to look into it: read() or load() it")
    if at is not None or encoding is not None or member is not None:
        title, parts = ("CSV", "rows") if kind == "csv" else ("NDJSON", "lines")
        raise ValueError(
            f"the records of {title} are the {parts} of a plain file: open() takes its path"
        )
    if kind == "csv":
        import penstock.csv as csv  # noqa: PLC0415 - few programs read CSV

        return csv.open(
            source,  # type: ignore[arg-type]  # as below
            PLAIN if into is None else into,
            all_errors=all_errors,
            unknown=unknown,
            types=types,
            limits=limits,
        )
    import penstock.ndjson as ndjson  # noqa: PLC0415 - as json, it would be

    return ndjson.open(
        source,  # type: ignore[arg-type]  # `ndjson.open` refuses it if it is no path
        PLAIN if into is None else into,
        all_errors=all_errors,
        duplicates=duplicates,
        unknown=unknown,
        types=types,
        limits=limits,
    )


@_suggest.advised
def send(
    source: Source,
    handler: object,
    /,
    *,
    format: Format | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    """Send a document to the methods of an object, in constant memory.

    Penstock calls a method once for each element of its name, or of the paths that `on` gives it,
    when the element closes. The method gets the `Element`: name, attributes, text, and as children
    the results of the methods of elements inside it. A method that returns None adds no child. An
    element without a method makes no Python object; its text and its children go to the nearest
    element around it that has one. If several methods match an element, Penstock calls the one
    whose path has the most steps, then one that begins at the root, then the one that names the
    most.

    By name, Penstock reaches public methods with one argument, written in Python, in the handler's
    classes outside the standard library. It looks them up once, before it reads anything.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`.
        handler: The object whose methods are called.
        format: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`, as for `load`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The result of the root's method, or the value of `Stop`; otherwise None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `penstock.json.send`.
        ValueError: As for `penstock.json.send`, or the format is not known.
        DecodeError: As for `load`. An exception of a method passes through unchanged, with a note
            that says where in the document it was raised.

    Example:
        >>> import pathlib, penstock
        >>> class Largest:
        ...     def city(self, element):
        ...         return element.attributes["size"], element.attributes["name"]
        ...     @penstock.on("")
        ...     def document(self, element):
        ...         return max(element.children.values())
        >>> path = pathlib.Path("cities.json")
        >>> cities = '[{"name": "Bern", "size": 3}, {"name": "Chur", "size": 1}]'
        >>> _ = path.write_text(f'{{"city": {cities}}}')
        >>> penstock.send(path, Largest())
        (3, 'Bern')
    """
    kind = None if format is None else _formats.checked(format)
    return _send.send(kind, source, handler, encoding, compression, member, limits)


for _public in (decode, encode, dump, write, load, read, open, send):
    _public.__module__ = "penstock"
