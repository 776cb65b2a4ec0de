"""The result of `convert`, whatever the target is."""

from __future__ import annotations

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Converted:
    """The numbers of a conversion.

    Attributes:
        records: How many records were written. A whole document is one.
        skipped: How many records were in error, and left out.
        bytes_read: The bytes of the source, before they were decompressed: none of Arrow columns,
            unless they are `penstock.Columns`.
        bytes_written: The bytes of the target, after they were compressed.
        repair_counts: How many repairs there were of each kind that occurred, with `repair=`.

    Example:
        >>> import io, penstock
        >>> target = io.BytesIO()
        >>> penstock.convert(io.BytesIO(b"[1, 2]"), target, format="json", to="ndjson")
        Converted(records=2, skipped=0, bytes_read=6, bytes_written=4)
    """

    __module__ = "penstock"
    __slots__ = ("bytes_read", "bytes_written", "records", "repair_counts", "skipped")

    records: int
    skipped: int
    bytes_read: int
    bytes_written: int
    repair_counts: dict[str, int]

    def __init__(
        self,
        records: int,
        skipped: int,
        bytes_read: int,
        bytes_written: int,
        repair_counts: dict[str, int],
    ) -> None:
        """Store the numbers."""
        self.records = records
        self.skipped = skipped
        self.bytes_read = bytes_read
        self.bytes_written = bytes_written
        self.repair_counts = repair_counts

    def __repr__(self) -> str:
        return (
            f"Converted(records={self.records}, skipped={self.skipped}, "
            f"bytes_read={self.bytes_read}, bytes_written={self.bytes_written})"
        )


def of(done: _rust.Converted) -> Converted:
    """Return the numbers of a conversion that the extension has run."""
    return Converted(
        done.records, done.skipped, done.bytes_read, done.bytes_written, done.repair_counts
    )


def of_reader(reader: _rust.Reader[Any], records: int, bytes_written: int) -> Converted:
    """Return the numbers of a conversion of what a reader has read."""
    size = reader.progress.bytes_read
    return Converted(records, reader.skipped, size, bytes_written, reader.repair_counts)


def of_columns(source: object, records: int, bytes_written: int) -> Converted:
    """Return the numbers of a conversion of columns, whose source is not always known."""
    if isinstance(source, _rust.Columns):
        return of_reader(source.reader, records, bytes_written)
    return Converted(records, 0, 0, bytes_written, {})
