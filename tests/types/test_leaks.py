"""Values of all these types leak nothing, whether they fit or not, from JSON and from XML."""

from __future__ import annotations

import collections
import contextlib
import datetime as dt
import decimal
import enum
import fractions
import gc
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from array import array
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypedDict

import annotated_types
import pytest
from leaks import assert_nothing_left

import penstock
from penstock import Hex, Plan, decode, pattern, typecode, unix, xml

pytestmark = [
    pytest.mark.thread_unsafe(reason="what it counts is the whole process's"),
    pytest.mark.alone(reason="the link to the process that shares tests out makes objects, too"),
]


class Permission(enum.Flag):
    READ = 1
    WRITE = 2


class Ratio(enum.Enum):
    HALF = 0.5


class Size(enum.StrEnum):
    SMALL = "S"


class Name(str):
    __slots__ = ()


class Tags(list[str]):
    pass


class Even(int):
    def __init__(self, value: int) -> None:
        if value % 2:
            raise ValueError("odd")


class Options(dict):
    name: str


# A type, a value of it in JSON, one that does not fit, and both as the content of elements.
ROWS: list[tuple[Any, str, str, str, str]] = [
    (bytearray, '"cGVu"', '"c"', "cGVu", "c"),
    (Annotated[bytearray, Hex], '"00ff"', '"0"', "00ff", "0"),
    (Permission, "3", "8", "3", "8"),
    (Ratio, "0.5", "0.25", "0.5", "0.25"),
    (Literal[Size.SMALL], '"S"', '"L"', "S", "L"),
    (pathlib.Path, '"a/b"', "1", "a/b", "<a/>"),
    (ipaddress.IPv4Address, '"1.2.3.4"', '"1.2.3"', "1.2.3.4", "1.2.3"),
    (ipaddress.IPv6Network, '"fe80::/64"', '"x"', "fe80::/64", "x"),
    (zoneinfo.ZoneInfo, '"UTC"', '"Nowhere"', "UTC", "Nowhere"),
    (re.Pattern, '"a+"', '"a("', "a+", "a("),
    (fractions.Fraction, '"3/4"', '"3/0"', "3/4", "3/0"),
    (complex, '"(1+2j)"', '"x"', "(1+2j)", "x"),
    (Annotated[dt.datetime, unix("s")], "1.5", "1.00000001", "1.5", "1.00000001"),
    (Annotated[int, annotated_types.Gt(5)], "1000", "3", "1000", "3"),
    (Annotated[float, annotated_types.MultipleOf(0.5)], "1.5", "1.25", "1.5", "1.25"),
    (Annotated[str, pattern("^a"), annotated_types.MinLen(2)], '"ab"', '"b"', "ab", "b"),
    (
        Annotated[str, annotated_types.Predicate(str.islower)],
        '"lower case"',
        '"UPPER CASE"',
        "lower case",
        "UPPER CASE",
    ),
    (Name, '"a long name"', "1", "a long name", "<a/>"),
    (Even, "1000", "1001", "1000", "1001"),
    (collections.deque[int], "[1000, 2000]", '[1000, "x"]', "1000", "x"),
    (Annotated[array, typecode("B")], "[1, 2]", "[1, 300]", "1", "300"),
    (Tags, '["a", "b"]', "[1]", "a", "<a/>"),
    (Annotated[list[int], annotated_types.MaxLen(1)], "[1000]", "[1000, 2000]", "1000", "x"),
    (collections.Counter[str], '{"a": 1000}', '{"a": "x"}', "<a>1000</a>", "<a>x</a>"),
    (
        collections.defaultdict[str, list[int]],
        '{"a": [1000]}',
        '{"a": [1000, "x"]}',
        "<a>1000</a>",
        "<a>x</a>",
    ),
    (Options, '{"name": "a long name"}', '{"nam": "a"}', "<name>a</name>", "<nam/>"),
    (dict[int, float], '{"1000": 1.5}', '{"1000": 1.5, "x": 1}', "", "<a>1</a>"),
    (dict[Name, float], '{"abc": 1.5}', '{"abc": "x"}', "<abc>1.5</abc>", "<abc>x</abc>"),
    (
        dict[uuid.UUID, int],
        '{"12345678-1234-5678-1234-567812345678": 1}',
        '{"x": 1}',
        "",
        "<a>1</a>",
    ),
    (Mapping[decimal.Decimal, int], '{"1.50": 1}', '{"1.50": 1, "x": 1}', "", "<a>1</a>"),
]


@pytest.fixture(autouse=True, scope="module")
def only_what_is_new() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0])[:50])
def test_values(row: tuple[Any, str, str, str, str]) -> None:
    into, good, bad, element, misfit = row
    lists: Any = Plan(list[into])
    markup: Any = Plan(TypedDict("Doc", {"v": into}))

    def work() -> None:
        decode(f"[{good}, {good}]", lists)
        with pytest.raises(penstock.ValidationError):
            decode(f"[{good}, {bad}]", lists)
        xml.decode(f"<d><v>{element}</v></d>", markup)
        with contextlib.suppress(penstock.ValidationError):
            xml.decode(f"<d><v>{element}</v><v>{misfit}</v></d>", markup)

    assert_nothing_left(work, (into,))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0])[:50])
def test_plans(row: tuple[Any, str, str, str, str]) -> None:
    into = row[0]

    def work() -> None:
        Plan(list[into], strict=False, unix="ms")

    assert_nothing_left(work, (into,))


def test_lax_plans() -> None:
    plan: Any = Plan(list[int | bool | None], strict=False)

    def work() -> None:
        decode('["1000", 1000.0, "true", null]', plan)
        with pytest.raises(penstock.ValidationError):
            decode('["1000", 1000.5]', plan)

    assert_nothing_left(work, (plan,))
