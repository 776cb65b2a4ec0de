"""Predicates of queries as conditions on records, for `penstock.polars` and `penstock.duckdb`.

An engine evaluates its predicate in any case, so a condition may be true of more records, and never
of fewer. It is made of comparisons of a column with a value of the column's own type, if that is
one of those whose values are equal and ordered alike in all three: integers, booleans, dates, and
text by its code points. Fractions are left to the engine, for which NaN may equal itself.
"""

from __future__ import annotations

import operator
from datetime import date

from penstock._base import conditions as _conditions

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeAlias

    from penstock._base.conditions import Condition

    # The name of a column, a test and its value; or "and" or "or" with what it joins. None stands
    # for anything else.
    Predicate: TypeAlias = "tuple[str, str, object] | tuple[str, list[Predicate]] | None"

TYPES = (int, bool, date, str)
"""The types of values that are compared."""

_COMPARED: dict[str, Callable[[Any, Any], Condition]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "startswith": lambda column, text: column.startswith(text),
    "endswith": lambda column, text: column.endswith(text),
    "contains": lambda column, text: column.contains(text),
}
FLIPPED = {"==": "==", "!=": "!=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}
"""The tests if the value is on the left."""


def comparing(test: str) -> Callable[[Any, Any], Any]:
    """Return the function of Python for a test."""
    return _COMPARED[test]


def condition(predicate: Predicate, types: Mapping[str, type]) -> Condition | None:
    """Return a condition that is true wherever a predicate is, or None.

    Of a key that an object repeats, the last value counts in a column, and each of them here.

    Args:
        predicate: The predicate.
        types: The types of the columns that may be compared, which are of `TYPES`.
    """
    if predicate is None:
        return None
    if len(predicate) == 2:
        word, parts = predicate
        found = [condition(part, types) for part in parts]
        if word == "or":
            return None if None in found else _joined(operator.or_, found)
        return _joined(operator.and_, found)
    name, test, value = predicate
    # Any other text may be a path.
    if not name.isidentifier():
        return None
    of, column = types.get(name), _conditions.field(name).any()
    if test == "in":
        # Null is none of the values.
        values: list[Any] = [each for each in value if each is not None]  # type: ignore[attr-defined]  # a list
        is_good = bool(values) and all(type(each) is of for each in values)
        return column.isin(*values) if is_good else None
    if type(value) is not of or (of is bool and test not in {"==", "!="}):
        return None
    return _COMPARED[test](column, value)


def _joined(
    join: Callable[[Condition, Condition], Condition], parts: Iterable[Condition | None]
) -> Condition | None:
    found: Condition | None = None
    for each in parts:
        if each is not None:
            found = each if found is None else join(found, each)
    return found
