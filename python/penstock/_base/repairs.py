"""The repairs of a document, for readers of XML and CSV with `repair=`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from penstock._base.types import RepairKind


class Repair:
    """One repair, made where a document does not follow the grammar.

    An instance cannot be changed, compares and hashes by value, and can be pickled.

    Attributes:
        kind: The fault: one of the names of `repair=` in `penstock.xml.decode` or
            `penstock.csv.decode`.
        offset: The position in bytes of the decompressed source.
        line: The line, from 1.
        column: The column, from 1, in code points.
        source: The file's name, as you passed it, or None if the source has none.

    Example:
        >>> import io, penstock
        >>> file = io.BytesIO(b"<shops><shop>Marks & Spencer</shop></shops>")
        >>> with penstock.xml.read(file, str, repair="bare_ampersand") as reader:
        ...     list(reader), reader.repairs
        (['Marks & Spencer'], [Repair(kind='bare_ampersand', offset=19, line=1, column=20)])
    """

    __module__ = "penstock"
    __slots__ = ("column", "kind", "line", "offset", "source")

    kind: RepairKind
    offset: int
    line: int
    column: int
    source: str | None

    def __init__(
        self, kind: RepairKind, offset: int, line: int, column: int, source: str | None = None
    ) -> None:
        """Store what was repaired, and where."""
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "offset", offset)
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "source", source)

    def _values(self) -> tuple[RepairKind, int, int, int, str | None]:
        """The attributes, in the order of the signature."""
        return self.kind, self.offset, self.line, self.column, self.source

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because it is a report."""
        raise AttributeError(f"a Repair cannot be changed (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"a Repair cannot be changed (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        kind, offset, line, column, source = self._values()
        shown = f"Repair(kind={kind!r}, offset={offset}, line={line}, column={column}"
        return f"{shown})" if source is None else f"{shown}, source={source!r})"

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self._values() == other._values() if isinstance(other, Repair) else NotImplemented

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(self._values())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return Repair, self._values()


class RepairWarning(UserWarning):
    """Penstock repaired a whole document, as `repair=` allows.

    One warning per document says how many repairs of which kind there were, and where the first
    one is. A `Reader` or `Decoder` does not warn; it has the repairs in `repairs`.
    """

    __module__ = "penstock"
