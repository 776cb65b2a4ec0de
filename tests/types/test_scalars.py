"""Scalars of the standard library: each as `str` prints it, from JSON and from XML."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import json
import pathlib
import re
import typing
import uuid
import zoneinfo
from typing import Annotated, Any, Literal, TypedDict
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import (
    Base64Mime,
    Base64Unpadded,
    Base64Url,
    Hex,
    Plan,
    PlanError,
    ValidationError,
    decode,
    xml,
)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Size(enum.StrEnum):
    SMALL = "S"
    LARGE = "L"


class Mixed(str, enum.Enum):  # noqa: UP042 - how it was written before there was StrEnum
    A = "a"


class Permission(enum.Flag):
    READ = 1
    WRITE = 2


class Conforming(enum.Flag, boundary=enum.CONFORM):
    READ = 1


class Ejecting(enum.IntFlag, boundary=enum.EJECT):
    READ = 1


class Ratio(enum.Enum):
    HALF = 0.5
    WHOLE = 1


class Corner(enum.Enum):
    ORIGIN = (0, 0)
    FAR = (1, 1)


class Price(enum.Enum):
    LOW = decimal.Decimal("0.10")


class Holiday(enum.Enum):
    NEW_YEAR = dt.date(2026, 1, 1)


class Huge(enum.Enum):
    HUGE = 2**70


class Found(enum.Enum):
    """An enum with a `_missing_` of its own."""

    TENTH = 0.1

    @classmethod
    def _missing_(cls, value: object) -> Found | None:
        return cls.TENTH if value == 0.2 else None


def of_xml(text: str, into: Any) -> Any:
    """The value of an element with this text."""
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d><v>{escape(text)}</v></d>", plan)["v"]


def refused(text: str, into: Any) -> str:
    """The message for a JSON value that is refused, without the position."""
    with pytest.raises(ValidationError) as caught:
        decode(text, into)
    return caught.value.reason


@pytest.mark.parametrize(
    ("text", "form", "reason"),
    [
        ("+/8", None, "padding '=' is missing"),
        ("-_8=", None, "not a character of base64, but of its form for URLs"),
        ("cGVu\\nc3Rv", None, "not a character of base64"),
        ("+/8=", Base64Url, "not a character of base64 for URLs"),
        ("gQ=", Base64Url, "padding '=' is missing"),
        ("gR", Base64Url, "the last character has bits that belong to no byte"),
        ("-_8=", Base64Unpadded, "not a character of base64, but of its form for URLs"),
        ("+/8==", Base64Unpadded, "too much padding '='"),
        ("cGVu c3R", Base64Mime, "padding '=' is missing"),
    ],
)
def test_other_base64(text: str, form: object, reason: str) -> None:
    into: Any = bytes if form is None else Annotated[bytes, form]
    assert refused(f'"{text}"', into).endswith(f": {reason}")


def test_base64_in_lines() -> None:
    for form in (Base64Mime, Base64Unpadded, Base64Url, None):
        into: Any = bytes if form is None else Annotated[bytes, form]
        assert xml.decode("<a>cGVu c3Rv\r\n\tY2s=\n</a>", into) == b"penstock"
    assert decode(r'" cGVu c3Rv\r\n\tY2s=\n"', Annotated[bytes, Base64Mime]) == b"penstock"


def test_the_forms_of_bytes_are_for_bytes() -> None:
    for form in (Base64Mime, Base64Unpadded, Base64Url, Hex):
        with pytest.raises(PlanError, match=f"^{form!r} is only for bytes$"):
            Plan(Annotated[str, form])
        assert decode("null", Annotated[bytes | None, form]) is None


TEXTS: list[tuple[str, Any, Any]] = [
    ("cGVu", bytearray, bytearray(b"pen")),
    ("00fF", Annotated[bytearray, Hex], bytearray(b"\x00\xff")),
    ("+/8=", bytes, b"\xfb\xff"),
    ("+/8", Annotated[bytes, Base64Unpadded], b"\xfb\xff"),
    ("+/8=", Annotated[bytes | None, Base64Unpadded], b"\xfb\xff"),
    ("-_8", Annotated[bytes, Base64Url], b"\xfb\xff"),
    ("-_8=", Annotated[bytearray, Base64Url], bytearray(b"\xfb\xff")),
    ("", Annotated[bytes, Base64Url], b""),
    ("S", Size, Size.SMALL),
    ("a", Mixed, Mixed.A),
    ("2026-01-01", Holiday, Holiday.NEW_YEAR),
    ("a/b.txt", pathlib.Path, pathlib.Path("a/b.txt")),
    ("a/b", pathlib.PurePath, pathlib.PurePath("a/b")),
    ("a/b", pathlib.PurePosixPath, pathlib.PurePosixPath("a/b")),
    ("a/b", pathlib.PosixPath, pathlib.PosixPath("a/b")),
    (r"c:\a", pathlib.PureWindowsPath, pathlib.PureWindowsPath(r"c:\a")),
    ("192.168.0.1", ipaddress.IPv4Address, ipaddress.IPv4Address("192.168.0.1")),
    ("::1", ipaddress.IPv6Address, ipaddress.IPv6Address("::1")),
    ("10.0.0.0/8", ipaddress.IPv4Network, ipaddress.IPv4Network("10.0.0.0/8")),
    ("fe80::/64", ipaddress.IPv6Network, ipaddress.IPv6Network("fe80::/64")),
    ("10.0.0.1/8", ipaddress.IPv4Interface, ipaddress.IPv4Interface("10.0.0.1/8")),
    ("fe80::1/64", ipaddress.IPv6Interface, ipaddress.IPv6Interface("fe80::1/64")),
    ("Europe/Zurich", zoneinfo.ZoneInfo, zoneinfo.ZoneInfo("Europe/Zurich")),
    ("^a+$", re.Pattern, re.compile("^a+$")),
    ("a", re.Pattern[str], re.compile("a")),
    ("a", typing.Pattern[str], re.compile("a")),
    ("3/4", fractions.Fraction, fractions.Fraction(3, 4)),
    ("-3", fractions.Fraction, fractions.Fraction(-3)),
    ("(1+2j)", complex, 1 + 2j),
    ("(-0-1e-07j)", complex, complex(-0.0, -1e-07)),
    ("2.5j", complex, 2.5j),
    ("PT1H", dt.timedelta, dt.timedelta(hours=1)),
    ("2026-03-01T12:00:00", dt.datetime, dt.datetime(2026, 3, 1, 12)),  # noqa: DTZ001 - naive
    (
        "2026-03-01T12:00:00Z",
        dt.datetime,
        dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC),
    ),
    (
        "2026-03-01T12:00:00.5+05:30",
        dt.datetime,
        dt.datetime(2026, 3, 1, 12, 0, 0, 500_000, dt.timezone(dt.timedelta(hours=5, minutes=30))),
    ),
    ("12:00:00+01:00", dt.time, dt.time(12, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
]

NUMBERS: list[tuple[str, Any, Any]] = [
    ("2", Level, Level.HIGH),
    ("3", Permission, Permission.READ | Permission.WRITE),
    ("0", Permission, Permission(0)),
    ("1", Ejecting, Ejecting.READ),
    ("0.5", Ratio, Ratio.HALF),
    ("1", Ratio, Ratio.WHOLE),
    ("0.10", Price, Price.LOW),
    ("0.1", Price, Price.LOW),
    (str(2**70), Huge, Huge.HUGE),
    ("0.1", Found, Found.TENTH),
    ("0.2", Found, Found.TENTH),
]


@pytest.mark.parametrize(("text", "into", "value"), TEXTS)
def test_text(text: str, into: Any, value: object) -> None:
    for got in (decode(json.dumps(text), into), of_xml(text, into)):
        assert got == value
        assert type(got) is type(value)
        assert repr(got) == repr(value)
    assert decode(f"[{json.dumps(text)}, null]", list[into | None]) == [value, None]


@pytest.mark.parametrize(("text", "into", "value"), NUMBERS)
def test_numbers(text: str, into: Any, value: object) -> None:
    for got in (decode(text, into), of_xml(text, into), of_xml(f" {text}\n", into)):
        assert got == value
        assert type(got) is type(value)


def test_tuples_as_values_of_an_enum() -> None:
    assert decode("[1, 1]", Corner) is Corner.FAR
    assert refused("[0, 1]", Corner) == "expected Corner, got (0, 1): no member has that value"


def test_members_in_a_literal() -> None:
    into: Any = Literal[Size.SMALL, Level.HIGH]
    assert decode('"S"', into) is Size.SMALL
    assert decode("2", into) is Level.HIGH
    assert refused('"L"', into) == 'expected Literal[Size.SMALL, Level.HIGH], got "L"'


@pytest.mark.parametrize(
    "into",
    [into for _, into, value in TEXTS if not isinstance(value, (pathlib.PurePath, re.Pattern))],
)
def test_white_space_around_values_of_markup_says_nothing(into: Any) -> None:
    text, _, value = next(row for row in TEXTS if row[1] is into)
    assert of_xml(f"\n  {text}\t", into) == value
    if into not in {Size, Mixed}:
        with pytest.raises(ValidationError):
            decode(json.dumps(f" {text}"), into)


def test_a_path_is_any_text() -> None:
    assert of_xml(" a ", pathlib.Path) == pathlib.Path(" a ")
    assert of_xml(" a ", re.Pattern).pattern == " a "


REFUSED = [
    ('"cGV"', bytearray, "expected bytearray, got \"cGV\": padding '=' is missing"),
    ("1", bytearray, "expected bytearray, got the integer 1"),
    ("8", Permission, "expected Permission, got 8: some of its bits are no flags"),
    ("-1", Permission, "expected Permission, got -1: some of its bits are no flags"),
    ("1.5", Permission, "expected Permission, got a number with a fraction or an exponent"),
    ("3", Conforming, "expected Conforming, got 3: some of its bits are no flags"),
    ("3", Ejecting, "expected Ejecting, got 3: some of its bits are no flags"),
    ('"READ"', Permission, "expected Permission, got a string"),
    ("0.25", Ratio, "expected Ratio, got 0.25: no member has that value"),
    (
        "0.10000000000000001",
        Price,
        "expected Price, got 0.10000000000000001: no member has that value",
    ),
    ("1", pathlib.Path, "expected Path, got the integer 1"),
    (
        '"1.2.3"',
        ipaddress.IPv4Address,
        "expected IPv4Address, got \"1.2.3\": Expected 4 octets in '1.2.3'",
    ),
    (
        '"10.0.0.1/8"',
        ipaddress.IPv4Network,
        'expected IPv4Network, got "10.0.0.1/8": 10.0.0.1/8 has host bits set',
    ),
    ("1", ipaddress.IPv4Address, "expected IPv4Address, got the integer 1"),
    ('"Europe"', zoneinfo.ZoneInfo, 'expected ZoneInfo, got "Europe": no such time zone is known'),
    ('"x/y"', zoneinfo.ZoneInfo, 'expected ZoneInfo, got "x/y": no such time zone is known'),
    (
        '"../../etc/passwd"',
        zoneinfo.ZoneInfo,
        'expected ZoneInfo, got "../../etc/passwd": no such time zone is known',
    ),
    ('""', zoneinfo.ZoneInfo, 'expected ZoneInfo, got "": no such time zone is known'),
    (
        '"a("',
        re.Pattern,
        'expected Pattern, got "a(": missing ), unterminated subpattern at position 1',
    ),
    ('"0.5"', fractions.Fraction, 'expected Fraction, got "0.5": it is no fraction, as in 3/4'),
    (
        '"1e1000000000"',
        fractions.Fraction,
        'expected Fraction, got "1e1000000000": it is no fraction, as in 3/4',
    ),
    ('"1/0"', fractions.Fraction, 'expected Fraction, got "1/0": its denominator is 0'),
    ("1", fractions.Fraction, "expected Fraction, got the integer 1"),
    ('"1 + 2j"', complex, 'expected complex, got "1 + 2j": it is no complex number, as in (1+2j)'),
    ('"(1+2j"', complex, 'expected complex, got "(1+2j": it is no complex number, as in (1+2j)'),
    ('"nan"', complex, 'expected complex, got "nan": it is no complex number, as in (1+2j)'),
    ('"1e999j"', complex, 'expected complex, got "1e999j": it is beyond the range of a double'),
]


@pytest.mark.parametrize(("text", "into", "reason"), REFUSED)
def test_what_does_not_fit(text: str, into: Any, reason: str) -> None:
    assert refused(text, into) == reason
    assert refused(f"[{text}]", list[into]) == reason


def test_the_place_and_the_cause() -> None:
    with pytest.raises(ValidationError) as caught:
        decode('{"a": [null,\n "1.2"]}', dict[str, list[ipaddress.IPv4Address | None]])
    error = caught.value
    assert (error.path, error.line, error.column) == ("a/1", 2, 2)
    assert isinstance(error.__cause__, ipaddress.AddressValueError)
    assert (error.expected, error.got) == ("IPv4Address | None", '"1.2"')


def test_digits_beyond_what_the_interpreter_takes() -> None:
    long = "9" * 5_000
    assert "expected Fraction, got" in refused(f'"{long}"', fractions.Fraction)
    assert decode(f'"{"9" * 4_000}"', fractions.Fraction) == int("9" * 4_000)


def test_elements_with_child_elements() -> None:
    plan: Any = TypedDict("Doc", {"v": ipaddress.IPv4Address})
    with pytest.raises(ValidationError, match="expected IPv4Address, got an element with child"):
        xml.decode("<d><v>1.2.<b>3.4</b></v></d>", plan)
    paths: Any = TypedDict("Doc", {"v": pathlib.Path})
    assert xml.decode("<d><v>a/<b>b</b></v></d>", paths) == {"v": pathlib.Path("a/b")}


def test_attributes_and_own_text() -> None:
    at = penstock.at
    plan: Any = TypedDict(
        "Doc",
        {
            "ip": Annotated[ipaddress.IPv4Address, at("@ip")],
            "flags": Annotated[Permission, at("@flags")],
            "text": Annotated[fractions.Fraction | None, at("text()")],
        },
    )
    doc = xml.decode('<d ip=" 1.2.3.4" flags="1"> 1/2 </d>', plan)
    assert doc == {
        "ip": ipaddress.IPv4Address("1.2.3.4"),
        "flags": Permission.READ,
        "text": fractions.Fraction(1, 2),
    }


def test_unions_by_form() -> None:
    into: Any = ipaddress.IPv4Address | ipaddress.IPv6Address | fractions.Fraction | str
    document = '["1.2.3.4", "::1", "1/3", "x"]'
    assert decode(document, list[into]) == [
        ipaddress.IPv4Address("1.2.3.4"),
        ipaddress.IPv6Address("::1"),
        fractions.Fraction(1, 3),
        "x",
    ]
    assert of_xml(" ::1 ", into) == ipaddress.IPv6Address("::1")
    with pytest.raises(PlanError, match="nothing tells them apart in a string"):
        Plan(pathlib.Path | str)


def test_what_no_document_can_have() -> None:
    with pytest.raises(PlanError, match=r"^a document has no pattern of bytes"):
        Plan(re.Pattern[bytes])
    with pytest.raises(PlanError, match=r"^WindowsPath is of another operating system$"):
        Plan(pathlib.WindowsPath)


ROUND_TRIPS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (ipaddress.IPv4Address, st.ip_addresses(v=4)),
    (ipaddress.IPv6Address, st.ip_addresses(v=6)),
    (
        ipaddress.IPv4Interface,
        st.tuples(st.ip_addresses(v=4), st.integers(0, 32)).map(ipaddress.IPv4Interface),
    ),
    (
        ipaddress.IPv6Network,
        st.tuples(st.ip_addresses(v=6), st.integers(0, 128)).map(
            lambda pair: ipaddress.IPv6Network(pair, strict=False)
        ),
    ),
    (zoneinfo.ZoneInfo, st.timezone_keys(allow_prefix=False).map(zoneinfo.ZoneInfo)),
    (fractions.Fraction, st.fractions()),
    (complex, st.complex_numbers(allow_nan=False, allow_infinity=False)),
    (uuid.UUID, st.uuids()),
    (decimal.Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
    (pathlib.PurePosixPath, st.text(st.characters(codec="utf-8")).map(pathlib.PurePosixPath)),
]


@pytest.mark.parametrize(
    ("into", "values"), ROUND_TRIPS, ids=lambda it: getattr(it, "__name__", "")
)
def test_what_is_printed_comes_back(into: Any, values: st.SearchStrategy[Any]) -> None:
    plan: Any = Plan(into)

    @given(values)
    def comes_back(value: object) -> None:
        text = str(value)
        got = decode(json.dumps(text), plan)
        assert (got, repr(got)) == (value, repr(value))
        if into is not pathlib.PurePosixPath and "E" not in text:
            assert repr(of_xml(text, into)) == repr(value)

    comes_back()


@given(st.text())
def test_any_text_is_a_value_or_refused(text: str) -> None:
    document = json.dumps(text)
    for into in (complex, fractions.Fraction, re.Pattern, zoneinfo.ZoneInfo, bytearray):
        try:
            value = decode(document, into)
        except ValidationError:
            continue
        assert isinstance(value, into)
