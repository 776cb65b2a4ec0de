"""The value of text, by type: the lexical forms of XML Schema, and nothing else.

The oracles are the standard library, with a pattern that excludes the other forms that it accepts.
"""

import base64
import datetime as dt
import enum
import math
import re
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import penstock
from penstock import LimitExceeded, Limits, ValidationError
from penstock.xml import decode

SPACE = st.text(" \t\n\r", max_size=3)


def value_of(text: str, kind: Any) -> Any:
    """Decode an element that holds a text."""
    return decode(f"<v>{escape(text)}</v>", kind)


def refused(text: str, kind: Any) -> str:
    """Return why a text is refused, without the position."""
    with pytest.raises(ValidationError) as caught:
        value_of(text, kind)
    assert caught.value.path == "v"
    assert caught.value.offset == 0
    return str(caught.value.reason)


def same(text: str, kind: Any, oracle: Callable[[str], Any], form: str) -> None:
    """A text of this form has the oracle's value; any other is refused."""
    if re.fullmatch(form, text.strip(" \t\r\n"), re.ASCII):
        assert value_of(text, kind) == oracle(text.strip(" \t\r\n"))
    else:
        assert refused(text, kind).startswith("expected ")


# --- Numbers -----------------------------------------------------------------------------------


@given(SPACE, st.text("0123456789+-. _e", max_size=25) | st.integers().map(str), SPACE)
@example("", "+0", "")
@example(" ", "-9223372036854775808", "\n")
@example("", "9223372036854775808", "")
@example("", "0" * 30 + "7", "")
@example("", "1_000", "")
@example("", "\u0663", "")
def test_integers(before: str, text: str, after: str) -> None:
    same(before + text + after, int, int, r"[+-]?[0-9]+")


FLOAT = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


@given(
    SPACE,
    st.text("0123456789+-.eE", max_size=12)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.from_regex(r"\A[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?\Z"),
    SPACE,
)
@example("", ".5", "")
@example("", "5.", "")
@example("", "-0", "")
@example("", "+1.e-3", " ")
@example("", "9007199254740993", "")
def test_floats(before: str, text: str, after: str) -> None:
    collapsed = text.strip(" \t\n\r")
    if re.fullmatch(FLOAT, collapsed) and math.isfinite(float(collapsed)):
        found = value_of(before + text + after, float)
        assert struct.pack("d", found) == struct.pack("d", float(collapsed))
    else:
        assert refused(before + text + after, float).startswith("expected float, got ")


def test_floats_that_are_no_numbers() -> None:
    assert value_of(" INF ", float) == math.inf
    assert value_of("+INF", float) == math.inf
    assert value_of("-INF", float) == -math.inf
    assert math.isnan(value_of("NaN", float))
    for text in ("inf", "Infinity", "nan", "+NaN", "-NaN", "INFINITY", "0x1p3"):
        assert refused(text, float) == f'expected float, got "{text}"'
    reason = "expected float, got a number beyond the range of a double"
    assert refused("1e400", float) == reason
    assert refused("-1e400", float) == reason


@given(SPACE, st.text("0123456789+-.e ", max_size=12), SPACE)
@example("", "1.10", "")
@example("", "+.5", "")
@example("", "123456789012345678901234567890.5", "")
def test_decimals(before: str, text: str, after: str) -> None:
    same(before + text + after, Decimal, Decimal, r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
    assert str(value_of("1.10", Decimal)) == "1.10"


def test_an_integer_has_a_limit_of_digits() -> None:
    assert value_of("0" * 10_000 + "1" * 4_300, int) == int("1" * 4_300)
    with pytest.raises(LimitExceeded, match=r"more than 4300 digits \(limits.number\)"):
        value_of("1" * 4_301, int)
    assert decode(f"<v>{'1' * 20}</v>", int, limits=Limits(number=20)) == int("1" * 20)


# --- Words -------------------------------------------------------------------------------------


@given(SPACE, st.sampled_from(["true", "false", "1", "0", "True", "yes", "", "01", "t"]), SPACE)
def test_booleans(before: str, text: str, after: str) -> None:
    words = {"true": True, "1": True, "false": False, "0": False}
    if text in words:
        assert value_of(before + text + after, bool) is words[text]
    else:
        assert refused(before + text + after, bool).startswith("expected bool, got ")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")))
@example(" a \t b ")
@example("\u00e9\U0001f600")
def test_a_str_is_kept_as_it_is(text: str) -> None:
    assert value_of(text, str) == text
    assert decode(f"<v><![CDATA[{text.replace(']]>', ']] >')}]]></v>", str) == text.replace(
        "]]>", "]] >"
    )


class Size(enum.Enum):
    SMALL = "S"
    WIDE = " W "
    SEVEN = 7


def test_enums_and_literals() -> None:
    assert value_of("S", Size) is Size.SMALL
    assert value_of("\n S ", Size) is Size.SMALL
    assert value_of(" W ", Size) is Size.WIDE
    assert value_of("+07", Size) is Size.SEVEN
    assert refused("W", Size) == 'expected Size ("S", " W " or 7), got "W"'
    assert value_of(" b", Literal["a", "b"]) == "b"
    assert value_of("3", Literal[3, "x"]) == 3
    assert value_of("true", Literal[True, "x"]) is True


# --- Dates and times ---------------------------------------------------------------------------


def offsets() -> st.SearchStrategy[dt.timezone | None]:
    """No time zone, or one of whole minutes."""
    minutes = st.integers(-14 * 60, 14 * 60).map(lambda m: dt.timezone(dt.timedelta(minutes=m)))
    return st.none() | minutes | st.just(dt.UTC)


def written(when: dt.datetime | dt.time, *, zulu: bool) -> str:
    """The form of the schema."""
    text = when.isoformat()
    return text.removesuffix("+00:00") + "Z" if zulu and text.endswith("+00:00") else text


@given(SPACE, st.datetimes(timezones=offsets()), st.booleans(), SPACE)
def test_datetimes(before: str, when: dt.datetime, zulu: bool, after: str) -> None:
    found = value_of(before + written(when, zulu=zulu) + after, dt.datetime)
    assert found == when
    assert found.utcoffset() == when.utcoffset()


@given(st.times(timezones=offsets()), st.booleans())
def test_times(when: dt.time, zulu: bool) -> None:
    found = value_of(written(when, zulu=zulu), dt.time)
    assert found == when
    assert found.utcoffset() == when.utcoffset()


@given(SPACE, st.dates())
def test_dates(space: str, day: dt.date) -> None:
    assert value_of(space + day.isoformat() + space, dt.date) == day


def test_hour_24_ends_the_day() -> None:
    assert value_of("2023-12-31T24:00:00", dt.datetime) == dt.datetime(2024, 1, 1)  # noqa: DTZ001
    utc = dt.UTC
    new_year = dt.datetime(2024, 1, 1, tzinfo=utc)
    assert value_of("2023-12-31T24:00:00.000Z", dt.datetime) == new_year
    assert value_of("24:00:00Z", dt.time) == dt.time(tzinfo=utc)
    for text in ("2023-12-31T24:00:01", "2023-12-31T24:30:00", "9999-12-31T24:00:00"):
        assert f'expected datetime, got "{text}": hour 24 ' in refused(text, dt.datetime)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("2023-02-29", dt.date, "day 29 is not in 1..28 of February 2023"),
        ("2023-01-01Z", dt.date, "a date cannot keep a time zone"),
        ("2023-01-01+05:30", dt.date, "a date cannot keep a time zone"),
        ("2023-01-01", dt.datetime, "expected 'T' between date and time"),
        ("-0001-01-01T00:00:00", dt.datetime, "expected a digit of the year"),
        ("12:00", dt.time, "the seconds are missing"),
        ("12:00:00.1234567", dt.time, "the fraction is finer than a microsecond"),
        ("P1Y", dt.timedelta, "years and months have no fixed length"),
        ("P1M", dt.timedelta, "years and months have no fixed length"),
        ("PT", dt.timedelta, "expected a number and its unit"),
        ("PT0.0000001S", dt.timedelta, "the fraction is finer than a microsecond"),
        ("P1000000000D", dt.timedelta, "it is more than 999999999 days"),
    ],
)
def test_what_is_no_date_or_time(text: str, kind: Any, reason: str) -> None:
    assert refused(text, kind) == f'expected {kind.__name__}, got "{text}": {reason}'


@given(
    st.booleans(),
    st.integers(0, 10**8),
    st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6)),
    st.integers(0, 999_999),
)
def test_durations(
    negative: bool,
    days: int,
    parts: tuple[int, int, int],
    micros: int,
) -> None:
    hours, minutes, seconds = parts
    text = f"P{days}DT{hours}H{minutes}M{seconds}.{micros:06}S"
    span = dt.timedelta(days, seconds, micros, 0, minutes, hours)
    assert value_of("-" * negative + text, dt.timedelta) == (-span if negative else span)


def test_durations_leave_out_what_is_zero() -> None:
    assert value_of("PT1.5S", dt.timedelta) == dt.timedelta(seconds=1.5)
    assert value_of(" P3D\n", dt.timedelta) == dt.timedelta(3)
    assert value_of("P0Y0M0DT0H3M0.000S", dt.timedelta) == dt.timedelta(minutes=3)


# --- Binary data -------------------------------------------------------------------------------


@given(st.binary(), st.integers(1, 80))
def test_base64_may_be_broken_into_lines(data: bytes, width: int) -> None:
    text = base64.b64encode(data).decode()
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    assert value_of("\n\t ".join(["", *lines, ""]), bytes) == data


@given(st.binary(), st.booleans())
def test_hexadecimal_digits(data: bytes, upper: bool) -> None:
    text = data.hex().upper() if upper else data.hex()
    assert value_of(f" {text} ", Annotated[bytes, penstock.Hex]) == data


def test_what_is_no_binary_data() -> None:
    reason = "expected bytes, got \"QUJ\": padding '=' is missing"
    assert refused("QUJ", bytes) == reason
    assert refused("0g", Annotated[bytes, penstock.Hex]).endswith(
        'got "0g": it is not pairs of hexadecimal digits'
    )
    refused("abc", Annotated[bytes, penstock.Hex])


@given(st.uuids())
def test_uuids(value: uuid.UUID) -> None:
    assert value_of(f"\n{value}", uuid.UUID) == value
    assert value_of(value.hex.upper(), uuid.UUID) == value


# --- Wherever the text stands ------------------------------------------------------------------


@dataclass
class Both:
    inner: int
    outer: Annotated[int, penstock.at("@outer")]


@given(st.integers(), SPACE)
def test_an_attribute_is_a_value_like_any_other(number: int, space: str) -> None:
    text = f'<b outer="{space}{number}{space}"><inner>{space}{number}{space}</inner></b>'
    assert decode(text, Both) == Both(number, number)


def test_text_in_pieces_is_one_value() -> None:
    text = "<v>1<!-- no -->2<![CDATA[3]]><?no?>&#52;&amp;</v>"
    assert decode(text, str) == "1234&"
    assert decode(text.replace("&amp;", ""), int) == 1234


@given(st.text("0123456789<>&\u00e9 \n", min_size=1, max_size=60), st.data())
def test_any_chunks_give_the_same_value(text: str, data: st.DataObject) -> None:
    document = f"<r><v>{escape(text)}</v></r>".encode()
    decoder = penstock.xml.Decoder(str)
    rows: list[str] = []
    while document:
        size = data.draw(st.integers(1, 7))
        rows += decoder.feed(document[:size])
        document = document[size:]
    assert rows + decoder.finish() == [text]
