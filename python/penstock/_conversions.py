"""Values of the standard library's types, from the text or number that a document has.

The extension imports this when it first meets such a type. Each function takes what the document
has and returns the value, exactly; a `ValueError` says why there is none.
"""

from __future__ import annotations

import cmath
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence
    from enum import Enum, Flag
    from fractions import Fraction
    from zoneinfo import ZoneInfo

_FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_PART = r"(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
_COMPLEX = re.compile(rf"\(?(?:[+-]?{_PART}|[+-]?{_PART}[+-]{_PART}j|[+-]?{_PART}j)\)?")


def zone(key: str) -> ZoneInfo:
    """Return the time zone of that name, as it is known to the system."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - it was imported by whoever asks for it

    try:
        return ZoneInfo(key)
    except (LookupError, OSError, ValueError) as error:
        raise ValueError("no such time zone is known") from error


def pattern(text: str) -> re.Pattern[str]:
    """Return the regular expression that the text is."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise ValueError(str(error)) from error


def fraction(text: str) -> Fraction:
    """Return the fraction that `str` prints so: an integer, or two with a slash between them."""
    from fractions import Fraction  # noqa: PLC0415 - as above

    found = _FRACTION.fullmatch(text)
    if found is None:
        raise ValueError("it is no fraction, as in 3/4")
    over, under = found.groups(default="1")
    try:
        return Fraction(int(over), int(under))
    except ZeroDivisionError as error:
        raise ValueError("its denominator is 0") from error


def number(text: str) -> complex:
    """Return the complex number that `str` prints so."""
    enclosed = (text[:1] == "(", text[-1:] == ")")
    if _COMPLEX.fullmatch(text) is None or enclosed not in {(True, True), (False, False)}:
        raise ValueError("it is no complex number, as in (1+2j)")
    value = complex(text)
    if not cmath.isfinite(value):
        raise ValueError("it is beyond the range of a double")
    return value


def member(cls: type[Enum], value: object) -> Enum:
    """Return the member of an `Enum` that has a value."""
    try:
        return cls(value)
    except ValueError as error:
        raise ValueError("no member has that value") from error


def flags(cls: type[Flag], value: int) -> Flag:
    """Return the flags that an integer stands for, if it stands for nothing else."""
    try:
        found = cls(value)
    except ValueError as error:
        raise ValueError("some of its bits are no flags") from error
    if not isinstance(found, cls) or found.value != value:
        raise ValueError("some of its bits are no flags")
    return found


def numbers(code: str, values: Sequence[Any] = ()) -> array[Any]:
    """Return an array of numbers that are what they were."""
    from array import array  # noqa: PLC0415 - as above

    try:
        made = array(code, values)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"a number is beyond the range of its typecode '{code}'") from error
    if code == "f":
        for now, then in zip(made, values, strict=True):
            if now != then and then == then:  # noqa: PLR0124 - not a number is never itself
                raise ValueError(f"{then} would be rounded in an array of typecode 'f'")
    return made
