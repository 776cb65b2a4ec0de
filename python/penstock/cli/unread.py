"""A type for records whose contents are only validated and skipped."""

from __future__ import annotations

from collections import deque, namedtuple

from penstock._rust import Plan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._rust import Reader
    from penstock._types import Format

_Unread: Any = namedtuple("_Unread", ())  # noqa: PYI024 - it has no field to annotate

_OBJECTS = frozenset({"xml", "csv", "plist"})


def pass_over(reader: Reader[Any], format: Format) -> None:
    """Read all records of a reader into the type, and keep none."""
    # Where no record needs a type of its own, columns without a column cost less than objects.
    deque(reader.columns() if format in _OBJECTS else reader, maxlen=0)


def unread(format: Format) -> Any:
    """Return the type: any element of XML, any row of CSV, or any JSON value, fits it."""
    if format in _OBJECTS:
        return _Unread
    from decimal import Decimal  # noqa: PLC0415 - not for XML and CSV

    # Numbers outside of objects are decoded, because no type would skip them.
    value = _Unread | bool | int | Decimal | str | list["Value"] | None  # type: ignore[name-defined]  # noqa: F821 - see the namespace
    return Plan(value, namespace={"Value": value})
