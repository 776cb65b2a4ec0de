"""What the `open` functions of the formats share, and that of all formats."""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Duplicates, Source, Types, Unknown
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
