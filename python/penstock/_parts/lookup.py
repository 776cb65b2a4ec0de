"""`Lookup`: the rows of a file by the text of one column."""

from __future__ import annotations

from array import array
from types import GenericAlias

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Generic

    import penstock._rust as _rust
    from penstock._base.types import T
    from penstock._parts.rows import Rows

    class _Lookup(Generic[T]):
        """A class that may be written with the type of a row: `Lookup[City]`."""
else:

    class _Lookup:
        """As for a checker."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)


class Lookup(_Lookup["T"]):
    r"""The rows of a file by the text of one column. `Rows.index` creates it.

    It keeps no text and no row: 8 bytes for each row, with as many bits of a hash of the text as
    fit. When you ask for a text, Penstock compares the cells of the rows with that hash. So a
    result is exact, and asking costs a read for each row that it has.

    The text is that of the cell, without quotes and escapes, whatever the type of its field. An
    empty cell has the text `""`. Rows that are malformed are left out.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("cities.csv")
        >>> _ = path.write_text("name,country\nBern,CH\nLyon,FR\nChur,CH\n")
        >>> with penstock.csv.open(path) as rows:
        ...     by_country = rows.index(by="country")
        ...     by_country, by_country["CH"], by_country["CH"][1]["name"]
        (<Lookup by 'country': 3 rows>, <Rows of 'cities.csv': 2 records>, 'Chur')
    """

    __slots__ = ("_by", "_lookup", "_rows", "_step")
    __module__ = "penstock"
    # The texts are not kept.
    __iter__ = None

    def __init__(self, lookup: _rust.Lookup, rows: Rows[Any], by: str, step: int) -> None:
        """Take what was found in `rows`."""
        self._lookup, self._rows, self._by, self._step = lookup, rows, by, step

    def __len__(self) -> int:
        """Return how many rows can be found."""
        return len(self._lookup)

    def __getitem__(self, text: str, /) -> Rows[T]:
        """Return all rows whose cell has this text, in their order.

        Raises:
            KeyError: There is none.
            TypeError: `text` is not a str.
            DecodeError: The file has changed, or cannot be read.
            ValueError: The file is closed.
        """
        rows = self.get(text)
        if not rows:
            raise KeyError(text)
        return rows

    def get(self, text: str, /) -> Rows[T]:
        """Return the rows as `lookup[text]` does; none, if there is none. Raises the others."""
        places = array("Q", self._lookup.rows(text))
        if self._step < 0:
            places.reverse()
        return self._rows._at(places)  # noqa: SLF001 - it is of this package

    def __contains__(self, text: object) -> bool:
        """Return whether a row has this text; raises as `get` does."""
        return isinstance(text, str) and self._lookup.has(text)

    def __repr__(self) -> str:
        """Return the column and the number of rows."""
        return f"<Lookup by {self._by!r}: {len(self):,} rows>"


def look_up(rows: Rows[Any], file: _rust.RowFile, places: Sequence[int], by: str) -> Lookup[Any]:
    """Read the column of the rows at some places."""
    if not isinstance(by, str):
        raise TypeError(f"by must be the name of a column, not {type(by).__name__}")
    if not isinstance(places, range):
        raise TypeError("index(by=) reads a whole file or a slice of it, not the rows of a Lookup")
    step = places.step
    if step < 0:
        places = places[::-1]
    return Lookup(file.look_up(by, places.start, places.stop, places.step), rows, by, step)
