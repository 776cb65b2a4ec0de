"""What `open` of the package and of its formats stands on."""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

from penstock import _plan, _rust, _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer

    from penstock._limits import Limits
    from penstock._rust import Document, Records
    from penstock._types import Compression, Duplicates, Source, Types, Unknown


# What the extension's classes are is said here: to subclass would cost each access.
Mapping.register(_rust.DocumentMap)
Sequence.register(_rust.DocumentList)
Sequence.register(_rust.Records)


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
