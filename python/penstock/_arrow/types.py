"""Annotations for the types of Arrow columns."""

from __future__ import annotations

from penstock._annotations.marks import Mark

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from penstock._rust import Schema

# The most digits of Arrow's widest decimal numbers.
_MOST_DIGITS = 76


class column(Mark):  # noqa: N801 - an annotation, like `at`
    """The Arrow type of a field's column. `penstock.int8` and its like are such.

    Attributes:
        name: The name of the type.
        arguments: What more it says.
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, name: str, /, *arguments: Any) -> None:
        """Store the name and the arguments."""
        object.__setattr__(self, "_said", (name, *arguments))

    @property
    def name(self) -> str:
        """The name of the type."""
        name: str = self._said[0]
        return name

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What more it says."""
        arguments: tuple[Any, ...] = self._said[1:]
        return arguments

    def __repr__(self) -> str:
        """Return the expression that means it."""
        if not self.arguments:
            return f"penstock.{self.name}"
        return f"penstock.{self.name}({', '.join(map(repr, self._shown()))})"

    def _shown(self) -> tuple[Any, ...]:
        if self.name == "timestamp":
            unit, utc = self.arguments
            return unit, "UTC" if utc else None
        return self.arguments

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return column, self._said


int8 = column("int8")
int16 = column("int16")
int32 = column("int32")
int64 = column("int64")
uint8 = column("uint8")
uint16 = column("uint16")
uint32 = column("uint32")
uint64 = column("uint64")
float32 = column("float32")
dictionary = column("dictionary")


def decimal(precision: int, scale: int = 0, /) -> Any:
    r"""Say how many digits the numbers of a `Decimal` column have.

    A number with more digits is an error with its place: nothing is rounded.

    Args:
        precision: All digits, 1 to 76. From 39 on, the column is a decimal256, else a decimal128.
        scale: How many of them are behind the point.

    Raises:
        TypeError: One of them is not an int.
        ValueError: One of them is out of range.

    Example:
        >>> import io, penstock
        >>> from dataclasses import dataclass
        >>> from decimal import Decimal
        >>> from typing import Annotated
        >>> @dataclass
        ... class Item:
        ...     price: Annotated[Decimal, penstock.decimal(9, 2)]
        >>> penstock.csv.read(io.BytesIO(b"price\n9.50\n"), Item).columns()
        Columns(price: Decimal128(9, 2))
    """
    for value in (precision, scale):
        if type(value) is not int:
            raise TypeError(f"decimal() takes two ints, not {type(value).__name__}")
    if not 1 <= precision <= _MOST_DIGITS:
        raise ValueError(f"precision must be 1 to {_MOST_DIGITS}, not {precision}")
    if not 0 <= scale <= precision:
        raise ValueError(f"scale must be 0 to {precision}, the precision, not {scale}")
    return column("decimal", precision, scale)


def timestamp(
    unit: Literal["s", "ms", "us", "ns"] = "us", zone: Literal["UTC"] | None = "UTC", /
) -> Any:
    r"""Choose the unit of a `datetime` column, and whether it holds instants.

    With `"UTC"`, as without this annotation, each value must have an offset from UTC. With `None`,
    it must have none. A value that is finer than the unit is an error with its place.

    Raises:
        ValueError: There is no such unit, or the zone is another one.

    Example:
        >>> import io, penstock
        >>> from dataclasses import dataclass
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> @dataclass
        ... class Visit:
        ...     at: Annotated[datetime, penstock.timestamp("s", None)]
        >>> rows = io.BytesIO(b"at\n2026-01-02T03:04:05\n")
        >>> penstock.csv.read(rows, Visit).columns()
        Columns(at: Timestamp(s))
    """
    if unit not in {"s", "ms", "us", "ns"}:
        raise ValueError(f"unit must be 's', 'ms', 'us' or 'ns', not {unit!r}")
    if zone not in {"UTC", None}:
        raise ValueError(f"zone must be 'UTC' or None, not {zone!r}")
    return column("timestamp", unit, zone is not None)


def restored(parts: list[str], seen: list[tuple[Any, ...]], skipped: int = 0) -> Schema:
    """Return the schema of which `pickle` has kept what was found."""
    import penstock._rust as _rust  # noqa: PLC0415 - most programs restore none

    return _rust.schema_of_seen(parts, seen, skipped)


restored.__module__ = "penstock._columns"  # As pickles name it: see `penstock._pickled`.


for _public in (decimal, timestamp):
    _public.__module__ = "penstock"
