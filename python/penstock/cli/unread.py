"""A type for records that nobody looks at: what they hold is checked, and skipped."""

from __future__ import annotations

from collections import namedtuple

from penstock._rust import Plan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._types import Format

_Unread: Any = namedtuple("_Unread", ())  # noqa: PYI024 - there is no field to be typed


def unread(format: Format) -> Any:
    """Return the type: any element of XML, or any JSON value, fits it."""
    if format == "xml":
        return _Unread
    from decimal import Decimal  # noqa: PLC0415 - not for XML

    # Numbers outside of objects are read, because there is no type for any other way to take them.
    value = _Unread | bool | int | Decimal | str | list["Value"] | None  # type: ignore[name-defined]  # noqa: F821 - see the namespace
    return Plan(value, namespace={"Value": value})
