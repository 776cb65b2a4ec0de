"""Keys of dicts that are not text."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import ipaddress
import json
import pathlib
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NewType, TypedDict

import annotated_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Hex, Plan, ValidationError, decode, via, xml

UserId = NewType("UserId", int)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = -2


class Size(enum.Enum):
    SMALL = "S"
    ONE = 1
    YES = True


class Name(str):
    __slots__ = ()


KEYS: list[tuple[Any, str, object]] = [
    (int, "-12", -12),
    (int, "0", 0),
    (int, "123456789012345678901234567890", 123456789012345678901234567890),
    (UserId, "7", 7),
    (bool, "true", True),
    (bool, "false", False),
    (float, "1.5", 1.5),
    (float, "1e+16", 1e16),
    (float, "3", 3.0),
    (decimal.Decimal, "1.50", decimal.Decimal("1.50")),
    (Level, "-2", Level.HIGH),
    (Size, "S", Size.SMALL),
    (Literal[1, 2], "2", 2),
    (Literal["a", 1], "1", 1),
    (
        uuid.UUID,
        "12345678-1234-5678-1234-567812345678",
        uuid.UUID(int=0x12345678123456781234567812345678),
    ),
    (dt.date, "2026-03-01", dt.date(2026, 3, 1)),
    (dt.time, "12:00:00", dt.time(12)),
    (dt.datetime, "2026-03-01T12:00:00Z", dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)),
    (dt.timedelta, "PT1H", dt.timedelta(hours=1)),
    (bytes, "cGVu", b"pen"),
    (Annotated[bytes, Hex], "00ff", b"\x00\xff"),
    (ipaddress.IPv4Address, "1.2.3.4", ipaddress.IPv4Address("1.2.3.4")),
    (pathlib.PurePosixPath, "a/b", pathlib.PurePosixPath("a/b")),
    (Name, "a", Name("a")),
    (int | str, "5", 5),
    (int | str, "05", "05"),
    (str | dt.date, "2026-03-01", dt.date(2026, 3, 1)),
    (Annotated[str, via(str.upper)], "a", "A"),
    (Annotated[int, annotated_types.Gt(0)], "5", 5),
]


@pytest.mark.parametrize(("into", "key", "value"), KEYS)
def test_keys(into: Any, key: str, value: object) -> None:
    document = json.dumps({key: 1})
    for asked in (dict[into, int], defaultdict[into, int], Counter[into]):
        found = decode(document, asked)
        assert found == {value: 1}
        assert [type(key) for key in found] == [type(value)]


REFUSED: list[tuple[Any, str, str]] = [
    (int, "x", 'expected int, got the key "x"'),
    (int, "", 'expected int, got the key ""'),
    (int, "01", 'expected int, got the key "01"'),
    (int, "+1", 'expected int, got the key "+1"'),
    (int, " 1", 'expected int, got the key " 1"'),
    (int, "1.0", 'expected int, got the key "1.0"'),
    (int, "1_0", 'expected int, got the key "1_0"'),
    (int, "-0", 'expected int, got the key "-0"'),
    (int, "-", 'expected int, got the key "-"'),
    (int, "\u0661", 'expected int, got the key "\u0661"'),
    (bool, "1", 'expected bool, got the key "1"'),
    (bool, "True", 'expected bool, got the key "True"'),
    (float, "nan", 'expected float, got the key "nan"'),
    (float, "1e999", 'expected float, got the key "1e999"'),
    (float, ".5", 'expected float, got the key ".5"'),
    (decimal.Decimal, "x", 'expected Decimal, got the key "x": it is no decimal number'),
    (Level, "2", 'expected 1 or -2, got the key "2"'),
    (Literal["a", 1], "2", 'expected "a" or 1, got the key "2"'),
    (uuid.UUID, "x", 'expected UUID, got the key "x": it is no UUID'),
    (dt.date, "2026-13-01", 'expected date, got the key "2026-13-01": month 13 is not in 1..12'),
    (
        ipaddress.IPv4Address,
        "1.2",
        "expected IPv4Address, got the key \"1.2\": Expected 4 octets in '1.2'",
    ),
    (int | dt.date, "x", 'expected int | date, got the key "x"'),
    (Annotated[int, annotated_types.Gt(0)], "-1", "expected int > 0, got the key -1"),
]


@pytest.mark.parametrize(("into", "key", "reason"), REFUSED)
def test_refused_keys(into: Any, key: str, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(json.dumps({"a": {key: 1}}, ensure_ascii=False), dict[str, dict[into, int]])
    error = caught.value
    assert error.reason == reason
    # The empty key has a spelling of its own.
    assert error.path == f"a/{key or '~4'}"
    assert (error.line, error.column) == (1, 8)


def test_values_below_keys() -> None:
    with pytest.raises(ValidationError) as caught:
        decode('{"1": {"2026-03-01": [1, "x"]}}', dict[int, dict[dt.date, list[int]]])
    assert caught.value.path == "1/2026-03-01/1"


def test_a_key_beyond_all_use() -> None:
    assert decode(json.dumps({"9" * 4_300: 1}), dict[int, int]) == {10**4_300 - 1: 1}
    with pytest.raises(ValidationError, match="expected int, got the key"):
        decode(json.dumps({"9" * 4_301: 1}), dict[int, int])


def test_keys_that_come_again() -> None:
    document = '{"1.0": 1, "1": 2}'
    assert decode(document, dict[float, int]) == {1.0: 2}
    assert decode(document, dict[float, int], duplicates="first") == {1.0: 1}
    with pytest.raises(ValidationError, match="occurs more than once"):
        decode(document, dict[float, int], duplicates="error")


def test_names_of_elements() -> None:
    into: Any = TypedDict("Doc", {"v": dict[Size, list[int]]})
    assert xml.decode("<d><v><S>1</S><S>2</S></v></d>", into) == {"v": {Size.SMALL: [1, 2]}}
    with pytest.raises(ValidationError) as caught:
        xml.decode("<d><v><X>1</X></v></d>", into)
    assert caught.value.path == "d/v/X"
    names: Any = TypedDict("Doc", {"v": dict[Name, dict[pathlib.PurePath, int]]})
    found = xml.decode("<d><v><a><b>1</b></a></v></d>", names)
    assert found == {"v": {Name("a"): {pathlib.PurePath("b"): 1}}}


@given(
    st.dictionaries(st.integers(), st.integers(0, 9)),
    st.dictionaries(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 9)),
    st.dictionaries(st.uuids(), st.integers(0, 9)),
    st.dictionaries(st.dates(), st.integers(0, 9)),
)
def test_keys_as_they_are_printed_come_back(
    ints: dict[Any, int], floats: dict[Any, int], uuids: dict[Any, int], dates: dict[Any, int]
) -> None:
    dicts: list[tuple[Any, dict[Any, int]]] = [
        (int, ints),
        (float, floats),
        (uuid.UUID, uuids),
        (dt.date, dates),
    ]
    for into, value in dicts:
        document = json.dumps({str(key): count for key, count in value.items()})
        assert decode(document, dict[into, int]) == value


def test_in_a_class() -> None:
    @dataclass
    class Doc:
        by_day: dict[dt.date, float]

    plan = Plan(Doc)
    assert decode('{"by_day": {"2026-03-01": 1}}', plan) == Doc({dt.date(2026, 3, 1): 1.0})
    assert "by_day: dict[date, float]" in repr(plan)
