"""Conditions at random, and the same questions in Python."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from penstock import Condition, field

MISSING = object()
NAMES = ("a", "b", "c")
PATHS = (*NAMES, "d/e", "d/a", "l")

# Few values, so that they are often equal to those of a condition.
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 7, 2**53, 2**53 + 1, 2**63, -(2**70), 0.0, 0.5, 1.0, 2.5, 1e300]
)
TEXTS = st.sampled_from(["", "a", "ab", "b", "ä", "a\nb", "𝄞", "1", "7", "true", "null", '"\\'])
# They mean the same to Python and to Rust.
PATTERNS = st.sampled_from(["", "^a", "b$", "a|ä", "[a-z]+b", r"\d", r"^\w\w", "(?i)TRU", "."])
SCALARS = st.one_of(NUMBERS, TEXTS, st.booleans(), st.none())
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(NAMES, SCALARS),
        "d": st.fixed_dictionaries({}, optional={"e": SCALARS, "a": SCALARS, "x": SCALARS}),
        "l": st.lists(SCALARS, max_size=3),
        "x": st.one_of(SCALARS, st.lists(SCALARS, max_size=2)),
    },
)
KINDS = ("one", "any", "all")
ORDER = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


@st.composite
def terms(draw: st.DrawFn) -> tuple[str, str, str, Any]:
    """The parts of a comparison."""
    path = draw(st.sampled_from(PATHS))
    kind = draw(st.sampled_from(KINDS)) if path == "l" else "one"
    test = draw(
        st.sampled_from(
            [*ORDER, *("isin", "between", "startswith", "contains", "matches", "is_none", "exists")]
        )
    )
    literal = st.one_of(NUMBERS, TEXTS, st.booleans())
    value: Any = None
    if test in ORDER:
        value = draw(literal)
    elif test == "isin":
        value = draw(st.lists(literal, max_size=3))
    elif test == "between":
        value = (draw(NUMBERS), draw(NUMBERS))
    elif test in {"startswith", "contains"}:
        value = draw(TEXTS)
    elif test == "matches":
        value = draw(PATTERNS)
    return path, kind, test, value


def formulas(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Formulas of such comparisons."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        ),
        max_leaves=4,
    )


FORMULAS = formulas(terms())


def as_condition(formula: Any) -> Condition:
    """The condition of a formula."""
    match formula:
        case ("not", part):
            return ~as_condition(part)
        case ("and", one, other):
            return as_condition(one) & as_condition(other)
        case ("or", one, other):
            return as_condition(one) | as_condition(other)
    path, kind, test, value = formula
    of = field(path)
    of = of if kind == "one" else getattr(of, kind)()
    if test in ORDER:
        made = ORDER[test](of, value)
        assert isinstance(made, Condition)
        return made
    arguments = value if test in {"isin", "between"} else () if value is None else (value,)
    condition = getattr(of, test)(*arguments)
    assert isinstance(condition, Condition)
    return condition


def compared(test: str, value: Any, literal: Any) -> bool:
    """A comparison in Python; one that Python refuses is not true."""
    try:
        return bool(ORDER[test](value, literal))
    except TypeError:
        return False


def holds(test: str, value: Any, literal: Any) -> bool:
    """The answer of a value that is there."""
    if test in ORDER:
        return compared(test, value, literal)
    if test == "isin":
        return any(compared("==", value, one) for one in literal)
    if test == "between":
        return compared(">=", value, literal[0]) and compared("<=", value, literal[1])
    if test == "startswith":
        return isinstance(value, str) and value.startswith(literal)
    if test == "contains":
        return isinstance(value, str) and literal in value
    if test == "matches":
        return isinstance(value, str) and re.search(literal, value) is not None
    return value is None if test == "is_none" else True


def found(record: Any, path: str) -> Any:
    """The value at a path."""
    for step in path.split("/"):
        if not isinstance(record, dict) or step not in record:
            return MISSING
        record = record[step]
    return record


def wants(formula: Any, record: Any) -> bool:
    """The twin: the question in Python."""
    match formula:
        case ("not", part):
            return not wants(part, record)
        case ("and", one, other):
            return wants(one, record) and wants(other, record)
        case ("or", one, other):
            return wants(one, record) or wants(other, record)
    path, kind, test, literal = formula
    value = found(record, path)
    if kind == "one":
        return test == "is_none" if value is MISSING else holds(test, value, literal)
    values = value if isinstance(value, list) else []
    answers = [holds(test, one, literal) for one in values]
    return any(answers) if kind == "any" else all(answers)
