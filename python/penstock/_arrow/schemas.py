"""The type of records that an Arrow schema means."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, NotRequired, TypedDict
from uuid import UUID

from penstock._annotations.at import at
from penstock._arrow import types as _columns

# A name, a kind, what more is known of that, whether null is a value, and the fields inside.
_Field = tuple[str, str, tuple[Any, ...], bool, "list[_Field]"]

_SCALARS: dict[str, Any] = {
    "null": None,
    "bool": bool,
    "int8": Annotated[int, _columns.int8],
    "int16": Annotated[int, _columns.int16],
    "int32": Annotated[int, _columns.int32],
    "int64": int,
    "uint8": Annotated[int, _columns.uint8],
    "uint16": Annotated[int, _columns.uint16],
    "uint32": Annotated[int, _columns.uint32],
    "uint64": Annotated[int, _columns.uint64],
    "float32": Annotated[float, _columns.float32],
    "float64": float,
    "str": str,
    "json": Any,
    # The values of several types, of which `unions="text"` makes text.
    "scalars": bool | int | float | str,
    # The key by which a record was found: the name of an element may be one, too.
    "key": Annotated[str, at("key()")],
    "bytes": bytes,
    "uuid": UUID,
    "date": date,
    "time": time,
    "duration": timedelta,
    "dictionary": Annotated[str, _columns.dictionary],
}


def record(fields: list[_Field], has_elements: bool, name: str = "Record") -> Any:
    """Return a `TypedDict` with the fields as keys.

    Where a format has elements, a name with `@` is that of an attribute, and `#text` means the
    text of the element. A field that may be null may also be absent.
    """
    names = {field[0] for field in fields}
    return TypedDict(  # type: ignore[operator]  # its keys are known at run time only
        name,
        {
            field[0]: _member(
                field, has_elements, name, _path(field[0], names) if has_elements else None
            )
            for field in fields
        },
    )


def _member(field: _Field, has_elements: bool, around: str, path: str | None) -> Any:
    of = _type(field, has_elements, around)
    if path is not None:
        of = Annotated[of, at(path)]
    return NotRequired[of] if field[3] else of


def _path(name: str, names: set[str]) -> str | None:
    """Return the path of a field of an element, if its name does not say it."""
    if name == "#text":
        return "text()"
    if name.startswith(("@", "{")) or ":" in name or f"@{name}" in names:
        return name
    return None


def _type(field: _Field, has_elements: bool, around: str) -> Any:
    name, kind, arguments, is_nullable, inside = field
    of: Any
    if kind == "struct":
        of = record(inside, has_elements, f"{around}.{name}")
    elif kind == "list":
        of = list[_type(inside[0], has_elements, f"{around}.{name}")]  # type: ignore[misc]
    elif kind == "array":
        item = _type(inside[0], has_elements, f"{around}.{name}")
        of = tuple[(item,) * arguments[0]]  # type: ignore[misc]
    elif kind == "map":
        key, value = (_type(field, has_elements, f"{around}.{name}") for field in inside)
        of = dict[key, value]  # type: ignore[valid-type]
    elif kind == "decimal":
        of = Annotated[Decimal, _columns.decimal(*arguments)]
    elif kind == "timestamp":
        unit, is_utc = arguments
        of = Annotated[datetime, _columns.timestamp(unit, "UTC" if is_utc else None)]
    else:
        of = _SCALARS[kind]
    # Any takes null, and has no union.
    return of | None if is_nullable and of is not None and of is not Any else of
