"""Objects from Python values, and plain values from objects."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import suggest as _suggest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from typing_extensions import TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import Omit, T


@_suggest.advised
def make(
    value: object,
    into: TypeForm[T],
    /,
    *,
    from_attributes: bool = False,
    all_errors: bool = False,
    unknown: Literal["skip", "error"] = "skip",
    limits: Limits | None = None,
) -> T:
    """Make an object of a type from values that another library has parsed.

    Such values are dicts, lists and scalars, rows of a database, or other objects. They are read
    as a JSON document with the same values would be: by the same plan, with the same rules and the
    same errors, which name the path of the value instead of its line.

    A value that is of the type already is taken as it is: a `datetime` for a `datetime`, an object
    of the class for a class. What is declared as `Any` is not looked at. Lists and dicts are made
    anew.

    Args:
        value: A dict or any other mapping; a list, a tuple, a set or any other iterable; a named
            tuple, a `sqlite3.Row` or a row of SQLAlchemy, which are read by their names where a
            class is asked for, and by their order where a list is; a scalar.
        into: The type, or a `Plan` of it. `Plan(Settings, strict=False)` converts text, as form
            data and the environment have it.
        from_attributes: Whether any other object will do for a class, if it has attributes of the
            names of the fields, or of their keys. It then also does inside of `value`.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
            Attributes that a class does not name are never an error.
        limits: The limits to enforce instead of the default ones; here `depth` and `memory` count.

    Returns:
        A value of the type `into`.

    Raises:
        ValidationError: The value is none of the type.
        LimitExceeded: The value is nested too deeply, or contains itself.
        PlanError: Penstock cannot make values of the type.

    Example:
        >>> from dataclasses import dataclass
        >>> from datetime import date
        >>> import penstock
        >>> @dataclass
        ... class Release:
        ...     version: str
        ...     day: date
        >>> penstock.make({"version": "1.2", "day": "2026-03-01"}, Release)
        Release(version='1.2', day=datetime.date(2026, 3, 1))
        >>> penstock.make([("1.3", date(2026, 4, 1))], list[tuple[str, date]])
        [('1.3', datetime.date(2026, 4, 1))]
    """
    return _rust.make(value, into, unknown, all_errors, from_attributes, limits)


@_suggest.advised
def plain(
    value: object,
    into: TypeForm[Any] | None = None,
    /,
    *,
    omit: Omit | None = None,
    limits: Limits | None = None,
) -> Any:
    """Make dicts, lists and scalars of an object, for libraries that know no classes.

    They are what `penstock.json.encode` would write, so `make` makes the object of them again.
    What JSON writes as text is text: dates, times, UUIDs, bytes, and the keys of dicts. A
    `Decimal` stays one, so that no digit is lost, and so do numbers that JSON does not have, such
    as infinities.

    Args:
        value: The object. It is not changed, and shares no list or dict with the result.
        into: The type to write it as, or a `Plan` of it. By default its own class. A type is
            needed where the class of the object does not say all, such as its tag in a union.
        omit: Which fields are left out; see `penstock.json.encode`.
        limits: The limits to enforce instead of the default ones; here `depth` counts.

    Returns:
        A dict, a list or a scalar.

    Raises:
        EncodeError: A value has no form in JSON. `path` says where it is.
        PlanError: Penstock cannot write values of the type.

    Example:
        >>> from dataclasses import dataclass
        >>> from datetime import date
        >>> import penstock
        >>> @dataclass
        ... class Release:
        ...     version: str
        ...     day: date
        >>> penstock.plain(Release("1.2", date(2026, 3, 1)))
        {'version': '1.2', 'day': '2026-03-01'}
    """
    return _rust.plain(value, into, omit, limits)


make.__module__ = "penstock"
plain.__module__ = "penstock"
