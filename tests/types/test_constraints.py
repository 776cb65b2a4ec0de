"""Constraints of a value beyond its type, in the annotations of several libraries."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import math
import pathlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict, Union

import annotated_types as at_
import msgspec
import pydantic
import pytest
from annotated_types import Ge, Gt, Interval, Le, Len, Lt, MaxLen, MinLen, MultipleOf, Predicate
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, at, decode, pattern, typecode, xml


class Name(str):
    __slots__ = ()


class Tags(list[str]):
    pass


def is_even(value: int) -> bool:
    return value % 2 == 0


def refuses(_: object) -> bool:
    raise ValueError("not today")


def breaks(_: object) -> bool:
    raise LookupError("nothing found")


class Percent(at_.GroupedMetadata):
    """A user's annotation that groups others."""

    def __iter__(self) -> Iterator[at_.BaseMetadata]:
        yield Ge(0)
        yield Le(100)


def refused(text: str, into: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        decode(text, into)
    return caught.value.reason


def of_xml(text: str, into: Any) -> Any:
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d><v>{text}</v></d>", plan)["v"]


HOLDS: list[tuple[str, Any]] = [
    ("1", Annotated[int, Gt(0)]),
    ("0", Annotated[int, Ge(0)]),
    ("-1", Annotated[int, Lt(0)]),
    ("0", Annotated[int, Le(0)]),
    ("5", Annotated[int, Interval(gt=0, lt=6)]),
    ("5", Annotated[int, Percent()]),
    (str(2**70), Annotated[int, Gt(2**69)]),
    (str(2**70), Annotated[int, Gt(0.5)]),
    ("0.1", Annotated[float, Gt(0)]),
    ("1", Annotated[float, Ge(1.0)]),
    ("9007199254740993", Annotated[int, Gt(9007199254740992.0)]),
    ("0.10", Annotated[decimal.Decimal, Gt(decimal.Decimal("0.09"))]),
    ('"1/3"', Annotated[fractions.Fraction, Lt(1)]),
    ("6", Annotated[int, MultipleOf(3)]),
    ("-6", Annotated[int, MultipleOf(-3)]),
    (str(3 * 2**70), Annotated[int, MultipleOf(3)]),
    ("0.3", Annotated[float, MultipleOf(0.1)]),
    ("0.30", Annotated[decimal.Decimal, MultipleOf(decimal.Decimal("0.1"))]),
    ('"PT2H"', Annotated[dt.timedelta, MultipleOf(dt.timedelta(hours=1))]),
    ('"ab"', Annotated[str, MinLen(2)]),
    ('"\u6771\u4eac"', Annotated[str, Len(2, 2)]),
    ('"cGVu"', Annotated[bytes, Len(3, 3)]),
    ("[1, 2]", Annotated[list[int], MaxLen(2)]),
    ("[1, 1, 2]", Annotated[set[int], MaxLen(2)]),
    ("[1]", Annotated[tuple[int, ...], MinLen(1)]),
    ("[1]", Annotated[collections.deque[int], MinLen(1)]),
    ("[1]", Annotated[array, typecode("d"), MinLen(1)]),
    ('{"a": 1}', Annotated[dict[str, int], MinLen(1)]),
    ("4", Annotated[int, Predicate(is_even)]),
    ('"A"', Annotated[str, Predicate(str.isupper)]),
    ('"a"', Annotated[str, Predicate(at_.Not(str.isupper))]),
    ('"a"', at_.LowerCase[str]),
    ("1.5", at_.IsFinite[float]),
    ('"a-1"', Annotated[str, pattern(r"^[a-z]-\d$")]),
    ('"xay"', Annotated[str, pattern("a")]),
    ('"2026-03-01T00:00:00"', Annotated[dt.datetime, at_.Timezone(None)]),
    ('"2026-03-01T00:00:00Z"', Annotated[dt.datetime, at_.Timezone(...)]),
    ('"2026-03-01T00:00:00Z"', Annotated[dt.datetime, at_.Timezone("UTC")]),
    ('"2026-03-01T00:00:00+01:00"', Annotated[dt.datetime, at_.Timezone("Europe/Zurich")]),
    ('"2026-07-01T00:00:00+02:00"', Annotated[dt.datetime, at_.Timezone("Europe/Zurich")]),
    ('"12:00:00Z"', Annotated[dt.time, at_.Timezone(dt.UTC)]),
    ('"2026-03-01"', Annotated[dt.date, Gt(dt.date(2026, 1, 1))]),
    ("1", Annotated[int, at_.Unit("m"), at_.doc("a length")]),
    ("null", Annotated[int | None, Gt(0)]),
    ("null", Annotated[int, Gt(0)] | None),
    ("1", Annotated[int | float, Gt(0)]),
    ("1.5", Annotated[int | float, Gt(0)]),
    ("1", Annotated[int, msgspec.Meta(gt=0, le=1, multiple_of=1, title="n")]),
    ('"ab"', Annotated[str, msgspec.Meta(min_length=1, max_length=2, pattern="^a")]),
    ('"2026-03-01T00:00:00Z"', Annotated[dt.datetime, msgspec.Meta(tz=True)]),
    ("1", Annotated[int, pydantic.Field(gt=0, le=1, description="n", strict=True)]),
    ('"ab"', Annotated[str, pydantic.Field(min_length=1, pattern="^a")]),
    ('"ab"', Annotated[str, pydantic.StringConstraints(min_length=1, pattern="^a")]),
    ("1.5", Annotated[float, pydantic.Field(allow_inf_nan=False)]),
    ("1", Annotated[int, "a remark", 5, object()]),
]


@pytest.mark.parametrize(("text", "into"), HOLDS)
def test_what_holds(text: str, into: Any) -> None:
    def bare(annotation: Any) -> Any:
        origin = getattr(annotation, "__origin__", annotation)
        return annotation if origin is Union else origin

    value = decode(text, into)
    if "array" not in str(into):
        assert value == decode(text, bare(into))
    assert decode(f"[{text}]", list[into]) == [value]
    assert decode(f'{{"a": {text}}}', dict[str, into]) == {"a": value}


REFUSED: list[tuple[str, Any, str]] = [
    ("-3", Annotated[int, Gt(0)], "expected int > 0, got -3"),
    ("0", Annotated[int, Gt(0)], "expected int > 0, got 0"),
    ("-1", Annotated[int, Ge(0)], "expected int >= 0, got -1"),
    ("0", Annotated[int, Lt(0)], "expected int < 0, got 0"),
    ("1", Annotated[int, Le(0)], "expected int <= 0, got 1"),
    ("6", Annotated[int, Interval(gt=0, lt=6)], "expected int < 6, got 6"),
    ("101", Annotated[int, Percent()], "expected int <= 100, got 101"),
    (
        "9007199254740993",
        Annotated[int, Le(9007199254740992.0)],
        "expected int <= 9007199254740992.0, got 9007199254740993",
    ),
    ("-0.5", Annotated[float, Gt(0)], "expected float > 0, got -0.5"),
    (
        "0.1",
        Annotated[decimal.Decimal, Lt(decimal.Decimal("0.1"))],
        "expected Decimal < 0.1, got 0.1",
    ),
    ("7", Annotated[int, MultipleOf(3)], "expected int that is a multiple of 3, got 7"),
    (
        "0.35",
        Annotated[float, MultipleOf(0.1)],
        "expected float that is a multiple of 0.1, got 0.35",
    ),
    ('"a"', Annotated[str, MinLen(2)], 'expected str of at least 2 characters, got "a"'),
    ('"ab"', Annotated[str, MaxLen(1)], 'expected str of at most 1 character, got "ab"'),
    ('"cGVu"', Annotated[bytes, MaxLen(2)], "expected bytes of at most 2 bytes, got 3"),
    ("[1,2,3,4]", Annotated[list[int], MaxLen(3)], "expected list of at most 3 items, got 4"),
    ("[]", Annotated[tuple[int, ...], MinLen(1)], "expected tuple of at least 1 item, got 0"),
    ("[1, 1]", Annotated[set[int], MinLen(2)], "expected set of at least 2 items, got 1"),
    ("{}", Annotated[dict[str, int], MinLen(1)], "expected dict of at least 1 item, got 0"),
    ("[]", Annotated[Tags, MinLen(1)], "expected Tags of at least 1 item, got 0"),
    ('"a"', Annotated[Name, MinLen(2)], 'expected Name of at least 2 characters, got "a"'),
    ("3", Annotated[int, Predicate(is_even)], "expected int for which is_even holds, got 3"),
    (
        '"A"',
        Annotated[str, Predicate(at_.Not(str.isupper))],
        'expected str for which str.isupper does not hold, got "A"',
    ),
    ("3", Annotated[int, Predicate(refuses)], "ValueError: not today"),
    ('"A"', Annotated[str, pattern("^[a-z]+$")], 'expected str matching "^[a-z]+$", got "A"'),
    (
        '"2026-03-01T00:00:00Z"',
        Annotated[dt.datetime, at_.Timezone(None)],
        "expected datetime without a time zone, got 2026-03-01 00:00:00+00:00",
    ),
    (
        '"2026-03-01T00:00:00"',
        Annotated[dt.datetime, at_.Timezone(...)],
        "expected datetime with a time zone, got 2026-03-01 00:00:00",
    ),
    (
        '"2026-07-01T00:00:00+01:00"',
        Annotated[dt.datetime, at_.Timezone("Europe/Zurich")],
        "expected datetime in Europe/Zurich, got 2026-07-01 00:00:00+01:00",
    ),
    ("3", Annotated[int, msgspec.Meta(gt=5)], "expected int > 5, got 3"),
    (
        '"2026-03-01T00:00:00"',
        Annotated[dt.datetime, msgspec.Meta(tz=True)],
        "expected datetime with a time zone, got 2026-03-01 00:00:00",
    ),
    ('"b"', Annotated[str, msgspec.Meta(pattern="^a")], 'expected str matching "^a", got "b"'),
    ("3", Annotated[int, pydantic.Field(gt=5)], "expected int > 5, got 3"),
    ('"b"', Annotated[str, pydantic.Field(pattern="^a")], 'expected str matching "^a", got "b"'),
    (
        '"b"',
        Annotated[str, pydantic.StringConstraints(max_length=0)],
        'expected str of at most 0 characters, got "b"',
    ),
    ("0", Annotated[int | None, Gt(0)], "expected int > 0, got 0"),
    ("-1", Annotated[int | float, Gt(0)], "expected int | float > 0, got -1"),
]


@pytest.mark.parametrize(("text", "into", "reason"), REFUSED)
def test_what_does_not(text: str, into: Any, reason: str) -> None:
    assert refused(text, into) == reason
    with pytest.raises(ValidationError) as caught:
        decode(f'{{"a": [{text}]}}', dict[str, list[into]])
    assert (caught.value.reason, caught.value.path) == (reason, "a/0")


def test_from_markup() -> None:
    @dataclass
    class Doc:
        number: Annotated[int, Gt(0), at("@n")]
        text: Annotated[str, MinLen(2)]
        items: Annotated[list[Annotated[int, Lt(10)]], MinLen(2)]
        keyed: Annotated[dict[str, Annotated[list[int], MaxLen(1)]], MaxLen(1)] = field(
            default_factory=dict
        )

    good = '<d n="1"><text>ab</text><items>1</items><items>2</items></d>'
    assert xml.decode(good, Doc) == Doc(1, "ab", [1, 2])
    for change, path, reason in [
        (('n="1"', 'n="0"'), "d/@n", "expected int > 0, got 0"),
        ((">ab<", ">a<"), "d/text", 'expected str of at least 2 characters, got "a"'),
        ((">2<", ">12<"), "d/items", "expected int < 10, got 12"),
        (("<items>2</items>", ""), "d/items", "expected list of at least 2 items, got 1"),
        (
            ("</d>", "<keyed><k>1</k><k>2</k><j>3</j></keyed></d>"),
            "d/keyed/k",
            "expected list of at most 1 item, got 2",
        ),
        (
            ("</d>", "<keyed><k>1</k><j>2</j></keyed></d>"),
            "d/keyed",
            "expected dict of at most 1 item, got 2",
        ),
    ]:
        with pytest.raises(ValidationError) as caught:
            xml.decode(good.replace(*change), Doc)
        assert (caught.value.path, caught.value.reason) == (path, reason)
    with pytest.raises(ValidationError, match="expected list of at least 2 items, got 0"):
        xml.decode('<d n="1"><text>ab</text></d>', Doc)
    assert of_xml(" 5 ", Annotated[int, Gt(4)]) == 5


def test_gathered_in_json() -> None:
    @dataclass
    class Doc:
        names: Annotated[list[str], MinLen(2), at("items/*/name")]

    assert decode('{"items": [{"name": "a"}, {"name": "b"}]}', Doc).names == ["a", "b"]
    with pytest.raises(ValidationError, match="expected list of at least 2 items, got 1"):
        decode('{"items": [{"name": "a"}]}', Doc)


def test_words_in_the_metadata_of_pydantic_that_change_text() -> None:
    into: Any = Annotated[
        str, pydantic.StringConstraints(strip_whitespace=True, to_upper=True, min_length=1)
    ]
    assert decode('" a "', into) == "A"
    assert refused('"  "', into) == 'expected str of at least 1 character, got ""'


def test_exceptions_of_predicates() -> None:
    with pytest.raises(LookupError, match="nothing found"):
        decode("1", Annotated[int, Predicate(breaks)])
    with pytest.raises(ValidationError) as caught:
        decode("1", Annotated[int, Predicate(refuses)])
    assert isinstance(caught.value.__cause__, ValueError)


def test_what_cannot_be_compared() -> None:
    into: Any = Annotated[dt.datetime, Gt(dt.datetime(2026, 1, 1))]  # noqa: DTZ001
    assert "can't compare" in refused('"2026-03-01T00:00:00Z"', into)


def test_floats_that_are_none() -> None:
    assert math.isinf(of_xml("INF", Annotated[float, Gt(0)]))
    for into in (Annotated[float, Gt(0)], Annotated[float, Le(0)]):
        with pytest.raises(ValidationError, match="got nan"):
            of_xml("NaN", into)
    with pytest.raises(ValidationError, match="for which isfinite holds, got inf"):
        of_xml("INF", at_.IsFinite[float])
    with pytest.raises(ValidationError, match="that is finite, got inf"):
        of_xml("INF", Annotated[float, pydantic.Field(allow_inf_nan=False)])


def test_numbers_that_are_too_long_to_be_divided() -> None:
    into: Any = Annotated[decimal.Decimal, MultipleOf(decimal.Decimal("0.1"))]
    for text in ("1e999999", "1e-999999"):
        assert "cannot be divided" in refused(text, into)


MEANINGLESS: list[tuple[Any, str]] = [
    (Annotated[list[int], Gt(0)], "Gt(gt=0) says nothing of list"),
    (Annotated[int, MinLen(1)], "MinLen(min_length=1) says nothing of int"),
    (Annotated[str, Gt(0)], "Gt(gt=0) says nothing of str"),
    (Annotated[int, Gt("a")], "Gt(gt='a') says nothing of int"),
    (Annotated[str, MultipleOf(2)], "MultipleOf(multiple_of=2) says nothing of str"),
    (Annotated[int, pattern("a")], "pattern('a') says nothing of int"),
    (Annotated[bool, Gt(0)], "Gt(gt=0) says nothing of bool"),
    (Annotated[dt.date, at_.Timezone(None)], "Timezone(tz=None) says nothing of date"),
    (Annotated[pathlib.Path, MinLen(1)], "MinLen(min_length=1) says nothing of Path"),
    (Annotated[complex, Gt(0)], "Gt(gt=0) says nothing of complex"),
    (Annotated[int | str, Gt(0)], "Gt(gt=0) says nothing of int | str"),
    (Annotated[int, MultipleOf(0)], "MultipleOf(multiple_of=0): nothing is a multiple of 0"),
    (
        Annotated[dt.datetime, at_.Timezone("Nowhere/At all")],
        "Timezone('Nowhere/At all'): no such time zone is known",
    ),
    (
        Annotated[decimal.Decimal, pydantic.Field(max_digits=3)],
        "_PydanticGeneralMetadata(max_digits=3) is not known, so it cannot be checked",
    ),
]


@pytest.mark.parametrize(("into", "reason"), MEANINGLESS)
def test_what_cannot_be_asked(into: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == reason

    @dataclass
    class City:
        x: into

    with pytest.raises(PlanError) as caught:
        Plan(City, namespace={"into": into})
    assert str(caught.value) == f"field 'x' of City: {reason}"


def test_a_word_that_is_not_known() -> None:
    class Prime(at_.BaseMetadata):
        def __repr__(self) -> str:
            return "Prime()"

    with pytest.raises(PlanError, match=r"^Prime\(\) is not known, so it cannot be checked$"):
        Plan(Annotated[int, Prime()])


def test_the_word() -> None:
    word = pattern("^a")
    assert (repr(word), word.regex) == ("pattern('^a')", "^a")
    assert word == pattern("^a") != pattern("^b")
    with pytest.raises(ValueError, match=r"^pattern\('a\('\): missing \)"):
        pattern("a(")
    with pytest.raises(TypeError, match=r"^pattern\(\) takes a str, not bytes$"):
        pattern(b"a")
    assert penstock.pattern is pattern


@given(st.integers(), st.integers())
def test_bounds_of_integers(value: int, bound: int) -> None:
    for word, holds in [
        (Gt(bound), value > bound),
        (Ge(bound), value >= bound),
        (Lt(bound), value < bound),
        (Le(bound), value <= bound),
    ]:
        try:
            decode(str(value), Annotated[int, word])
        except ValidationError:
            assert not holds
        else:
            assert holds


@given(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False),
)
def test_bounds_of_floats(value: float, bound: float) -> None:
    text = repr(value)
    try:
        number = decode(text, float)
    except ValidationError:
        return
    try:
        decode(text, Annotated[float, Gt(bound)])
    except ValidationError:
        assert not number > bound
    else:
        assert number > bound
