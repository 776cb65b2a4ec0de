"""Turns the constraints of several libraries into one form.

The extension imports this when it first meets such a constraint. A constraint becomes a kind, its
argument, and its text in messages behind the name of the type: `("gt", 0, "> 0")`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock._annotations.marks import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime, time, tzinfo

    Said = tuple[str, Any, str]

# The attributes that are constraints, in this order.
_BOUNDS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_CHANGES = {"strip_whitespace": str.strip, "to_upper": str.upper, "to_lower": str.lower}
# Attributes that do not constrain values, or hold for all values anyway.
_REMARKS = frozenset({"strict", "regex_engine"})
# The annotations of pydantic that constrain values by their attributes.
_BY_ATTRIBUTES = frozenset({"StringConstraints", "AllowInfNan", "PydanticGeneralMetadata"})
# Those that say nothing of decoding, or that a value is strict, as it is here.
_NO_CONSTRAINTS = frozenset(
    {
        "Examples",
        "FailFast",
        "PlainSerializer",
        "SerializeAsAny",
        "SkipJsonSchema",
        "Strict",
        "WithJsonSchema",
        "WrapSerializer",
    }
)


def said(word: object) -> list[Said]:
    """Return the constraints that an annotation asks for.

    Raises:
        TypeError: It asks for something that is not known here.
    """
    return list(_said(word))


def _said(word: object) -> Iterator[Said]:
    package = _package(word)
    # It may be a class itself: `Annotated[int, SkipValidation]`.
    shown = (word if isinstance(word, type) else type(word)).__name__
    name = shown.lstrip("_")
    if isinstance(word, pattern):
        yield _matching(word.regex)
    elif package == "annotated_types":
        yield from _of_annotated_types(word)
    elif package == "msgspec" and name == "Meta":
        yield from _of_attributes(word, ("tz",))
    elif package == "pydantic" and any(c.__name__ == "FieldInfo" for c in type(word).__mro__):
        yield from _of_field(word)
    elif package == "pydantic" and name in _BY_ATTRIBUTES:
        yield from _of_attributes(word, ())
    elif package != "pydantic" or name not in _NO_CONSTRAINTS:
        if package == "msgspec":
            raise TypeError(f"msgspec's {shown} is not known, so it cannot be checked")
        raise TypeError(
            f"{shown} is for pydantic, and only works in a class of pydantic; here use via(...)"
        )


def _package(word: object) -> str:
    """Return the library that defines an annotation's class or one of its bases."""
    for cls in (word if isinstance(word, type) else type(word)).__mro__:
        package: str = cls.__module__.partition(".")[0]
        if package in {"annotated_types", "msgspec", "pydantic"}:
            return package
    return ""


def _of_field(word: Any) -> Iterator[Said]:
    """Read a `Field(...)` of pydantic's that stands beside a type."""
    for name in ("validation_alias", "alias"):
        alias = getattr(word, name, None)
        if alias is not None:
            there = f"at({alias!r})" if isinstance(alias, str) else "at(...)"
            raise TypeError(f"Field({name}=) only works in a class of pydantic; here use {there}")
    if not word.is_required():
        raise TypeError(
            "Field(default=) only works in a class of pydantic; here the class itself says it"
        )
    if word.discriminator is not None and not isinstance(word.discriminator, str):
        raise TypeError(
            "Field(discriminator=) with a function only works in a class of pydantic; here use "
            "tag(...)"
        )
    for part in word.metadata:
        yield from _said(part)


def _of_annotated_types(word: Any) -> Iterator[Said]:
    import annotated_types  # noqa: PLC0415 - the word is of it, so it is there

    one = {
        annotated_types.Gt: ("gt",),
        annotated_types.Ge: ("ge",),
        annotated_types.Lt: ("lt",),
        annotated_types.Le: ("le",),
        annotated_types.MultipleOf: ("multiple_of",),
        annotated_types.MinLen: ("min_length",),
        annotated_types.MaxLen: ("max_length",),
    }.get(type(word))
    if one is not None:
        yield from _of_attributes(word, one)
    elif isinstance(word, annotated_types.Predicate):
        yield _holding(word.func)
    elif isinstance(word, annotated_types.Timezone):
        yield _in_zone(word.tz)
    elif isinstance(word, annotated_types.GroupedMetadata):
        for part in word:
            yield from _said(part)
    elif type(word).__name__ not in {"Unit", "DocInfo"}:
        raise TypeError(f"{word!r} is not known, so it cannot be checked")


def _of_attributes(word: Any, known: tuple[str, ...]) -> Iterator[Said]:
    """Read the constraints in an object's attributes, as those of `msgspec.Meta` and pydantic."""
    for name, change in _CHANGES.items():
        if getattr(word, name, None):
            yield "call", change, ""
    for name, sign in _BOUNDS.items():
        bound = getattr(word, name, None)
        if bound is not None:
            yield name, bound, f"{sign} {bound}"
    multiple = getattr(word, "multiple_of", None)
    if multiple is not None:
        if not multiple:
            raise TypeError(f"{word!r}: nothing is a multiple of 0")
        yield "multiple_of", multiple, f"that is a multiple of {multiple}"
    for name in ("min_length", "max_length"):
        length = getattr(word, name, None)
        if length is not None:
            yield name, length, ""
    regex = getattr(word, "pattern", None)
    if regex is not None:
        yield _matching(regex if isinstance(regex, str) else regex.pattern, regex)
    if "tz" in known and word.tz is not None:
        yield _in_zone(... if word.tz else None)
    if getattr(word, "allow_inf_nan", None) is False:
        from math import isfinite  # noqa: PLC0415 - only if it is used

        yield "holds", isfinite, "that is finite"
    asked = {name for name, value in getattr(word, "__dict__", {}).items() if value is not None}
    names = {*_CHANGES, *_BOUNDS, "multiple_of", "min_length", "max_length", "pattern"}
    unknown = asked - names - _REMARKS - {"allow_inf_nan"}
    if unknown and _package(word) == "pydantic":
        raise TypeError(f"{word!r} is not known, so it cannot be checked")


def _matching(text: str, regex: Any = None) -> Said:
    return "pattern", re.compile(text if regex is None else regex).search, f'matching "{text}"'


def _holding(function: Callable[[Any], object]) -> Said:
    """Take a predicate, or the predicate inside a `Not`."""
    denied = type(function).__name__ == "Not" and _package(function) == "annotated_types"
    named = function.func if denied else function  # type: ignore[attr-defined]
    name = getattr(named, "__qualname__", None) or repr(named)
    return "holds", function, f"for which {name} {'does not hold' if denied else 'holds'}"


def _in_zone(zone: Any) -> Said:
    if zone is None:
        return "timezone", _is_naive, "without a time zone"
    if zone is ...:
        return "timezone", _is_aware, "with a time zone"
    if isinstance(zone, str):
        from zoneinfo import ZoneInfo  # noqa: PLC0415 - only if it is used

        try:
            zone = ZoneInfo(zone)
        except (LookupError, OSError, ValueError) as error:
            raise TypeError(f"Timezone({zone!r}): no such time zone is known") from error
    return "timezone", InZone(zone), f"in {zone}"


def _is_naive(value: datetime | time) -> bool:
    return value.tzinfo is None


def _is_aware(value: datetime | time) -> bool:
    return value.tzinfo is not None


class InZone:
    """Whether a `datetime` has the offset that a time zone has at that moment."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone

    def __call__(self, value: Any) -> bool:
        """Return whether it does. A `time` does if the zone has this offset at all times."""
        if value.tzinfo is None:
            return False
        if not hasattr(value, "astimezone"):
            return bool(value.utcoffset() == self.zone.utcoffset(None))
        return bool(value.astimezone(self.zone).utcoffset() == value.utcoffset())


class Multiple:
    """Whether a number is a multiple of another; floats are compared by their digits."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.exact = _exact(of)

    def __call__(self, value: Any) -> bool:
        """Return whether it is."""
        return not _exact(value) % self.exact


# Numbers with more digits than that, before or after the point, are not written out and divided.
_MOST_DIGITS = 10_000


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Fraction(repr(value))
    if isinstance(value, Decimal):
        if max(abs(value.adjusted()), len(value.as_tuple().digits)) > _MOST_DIGITS:
            raise ValueError(f"a number of more than {_MOST_DIGITS} digits cannot be divided")
        return Fraction(value)
    return value
