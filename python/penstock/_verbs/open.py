"""`penstock.open`, and what the `open` functions of the formats share with it."""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN
from penstock._io import formats as _formats
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, overload

    from typing_extensions import Buffer, TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Duplicates, Format, Source, T, Types, Unknown
    from penstock._parts.rows import Rows
    from penstock._rust import Document, Records


# Register the extension's classes here: subclassing would make each access slower.
Mapping.register(_rust.DocumentMap)
Sequence.register(_rust.DocumentList)
Sequence.register(_rust.Records)


def located(
    source: Source | Buffer,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> tuple[object, str | None]:
    """Return the object that the extension shall open, and its name in messages.

    Raises:
        TypeError: It is neither data nor a source.
        ValueError: As for `penstock.json.load`.
    """
    if isinstance(source, (bytes, bytearray, memoryview)) and member is None:
        return source, None
    # That refuses any other buffer.
    return _sources.locate("open", source, compression, member, limits)  # type: ignore[arg-type]


def document(
    given: object,
    name: str | None,
    into: object | None,
    at: str | None,
    duplicates: Duplicates,
    unknown: Unknown,
    all_errors: bool,
    types: Types | None,
    encoding: str | None,
    compression: Compression | None,
    limits: Limits | None,
) -> Any:
    """Open the result of `located`, as JSON."""
    opened = _rust.open(_rust.Source(given, name, encoding, compression), duplicates, limits)
    if into is None and at is None:
        return opened
    record = object if into is None else into
    if types is not None:
        record = _plan.with_types(record, types)
    return _rust.document_records(opened, record, at, unknown, all_errors)


def _again(text: bytes, duplicates: Duplicates) -> Document:
    """Unpickle a document."""
    return _rust.open(_rust.Source(text, None, None, None), duplicates, None)


def _records_again(
    document: Document, into: object, at: str | None, unknown: Unknown, all_errors: bool
) -> Records[Any]:
    """Unpickle records."""
    return _rust.document_records(document, into, at, unknown, all_errors)


_again.__module__ = _records_again.__module__ = "penstock._open"  # See `penstock._pickled`.


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
    given, name = located(source, compression, member, limits)
    try:
        if format is None and name is None and isinstance(given, (bytes, bytearray, memoryview)):
            kind = _formats.of_data(given)
        elif format is None:
            kind = _formats.of_source(given, name)
        if kind == "json":
            return document(
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
        from penstock import plist  # noqa: PLC0415 - few programs read property lists

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
        from penstock import csv  # noqa: PLC0415 - few programs read CSV

        return csv.open(
            source,  # type: ignore[arg-type]  # as below
            PLAIN if into is None else into,
            all_errors=all_errors,
            unknown=unknown,
            types=types,
            limits=limits,
        )
    from penstock import ndjson  # noqa: PLC0415 - it imports this module

    return ndjson.open(
        source,  # type: ignore[arg-type]  # `ndjson.open` refuses it if it is no path
        PLAIN if into is None else into,
        all_errors=all_errors,
        duplicates=duplicates,
        unknown=unknown,
        types=types,
        limits=limits,
    )


open.__module__ = "penstock"
