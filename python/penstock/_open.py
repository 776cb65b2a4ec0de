"""`open`: a document to look into, of which nothing is made before it is asked for."""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

from penstock import _format, _plan, _rust, _sources
from penstock._types import T

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, overload

    from typing_extensions import Buffer, TypeForm

    from penstock._limits import Limits
    from penstock._rust import Document, Records
    from penstock._types import Compression, Duplicates, Format, Source, Types, Unknown


# What the extension's classes are is said here: to subclass would cost each access.
Mapping.register(_rust.DocumentMap)
Sequence.register(_rust.DocumentList)
Sequence.register(_rust.Records)


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
    ) -> Document: ...
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
    ) -> Records[T]: ...


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
) -> Document | Records[Any]:
    """Open a document to look into it, at random.

    The text is read into memory and checked once, and each value becomes a word of eight bytes: no
    Python object is made. `doc["items"][3]["name"]` then makes what it returns, and nothing else.
    `bytes` are not copied.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`; or the
            document itself as `bytes`, or another buffer, which is copied. The file is closed when
            this returns, and may change then.
        into: The type of a record. Left out, and without `at`, the document itself is returned.
        format: `"json"`, or `"ndjson"`; as for `load`. XML cannot be opened: `read` it.
        at: Where the records are, as for `read`. Without it, they are the elements of a top-level
            array; any other document is one record.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`. Here all
            keys are compared.
        unknown: What becomes of keys that a class does not name; see `penstock.json.decode`.
        all_errors: Whether an error of a record tells of all that does not fit.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        The `Document`: an object is a `Mapping`, an array a `Sequence`. With `into` or `at` the
        `Records`, a `Sequence` of which each is made when it is first asked for.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of these.
        ValueError: The format is not known, or cannot be opened; or `at` is not a path.
        DecodeError: The document is malformed, cut short or exceeds a limit, as for `load`. What
            does not fit `into` is told when it is asked for.
        PlanError: `into` cannot be decoded into.

    Example:
        >>> import penstock
        >>> doc = penstock.open(b'{"items": [{"name": "Vila"}, {"name": "Soldeu"}]}')
        >>> doc["items"][1]["name"]
        'Soldeu'
        >>> penstock.open(b"[[1, 2], [3, 4]]", tuple[int, int])[1]
        (3, 4)
    """
    given, name = located(source, compression, member, limits)
    try:
        if format is not None:
            kind = _format.checked(format)
        elif name is None and isinstance(given, (bytes, bytearray, memoryview)):
            kind = _format.of_data(given)
        else:
            kind = _format.of_source(given, name)
        if kind != "json":
            raise ValueError(f"{kind} cannot be opened to look into it: read() or load() it")
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
        del given  # An archive that was opened here is closed by dropping it.


def located(
    source: Source | Buffer,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> tuple[object, str | None]:
    """Return what the extension is to open, and its name in messages.

    Raises:
        TypeError: It is neither data nor a source.
        ValueError: As for `penstock.json.load`.
    """
    if isinstance(source, (bytes, bytearray, memoryview)) and member is None:
        return source, None
    # Any other buffer is refused there.
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
    """Open what `located` returned, as JSON."""
    opened = _rust.open(given, duplicates, encoding, compression, limits, name)
    if into is None and at is None:
        return opened
    record = object if into is None else into
    if types is not None:
        record = _plan.with_types(record, types)
    return _rust.document_records(opened, record, at, unknown, all_errors)


def _again(text: bytes, duplicates: Duplicates) -> Document:
    """Make a document again that was pickled."""
    return _rust.open(text, duplicates, None, None, None, None)


def _records_again(
    document: Document, into: object, at: str | None, unknown: Unknown, all_errors: bool
) -> Records[Any]:
    """Make records again that were pickled."""
    return _rust.document_records(document, into, at, unknown, all_errors)
