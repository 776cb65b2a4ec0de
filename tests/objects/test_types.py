"""Which JSON each type takes, the value that it becomes, and the messages for the rest."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import decimal
import enum
import json
import math
import struct
import sys
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import LimitExceeded, ValidationError


class Color(enum.Enum):
    RED = "red"
    CRIMSON = "red"  # noqa: PIE796 - an alias
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    RED = enum.auto()


class Truth(enum.Enum):
    YES = True
    NO = False
    UNKNOWN = None


class Lenient(enum.Enum):
    ONE = 1
    RED = "red"

    @classmethod
    def _missing_(cls, value: object) -> Lenient | None:
        if isinstance(value, str) and value.lower() == "red":
            return cls.RED
        return cls.ONE if value == -7 else None


@dataclass
class Point:
    x: int


class Pair(NamedTuple):
    x: int


class Keys(TypedDict):
    x: int


# Each document, and how a message describes it if the type adds nothing.
DOCUMENTS = {
    "null": "null",
    "true": "true",
    "false": "false",
    "0": "the integer 0",
    "1": "the integer 1",
    "-7": "the integer -7",
    "9223372036854775807": "the integer 9223372036854775807",
    "-9223372036854775808": "the integer -9223372036854775808",
    "9223372036854775808": "an integer",
    "-123456789012345678901234567890": "an integer",
    "1.0": "a number",
    "-1.5": "a number",
    "1e3": "a number",
    "1e999": "a number",
    '""': "a string",
    '"1"': "a string",
    '"red"': "a string",
    '"RED"': "a string",
    '"2026-03-01"': "a string",
    '"12:30:00"': "a string",
    '"2026-03-01T12:30:00Z"': "a string",
    '"12345678-1234-5678-1234-567812345678"': "a string",
    "[]": "an array",
    "[1]": "an array",
    "[1, 1]": "an array",
    "{}": "an object",
    '{"x": 1}': "an object",
}
INTEGERS = {text: int(text) for text, words in DOCUMENTS.items() if "integer" in words}
STRINGS = {text: json.loads(text) for text, words in DOCUMENTS.items() if words == "a string"}
FRACTIONS = [text for text, words in DOCUMENTS.items() if words == "a number"]
UTC = dt.UTC
IDENTITY = uuid.UUID("12345678-1234-5678-1234-567812345678")

# The documents that each type takes; it refuses all others.
TAKEN: list[tuple[str, Any, dict[str, object]]] = [
    ("None", None, {"null": None}),
    ("bool", bool, {"true": True, "false": False}),
    ("int", int, INTEGERS),
    (
        "float",
        float,
        {text: float(value) for text, value in INTEGERS.items()}
        | {"1.0": 1.0, "-1.5": -1.5, "1e3": 1000.0},
    ),
    ("str", str, STRINGS),
    ("bytes", bytes, {'""': b""}),
    (
        "Decimal",
        Decimal,
        {text: Decimal(text) for text in [*INTEGERS, *FRACTIONS]} | {'"1"': Decimal(1)},
    ),
    ("date", dt.date, {'"2026-03-01"': dt.date(2026, 3, 1)}),
    ("time", dt.time, {'"12:30:00"': dt.time(12, 30)}),
    (
        "datetime",
        dt.datetime,
        {'"2026-03-01T12:30:00Z"': dt.datetime(2026, 3, 1, 12, 30, tzinfo=UTC)},
    ),
    ("UUID", uuid.UUID, {f'"{IDENTITY}"': IDENTITY}),
    ('Color ("red" or "blue")', Color, {'"red"': Color.RED}),
    ("Level (1 or 2)", Level, {"1": Level.LOW}),
    ('Word ("red")', Word, {'"red"': Word.RED}),
    (
        "Truth (true, false or null)",
        Truth,
        {"true": Truth.YES, "false": Truth.NO, "null": Truth.UNKNOWN},
    ),
    (
        "Lenient",
        Lenient,
        {"1": Lenient.ONE, "-7": Lenient.ONE, '"red"': Lenient.RED, '"RED"': Lenient.RED},
    ),
    (
        "Literal['red', 1, None]",
        Literal["red", 1, None],
        {'"red"': "red", "1": 1, "null": None},
    ),
    ("Literal[True]", Literal[True], {"true": True}),
    ("int | None", int | None, INTEGERS | {"null": None}),
    ("list[int]", list[int], {"[]": [], "[1]": [1], "[1, 1]": [1, 1]}),
    ("list", list, {"[]": [], "[1]": [1], "[1, 1]": [1, 1]}),
    ("tuple[int, ...]", tuple[int, ...], {"[]": (), "[1]": (1,), "[1, 1]": (1, 1)}),
    ("set[int]", set[int], {"[]": set(), "[1]": {1}, "[1, 1]": {1}}),
    (
        "frozenset[int]",
        frozenset[int],
        {"[]": frozenset(), "[1]": frozenset({1}), "[1, 1]": frozenset({1})},
    ),
    ("dict[str, int]", dict[str, int], {"{}": {}, '{"x": 1}': {"x": 1}}),
    ("dict[Literal['x'], int]", dict[Literal["x"], int], {"{}": {}, '{"x": 1}': {"x": 1}}),
]


def words(name: str, asked: Any, text: str) -> str:
    """The message of the type for the document."""
    plain = DOCUMENTS[text]
    chooses = asked in (Color, Level, Word, Truth, Lenient) or name.startswith("Literal")
    if plain == "a string" and (
        chooses or asked in (bytes, Decimal, dt.date, dt.time, dt.datetime, uuid.UUID)
    ):
        return text
    if plain == "a number" and asked is float:
        return "a number beyond the range of a double"
    if plain == "a number" and name.startswith("int"):
        return "a number with a fraction or an exponent"
    return plain


def identical(left: object, right: object) -> bool:
    """Equal and of the same type; doubles with the same bits, decimals with the same digits."""
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return left.as_tuple() == right.as_tuple()
    return type(left) is type(right) and left == right


def refusal(document: str | bytes, asked: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        penstock.json.decode(document, asked)
    return caught.value


@pytest.mark.parametrize(("name", "asked", "taken"), TAKEN, ids=[name for name, _, _ in TAKEN])
def test_the_strict_table(name: str, asked: Any, taken: dict[str, object]) -> None:
    for text in DOCUMENTS:
        if text in taken:
            assert identical(penstock.json.decode(text, asked), taken[text]), text
            assert identical(penstock.json.decode(f" [{text}]", list[asked])[0], taken[text]), text
            continue
        error = refusal(text, asked)
        got = words(name, asked, text)
        # If the text itself is parsed, the reason follows these words.
        assert error.reason.split(": ")[0] == f"expected {name}, got {got}", text
        assert (error.expected, error.got, error.path) == (name, got, None)
        inside = refusal(f'{{"a": [{text}]}}', dict[str, list[asked]])
        assert (inside.reason, inside.path, inside.column) == (error.reason, "a/0", 8)


@pytest.mark.parametrize("text", DOCUMENTS)
def test_classes_take_objects(text: str) -> None:
    for asked, name in ((Point, "Point"), (Keys, "Keys"), (Pair, "Pair")):
        if text == '{"x": 1}':
            assert penstock.json.decode(text, asked) == ({"x": 1} if asked is Keys else asked(1))
            continue
        reason = refusal(text, asked).reason if not (asked is Pair and text == "[1]") else ""
        if text == "{}":
            assert reason == f'{name} lacks the required key "x"'
        elif asked is Pair and text == "[1]":
            assert penstock.json.decode(text, asked) == Pair(1)
        elif asked is Pair and text == "[]":
            assert reason == 'Pair lacks an item for the field "x"'
        elif asked is Pair and text == "[1, 1]":
            assert reason == "expected an array of 1, got one of 2"
        elif text.startswith("["):
            assert reason == (
                f"expected {name}, got an array; for its elements ask for list[{name}], "
                "or end the path in '/*'"
            )
        else:
            assert reason == f"expected {name}, got {DOCUMENTS[text]}"


@pytest.mark.parametrize("asked", [Any, object, None])
def test_plain_values_are_those_of_json(asked: Any) -> None:
    for text in DOCUMENTS:
        if text == "1e999":
            reason = "expected Any, got a number beyond the range of a double"
            assert refusal(text, Any).reason == reason
            continue
        made = penstock.json.decode(text) if asked is None else penstock.json.decode(text, asked)
        assert identical(made, json.loads(text)), text


# Numbers.


@given(st.integers() | st.integers(-(2**70), 2**70))
def test_integers_of_any_size(value: int) -> None:
    assert identical(penstock.json.decode(str(value), int), value)
    assert identical(penstock.json.decode(str(value)), value)
    assert identical(penstock.json.decode(str(value), float), float(value))
    assert identical(penstock.json.decode(str(value), Decimal), Decimal(value))


def test_integers_around_every_power_of_two_and_ten() -> None:
    edges = [base**power + step for base in (2, 10) for power in range(70) for step in (-1, 0, 1)]
    edges += [-edge for edge in edges]
    assert penstock.json.decode(json.dumps(edges), list[int]) == edges
    assert penstock.json.decode(json.dumps(edges)) == edges


@pytest.mark.thread_unsafe(reason="the bound is the whole process's")
def test_the_bound_on_digits_is_ours_and_not_the_interpreters() -> None:
    before = sys.get_int_max_str_digits()
    digits = "7" * 700
    value = int(digits)
    try:
        sys.set_int_max_str_digits(640)
        assert penstock.json.decode(f"[1, {digits}]", list[int]) == [1, value]
        assert penstock.json.decode(digits) == value
    finally:
        sys.set_int_max_str_digits(before)
    digits = "7" * 5_000
    with pytest.raises(LimitExceeded, match=r"limits\.number"):
        penstock.json.decode(digits, int)
    made = penstock.json.decode(digits, int, limits=penstock.Limits(number=5_000))
    assert made == 7 * (10**5_000 - 1) // 9


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_the_nearest_double(value: float) -> None:
    assert identical(penstock.json.decode(repr(value), float), value)
    assert identical(penstock.json.decode(f"{value:.25e}", float), float(f"{value:.25e}"))
    if not value.is_integer() or "." in repr(value) or "e" in repr(value):
        assert identical(penstock.json.decode(repr(value)), value)


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
def test_any_number_as_float_and_as_decimal(text: str) -> None:
    value = float(text)
    if math.isinf(value):
        assert refusal(text, float).got == "a number beyond the range of a double"
    else:
        assert identical(penstock.json.decode(text, float), value)
    assert identical(penstock.json.decode(text, Decimal), Decimal(text))
    assert identical(penstock.json.decode(f'"{text}"', Decimal), Decimal(text))


def test_decimals_keep_every_digit() -> None:
    for text in (
        "1.10",
        "0.1",
        "-0",
        "-0.00",
        "1E+2",
        "3.14159265358979323846264338327950288419716939937510",
        "9" * 50 + "." + "9" * 50,
    ):
        assert str(penstock.json.decode(text, Decimal)) == str(Decimal(text))
        assert str(penstock.json.decode(f'"{text}"', Decimal)) == str(Decimal(text))
    # The precision and the traps of the caller's context have no effect.
    with decimal.localcontext() as context:
        context.prec = 3
        context.traps[decimal.FloatOperation] = True
        context.traps[decimal.Inexact] = True
        assert str(penstock.json.decode("1.23456789", Decimal)) == "1.23456789"


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "sNaN",
        "Infinity",
        "-inf",
        " 1",
        "1 ",
        "1_000",
        "\u0663",
        "1,5",
        "",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "--1",
        "0x10",
    ],
)
def test_strings_that_are_no_decimal(text: str) -> None:
    quoted = json.dumps(text, ensure_ascii=False)
    assert (
        refusal(json.dumps(text), Decimal).reason
        == f"expected Decimal, got {quoted}: it is no decimal number"
    )


@pytest.mark.parametrize("traps", [True, False])
@pytest.mark.parametrize(
    "text", ["1e99999999999999999999", '"1e99999999999999999999"', "-1e-99999999999999999999"]
)
def test_decimals_beyond_their_range(text: str, traps: bool) -> None:
    with decimal.localcontext() as context:
        context.traps[decimal.InvalidOperation] = traps
        error = refusal(text, Decimal)
    assert error.expected == "Decimal"
    assert "no decimal number" not in error.reason


# Dates and times.

INSTANTS = {
    "2026-03-01T12:30:00": dt.datetime(2026, 3, 1, 12, 30),  # noqa: DTZ001 - naive, as the text
    "2026-03-01T12:30:00Z": dt.datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    "2026-03-01t12:30:00z": dt.datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    "2026-03-01T12:30:00-00:00": dt.datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
    "2026-03-01 12:30:00.5+02:00": dt.datetime(
        2026, 3, 1, 12, 30, 0, 500000, dt.timezone(dt.timedelta(hours=2))
    ),
    "2026-03-01T12:30:00.123456-23:59": dt.datetime(
        2026, 3, 1, 12, 30, 0, 123456, dt.timezone(-dt.timedelta(hours=23, minutes=59))
    ),
    "2026-03-01T12:30:00.123456000Z": dt.datetime(2026, 3, 1, 12, 30, 0, 123456, UTC),
    "0001-01-01T00:00:00Z": dt.datetime(1, 1, 1, tzinfo=UTC),
    "9999-12-31T23:59:59.999999Z": dt.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
    "2024-02-29T23:59:59Z": dt.datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC),
}
WRONG_TIMES: list[tuple[Any, str, str]] = [
    (dt.datetime, "2026-03-01T12:30:00.1234567Z", "the fraction is finer than a microsecond"),
    (dt.datetime, "2026-03-01T12:30:60Z", "a leap second (:60) is not supported"),
    (dt.datetime, "2026-03-01T24:00:00Z", "hour 24 is not in 0..23"),
    (dt.datetime, "2026-03-01T12:30Z", "the seconds are missing"),
    (dt.datetime, "2026-03-01", "expected 'T' between date and time"),
    (dt.datetime, "2026-02-30T00:00:00Z", "day 30 is not in 1..28 of February 2026"),
    (dt.datetime, "1900-02-29T00:00:00Z", "day 29 is not in 1..28 of February 1900"),
    (dt.datetime, "0000-01-01T00:00:00Z", "year 0 is not in 1..9999"),
    (dt.datetime, "2026-03-01T12:30:00+24:00", "offset hour 24 is not in 0..23"),
    (dt.datetime, "2026-03-01T12:30:00+0200", "expected ':' after the hours of the offset"),
    (dt.datetime, "20260301T123000Z", "expected '-' after the year"),
    (dt.datetime, "2026-03-01T12:30:00 Z", "unexpected text after the value"),
    (dt.datetime, " 2026-03-01T12:30:00Z", "expected a digit of the year"),
    (dt.datetime, "2026-03-01T12:30:00,5Z", "unexpected text after the value"),
    (dt.datetime, "2026-03-01T12:30:00.Z", "expected a digit of the fraction"),
    (dt.datetime, "\u0662\u0660\u0662\u0666-03-01T12:30:00Z", "expected a digit of the year"),
    (dt.date, "2023-02-29", "day 29 is not in 1..28 of February 2023"),
    (dt.date, "2026-13-01", "month 13 is not in 1..12"),
    (dt.date, "2026-00-01", "month 0 is not in 1..12"),
    (dt.date, "2026-03-32", "day 32 is not in 1..31"),
    (dt.date, "2026-03-01T00:00:00", "unexpected text after the value"),
    (dt.date, "26-03-01", "expected a digit of the year"),
    (dt.date, "2026/03/01", "expected '-' after the year"),
    (dt.date, "2026-W10-1", "expected a digit of the month"),
    (dt.date, "", "expected a digit of the year"),
    (dt.time, "12:30", "the seconds are missing"),
    (dt.time, "25:00:00", "hour 25 is not in 0..23"),
    (dt.time, "12:60:00", "minute 60 is not in 0..59"),
    (dt.time, "12:30:61", "second 61 is not in 0..59"),
    (dt.time, "T12:30:00", "expected a digit of the hour"),
    (dt.time, "12:30:00 PM", "unexpected text after the value"),
    (dt.time, "12:30:00+23:60", "offset minute 60 is not in 0..59"),
]


@pytest.mark.parametrize("text", INSTANTS)
def test_instants(text: str) -> None:
    made = penstock.json.decode(json.dumps(text), dt.datetime)
    expected = INSTANTS[text]
    assert (made, made.tzinfo, made.utcoffset()) == (
        expected,
        expected.tzinfo,
        expected.utcoffset(),
    )
    assert made.replace(tzinfo=None) == expected.replace(tzinfo=None)
    time = penstock.json.decode(json.dumps(text[11:]), dt.time)
    assert (time, time.tzinfo) == (expected.timetz(), expected.tzinfo)


@pytest.mark.parametrize(("asked", "text", "why"), WRONG_TIMES)
def test_what_is_no_date_or_time(asked: type, text: str, why: str) -> None:
    quoted = json.dumps(text, ensure_ascii=False)
    assert (
        refusal(json.dumps(text), asked).reason == f"expected {asked.__name__}, got {quoted}: {why}"
    )


zones = st.none() | st.builds(
    lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)), st.integers(-1439, 1439)
)


@given(st.datetimes(timezones=zones))
def test_what_isoformat_writes_is_read(value: dt.datetime) -> None:
    for text in (value.isoformat(), value.isoformat(" ")):
        made = penstock.json.decode(f'"{text}"', dt.datetime)
        assert made.replace(tzinfo=None) == value.replace(tzinfo=None)
        assert made.utcoffset() == value.utcoffset() == dt.datetime.fromisoformat(text).utcoffset()
    assert penstock.json.decode(f'"{value.date().isoformat()}"', dt.date) == value.date()
    assert penstock.json.decode(f'"{value.timetz().isoformat()}"', dt.time) == value.timetz()
    # In Python a `datetime` is a `date`, but the result has exactly the type of the annotation.
    assert type(penstock.json.decode(f'"{value.date().isoformat()}"', dt.date)) is dt.date


@given(st.text(alphabet="0123456789-:TtZz+. ", max_size=30))
def test_what_python_cannot_read_is_no_instant(text: str) -> None:
    try:
        made = penstock.json.decode(json.dumps(text), dt.datetime)
    except ValidationError:
        return
    assert made == dt.datetime.fromisoformat(text.upper())


# Texts with a form.


@given(st.uuids(), st.booleans())
def test_uuids(value: uuid.UUID, upper: bool) -> None:
    for text in (str(value), value.hex):
        made = penstock.json.decode(json.dumps(text.upper() if upper else text), uuid.UUID)
        assert (made, made.int, made.is_safe, hash(made)) == (
            value,
            value.int,
            value.is_safe,
            hash(value),
        )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{12345678-1234-5678-1234-567812345678",
        "12345678-1234-5678-1234-56781234567G",
        "12345678-1234-5678-1234-5678123456789",
        "12345678-1234-5678-1234-56781234567",
        "1234567812345-678-1234-567812345678",
        "12345678_1234_5678_1234_567812345678",
        " 12345678-1234-5678-1234-56781234567",
    ],
)
def test_what_is_no_uuid(text: str) -> None:
    assert (
        refusal(json.dumps(text), uuid.UUID).reason == f'expected UUID, got "{text}": it is no UUID'
    )


def test_long_texts_are_cut_in_messages() -> None:
    reason = refusal(json.dumps("é" * 1000), uuid.UUID).reason
    assert reason == f'expected UUID, got "{"é" * 40}…": it is no UUID'


@given(st.binary(max_size=200))
def test_bytes_are_base64(value: bytes) -> None:
    made = penstock.json.decode(json.dumps(base64.b64encode(value).decode()), bytes)
    assert identical(made, value)


@given(st.text(alphabet="AQgw+/=_- \n", max_size=9))
def test_what_is_base64_is_what_python_takes_strictly(text: str) -> None:
    try:
        expected = binascii.a2b_base64(text, strict_mode=True)
        # Python ignores the spare bits of the last character.
        valid = base64.b64encode(expected).decode() == text
    except binascii.Error:
        valid = False
    if valid:
        assert penstock.json.decode(json.dumps(text), bytes) == expected
    else:
        assert refusal(json.dumps(text), bytes).expected == "bytes"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Q", "one character alone in the last group of base64"),
        ("QQ", "padding '=' is missing"),
        ("QQ=", "padding '=' is missing"),
        ("QR==", "the last character has bits that belong to no byte"),
        ("=QUI", "too much padding '='"),
        ("Pz8_", "not a character of base64, but of its form for URLs"),
        ("QU I", "not a character of base64"),
        ("é", "not a character of base64"),
    ],
)
def test_what_is_no_base64(text: str, why: str) -> None:
    assert refusal(json.dumps(text), bytes).reason == f'expected bytes, got "{text}": {why}'


# Choices.


def test_enums_give_their_members() -> None:
    assert penstock.json.decode('["red", "blue"]', list[Color]) == [Color.RED, Color.BLUE]
    assert penstock.json.decode('"red"', Color) is Color.CRIMSON
    assert penstock.json.decode("2", Level) is Level.HIGH
    assert penstock.json.decode('"red"', Word) is Word.RED
    assert penstock.json.decode("null", Truth) is Truth.UNKNOWN
    assert penstock.json.decode("null", Color | None) is None
    # A number with a fraction is no integer value, and a truth value is no number.
    assert refusal("true", Level).got == "true"
    assert refusal("1.0", Level).got == "a number"


def test_an_enum_that_completes_itself() -> None:
    made = penstock.json.decode('["Red", -7, "red", 1]', list[Lenient])
    assert made == [Lenient.RED, Lenient.ONE, Lenient.RED, Lenient.ONE]
    assert refusal('["Red", "green"]', list[Lenient]).path == "1"

    class Raising(enum.Enum):
        A = "a"

        @classmethod
        def _missing_(cls, value: object) -> Raising:
            raise LookupError(value)

    with pytest.raises(LookupError) as caught:
        penstock.json.decode('["a", "b"]', list[Raising])
    assert caught.value.args == ("b",)


def test_literals_are_exact() -> None:
    asked: Any = Literal["a", "ä", 1, -2, True, None]
    for text, value in (
        ('"a"', "a"),
        ('"\\u00e4"', "ä"),
        ("1", 1),
        ("-2", -2),
        ("true", True),
        ("null", None),
    ):
        assert identical(penstock.json.decode(text, asked), value)
    for text in ('"A"', "0", "2", "1.0", "false", "[]", '"1"', "12345678901234567890"):
        assert refusal(text, asked).expected == "Literal['a', 'ä', 1, -2, True, None]"


def test_many_choices() -> None:
    names = [f"name {number}" for number in range(300)]
    big = enum.Enum("Big", [(f"N{number}", name) for number, name in enumerate(names)])  # type: ignore[misc]
    assert [member.value for member in penstock.json.decode(json.dumps(names), list[big])] == names
    assert refusal('"name 300"', big).got == '"name 300"'


# Containers.


def test_fixed_tuples() -> None:
    asked = tuple[int, str, bool]
    assert penstock.json.decode('[1, "a", true]', asked) == (1, "a", True)
    for text, count in (("[]", 0), ("[1]", 1), ('[1, "a"]', 2), ('[1, "a", true, true]', 4)):
        assert refusal(text, asked).reason == f"expected an array of 3, got one of {count}"
    error = refusal("[1, 2, true]", asked)
    assert (error.reason, error.path) == ("expected str, got the integer 2", "1")
    assert penstock.json.decode("[]", tuple[()]) == ()
    assert refusal("[1]", tuple[()]).reason == "expected an array of 0, got one of 1"
    assert refusal("[[], {}]", tuple[()]).reason == "expected an array of 0, got one of 2"


def test_sets_and_dicts_of_everything_hashable() -> None:
    assert penstock.json.decode("[[1, 2], [1, 2], []]", set[tuple[int, ...]]) == {(1, 2), ()}
    assert penstock.json.decode('["red", "red"]', frozenset[Color]) == {Color.RED}
    assert penstock.json.decode("[1.0, 1]", set[float]) == {1.0}
    made = penstock.json.decode('{"a": 1, "b": 2, "a": 3}', dict[Literal["a", "b"], int])
    assert list(made.items()) == [("a", 3), ("b", 2)]
    made = penstock.json.decode('{"red": [1]}', dict[Color, list[int]])
    assert made == {Color.RED: [1]}
    error = refusal('{"a": 1, "c": 2}', dict[Literal["a", "b"], int])
    assert error.reason == 'expected "a" or "b", got the key "c"'
    assert (
        refusal('{"green": []}', dict[Color, list[int]]).reason
        == 'expected "red" or "blue", got the key "green"'
    )


@dataclass
class Tree:
    value: int = 0
    children: list[Tree] | None = None
    by_name: dict[str, Tree] | None = None
    pair: tuple[Tree, Tree] | None = None


def test_paths_to_what_does_not_fit() -> None:
    cases = {
        '{"value": "x"}': "value",
        '{"children": [{}, {"value": 1.5}]}': "children/1/value",
        '{"children": [{"by_name": {"a": {}, "b/c": {"value": null}}}]}': "children/0/by_name/b~1c/value",
        '{"pair": [{}, {"value": true}]}': "pair/1/value",
        '{"unknown": [{"value": "skipped"}], "value": []}': "value",
    }
    for text, path in cases.items():
        assert refusal(text, Tree).path == path


def test_deep_recursion_needs_no_stack() -> None:
    depth = 990
    made = penstock.json.decode('{"children":[' * (depth // 2) + "]}" * (depth // 2), Tree)
    levels = 0
    while made.children:
        made, levels = made.children[0], levels + 1
    assert levels == depth // 2 - 1
    assert made.children == []


nested = st.recursive(
    st.integers(-9, 9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(nested)
def test_any_is_as_json(value: object) -> None:
    text = json.dumps(value)
    assert penstock.json.decode(text) == value
    assert penstock.json.decode(f"[{text}]", tuple[Any]) == (value,)


@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=3), st.lists(st.integers() | st.none(), max_size=3), max_size=3
        ),
        max_size=4,
    )
)
def test_nested_containers(value: list[dict[str, list[int | None]]]) -> None:
    made = penstock.json.decode(json.dumps(value), list[dict[str, tuple[int | None, ...]]])
    assert made == [{key: tuple(items) for key, items in each.items()} for each in value]
