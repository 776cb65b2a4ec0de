"""`Place`: where an item comes from."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where an item comes from.

    A pipeline gives it to its stages and with an error, and `Reader.place` is that of the last
    record. An attribute is None if it is not known. As text it is short:
    `record 17 of cities.json, line 17`.

    Attributes:
        source: The file's name, as you passed it.
        record: The number of the record or item, from 1.
        line: The line in which the record ends, from 1.
        offset: The offset of the byte behind the record, in the decompressed source.

    Example:
        >>> from penstock.streams import Place
        >>> str(Place("cities.json", 1_234, 17, 40_960))
        'record 1234 of cities.json, line 17'
    """

    source: str | None = None
    record: int | None = None
    line: int | None = None
    offset: int | None = None

    def __str__(self) -> str:
        what = "the document" if self.record is None else f"record {self.record}"
        of = "" if self.source is None else f" of {self.source}"
        line = "" if self.line is None else f", line {self.line}"
        return f"{what}{of}{line}"


Place.__module__ = "penstock.streams"
