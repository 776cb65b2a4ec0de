"""A condition as text: what it means, and what is refused, with its place."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from conditions import FORMULAS, as_condition
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import field
from penstock._base.conditions import condition

a, b = field("a"), field("b")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a > 3", a > 3),
        ("3 < a", a > 3),
        ("1 <= a < 3", (a >= 1) & (a < 3)),
        ("a == 'x' and not b != 2.5", (a == "x") & ~(b != 2.5)),
        ("a or b == True", (a == True) | (b == True)),  # noqa: E712 - a condition
        ("a in (1, 'x', -2.5)", a.isin(1, "x", -2.5)),
        ("a not in [1]", ~a.isin(1)),
        ("'x' in a", a.contains("x")),
        ("a.matches('^x|y$')", a.matches("^x|y$")),
        ("a is None", a.is_none()),
        ("a is not None", a.exists() & ~a.is_none()),
        ("a != None", a.exists() & ~a.is_none()),
        ("a.startswith('x') or a.endswith('y')", a.startswith("x") | a.endswith("y")),
        ("a.between(1, 2)", a.between(1, 2)),
        ("exists(a)", a.exists()),
        ("any(a) == 3 and all(b) > 1", (a.any() == 3) & (b.all() > 1)),
        ("a.any().startswith('x')", a.any().startswith("x")),
        ("position.lat > 46", field("position/lat") > 46),
        ("field('@id') == '7'", field("@id") == "7"),
        ("a == date('2026-01-31')", a == dt.date(2026, 1, 31)),
        (
            "a >= datetime('2026-01-31T12:00:00+01:00')",
            a >= dt.datetime(2026, 1, 31, 12, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        ),
        ("a < time('12:30')", a < dt.time(12, 30)),
        ("a < timedelta(1, 30)", a < dt.timedelta(1, 30)),
        ("a == Decimal('1.10')", a == Decimal("1.10")),
        ("a == 123456789012345678901234567890", a == 123456789012345678901234567890),
        (
            "a == UUID('12345678-9abc-def0-1234-56789abcdef0')",
            a == UUID("12345678-9abc-def0-1234-56789abcdef0"),
        ),
        ("a == float('inf')", a == float("inf")),
        ("  a > 3\n", a > 3),
    ],
)
def test_what_it_means(text: str, meant: penstock.Condition) -> None:
    assert condition(text) == meant
    assert condition(str(meant)) == meant


@given(FORMULAS)
def test_each_condition_is_its_text(formula: Any) -> None:
    made = as_condition(formula)
    assert repr(condition(str(made))) == repr(made)
    names = {"field": field, "Decimal": Decimal, "datetime": dt}
    assert eval(repr(made), {"__builtins__": {"float": float}}, names) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert hash(condition(str(made))) == hash(made)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 3", "where: write '==' to compare\n  a = 3\n    ^"),
        ("a > ", "where: invalid syntax\n  a >\n     ^"),
        ("", "where: the text of a condition is empty"),
        ("a > b", "where: a field is compared with a value, and not with another field: write 'b' in quotes if it is text\n  a > b\n      ^"),
        ("1 < 2", "where: a comparison has a field on one side, and a value on the other\n  1 < 2\n  ^"),
        ("a > 3 & b > 2", "where: write 'and' in place of '&', and 'or' in place of '|'\n  a > 3 & b > 2\n      ^"),
        ("len(a) > 3", "where: there is no such function in a condition\n  len(a) > 3\n  ^"),
        ("a == foo(3)", "where: there is no function 'foo' in a condition\n  a == foo(3)\n       ^"),
        ("a == date('x')", "where: date: Invalid isoformat string: 'x'\n  a == date('x')\n       ^"),
        ("a == b'x'", "where: a condition has no values of 'bytes'\n  a == b'x'\n       ^"),
        ("a == None or 3", "where: this is no condition, such as 'size > 3'\n  a == None or 3\n               ^"),
        ("a in b", "where: 'in' has values in brackets behind it, as in 'size in (3, 4)'\n  a in b\n       ^"),
        ("a is 3", "where: 'is' compares with None only: use '=='\n  a is 3\n       ^"),
        ("a < None", "where: None has no order: use is_none()\n  a < None\n      ^"),
        ("a.startswith(3)", "where: startswith takes a str, and not 'int'\n  a.startswith(3)\n  ^"),
        ("a == 0x" + "f" * 6000, "where: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit\n  a == 0x" + "f" * 6000 + "\n       ^"),
        ("date > 3", "where: 'date' is a function: write field('date') for a field\n  date > 3\n  ^"),
        ("ä == CH", "where: a field is compared with a value, and not with another field: write 'CH' in quotes if it is text\n  ä == CH\n       ^"),
        ("[x for x in a]", "where: this is no condition, such as 'size > 3'\n  [x for x in a]\n  ^"),
        ("(lambda: 3)() > 3", "where: there is no such function in a condition\n  (lambda: 3)() > 3\n  ^"),
        ("__import__('os')", "where: there is no such function in a condition\n  __import__('os')\n  ^"),
        ("a.__class__ > 3 or a[0] > 2", "where: this is no field: write its name, or field('its path')\n  a.__class__ > 3 or a[0] > 2\n                     ^"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^where: ") as caught:
        condition(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["not " * 5000 + "a", "(" * 5000, "a" * 200_000, "a > 3\0"])
def test_long_and_deep_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^where: "):
        condition(text)


def test_what_python_does_not_pass_on_is_refused() -> None:
    with pytest.raises(TypeError, match="a condition is neither true nor false: join conditions"):
        bool((a > 3) and (b > 2))
    with pytest.raises(TypeError, match="a condition is neither true nor false"):
        bool(1 < a < 3)
    with pytest.raises(TypeError, match=r"use contains\(\) or isin\(\) of field\('a'\)"):
        assert "x" in a  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"field\('a'\) is no condition: compare it"):
        bool(a)
    with pytest.raises(
        TypeError, match="a condition is joined with another one, and not with 'bool'"
    ):
        (a > 3) & True  # type: ignore[operator]
    with pytest.raises(TypeError, match="a field is named by a str, and not by 'int'"):
        field(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a condition cannot compare a field with 'list'"):
        a == [3]  # noqa: B015 - it is refused
    for where, message in [
        (a, r"is no condition"),
        (3, "and not 'int'"),
        (b"a", "and not 'bytes'"),
    ]:
        with pytest.raises(TypeError, match=message):
            penstock.ndjson.read([b"1\n"], where=where)  # type: ignore[arg-type]


PIECES = st.sampled_from(
    [
        *("a", "b.c", "field", "any", "exists", "date", "float", "timedelta", "Decimal", "UUID"),
        *("<", ">", "==", "=", "!=", "in", "not", "and", "or", "is", "None", "True", "~", "&", "-"),
        *(
            "(",
            ")",
            "[",
            "]",
            ",",
            ".",
            "'x'",
            "'2026-01-31'",
            '"',
            "3",
            "2.5",
            "1e400",
            "0x",
            "\\",
        ),
        *(".startswith(", ".between(", "if", "else", "lambda", ":=", "await", "*", "{", "}", "\n"),
        *("ä", "\0", "#", "f'{a}'", "b'x'", "...", "1j", "0_0", "\ud800"),
    ]
)


@given(st.lists(PIECES, max_size=12), st.sampled_from(["", " "]))
@settings(max_examples=400)
def test_any_text_is_a_condition_or_refused(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    made = reason = None
    try:
        made = condition(text)
    except ValueError as error:
        reason = str(error)
    if made is None:
        assert reason is not None
        assert reason.startswith("where: ")
    else:
        assert condition(str(made)) == made
