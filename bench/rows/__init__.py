"""The rows of the table, in the order in which they are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rows import (
    archives,
    clock,
    columns,
    convert,
    csv,
    documents,
    encoding,
    encoding_xml,
    formats,
    kinds,
    lines,
    log,
    messages,
    numbers,
    objects,
    packed,
    places,
    plain,
    plans,
    plist,
    remote,
    rows_at,
    starting,
    streams,
    threads,
    values,
    where,
    wide,
    xml,
)

if TYPE_CHECKING:
    from model import Row

ALL: tuple[Row, ...] = (
    *objects.ROWS,
    *kinds.ROWS,
    *plain.ROWS,
    *messages.ROWS,
    *wide.ROWS,
    *numbers.ROWS,
    *streams.ROWS,
    *lines.ROWS,
    *log.ROWS,
    *packed.ROWS,
    *places.ROWS,
    *remote.ROWS,
    *plist.ROWS,
    *archives.ROWS,
    *csv.ROWS,
    *rows_at.ROWS,
    *documents.ROWS,
    *encoding.ROWS,
    *values.ROWS,
    *where.ROWS,
    *xml.ROWS,
    *encoding_xml.ROWS,
    *convert.ROWS,
    *columns.ROWS,
    *threads.ROWS,
    *formats.ROWS,
    *starting.ROWS,
    *plans.ROWS,
    *clock.ROWS,
)


def find(key: str) -> Row:
    """Return the row of this name; KeyError if there is none."""
    return {row.key: row for row in ALL}[key]
