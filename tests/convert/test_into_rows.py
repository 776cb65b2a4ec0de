"""Rows that are converted by a class are those of reading and writing its objects."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from dataclasses import field as field_of
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import pytest
from annotated_types import Ge, Len, Lt, MinLen, MultipleOf
from converting import agree, converted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linear import assert_linear

import penstock
from penstock import PlanError, at, cells, separated, spread
from penstock.csv import Dialect


class Size(Enum):
    SMALL = "S"
    LARGE = 7


# Each type, values of it for JSON, texts of it for cells, and a default.
Kind = tuple[Any, list[Any], list[str], Any]
NUMBERS = ["1", "0", "-7", "+3", " 12 ", "007", "99999999999999999999"]
FLOATS = ["1.5", "-0.0", "1e3", " .5", "INF", "NaN", "1e400", *NUMBERS]
DECIMALS = ["1.50", "+1.5", "-0", "0.0000001", "1e3", "00.5", "9" * 70, *NUMBERS]
TIMES = ["03:04:05", "24:00:00", "03:04:05.120+01:00"]
DATES = ["2024-02-29", " 2024-01-02", "2024-01-02Z", "2023-02-29", "0000-01-01"]
BOTH = ["2024-01-02T03:04:05Z", "2024-01-02T24:00:00", "2024-01-02 03:04:05.5+01:30"]
WORDS = ["a", "b", "abcdef", " a ", "é", '"q""q"', '"a\nb"', '""', "=1", "null", "x,y"]
KEY = "12345678-9abc-def0-1234-56789abcdef0"
KINDS: list[Kind] = [
    (int, [1, -5, 2**70], NUMBERS, 3),
    (int | None, [1, None], NUMBERS, None),
    (float, [1, 1.5, 1e300], FLOATS, 0.5),
    (float | None, [2.5, None], FLOATS, 1.0),
    (bool, [True, False], ["true", "false", "1", "0", " true", "TRUE"], True),
    (str, ["", "a", " b", "1", "é\n"], WORDS, "d"),
    (str, ["", "a"], WORDS, ""),
    (str | None, ["", "a", None], WORDS, None),
    (Decimal, [1, 1.5, "2.50", "1e5"], DECIMALS, Decimal("1.50")),
    (date, ["2024-02-29"], DATES, date(2024, 1, 2)),
    (datetime, BOTH, BOTH, datetime(2024, 1, 2, tzinfo=UTC)),
    (time, ["03:04:05"], TIMES, time(1, 2, 3)),
    (timedelta, ["PT1H", "P1DT2H"], ["PT1H", " P1D", "P1Y", "-PT1S"], timedelta(hours=1)),
    (UUID, [KEY], [KEY, KEY.replace("-", ""), "x"], UUID(KEY)),
    (bytes, ["", "cGVu"], ["cGVu", "cG Vu", "cGV", '""'], b"pen"),
    (bytes | None, ["", "cGVu", None], ["cGVu", '""'], None),
    (Any, [1, "1", "", None, True, 1.5], ["1", "a", '""'], "z"),
    (Size, ["S", 7, "L"], ["S", "7", " S", "L"], Size.SMALL),
    (Literal["a", "b"], ["a", "b", "c"], ["a", " b", "c", '""'], "a"),
    (Literal[1, "x", 2], [1, "x", 2, "1"], ["1", "x", " 2", "3"], 1),
    (Literal["1", 1, True], ["1", 1, True], ["1", "true"], "1"),
    (int | str, [1, "1", "x", ""], ["1", "x", '""'], 5),
    (date | str, ["2024-02-29", "x"], ["2024-02-29", "x"], "y"),
    (Annotated[int, Ge(0)], [0, -1, 5], NUMBERS, 3),
    (Annotated[int, MultipleOf(2)], [0, -1, 4], NUMBERS, 2),
    (Annotated[float, Lt(10)], [1, 9.5, 10], FLOATS, 3.0),
    (Annotated[str, Len(1, 3)], ["", "abc", "abcd"], WORDS, "abc"),
    (Annotated[bytes, MinLen(3)], ["cGVu", "cA=="], ["cGVu", "cA=="], b"pen"),
    (Annotated[Decimal, Ge(1)], [1, "0.5"], DECIMALS, Decimal(1)),
    (Annotated[float, cells(decimal=",", thousands=".")], [1.5], ['"1.234,5"', "1.5", "7"], 1.5),
    (Annotated[float | None, cells(null=("-", "NA"))], [1.5, None], ["-", "NA", "1.5"], None),
    (Annotated[bool, cells(true=("ja",), false=("nein",))], [True], ["ja", "nein", "1"], False),
    (Annotated[Decimal, cells(currency="€")], ["1.5"], ["€ 1.50", "1.5 €", "1"], Decimal(2)),
    (Annotated[str | None, cells(null=("-",))], ["a", "-", None], ["-", "a", '""'], None),
    (Annotated[int, cells(null=("-",))], [1], ["-", "1"], 1),
]
NAMES = ["a", "b", "long name", "é", "d", "e"]


def any_class(rng: Random) -> tuple[Any, list[tuple[str, Kind]]]:
    """A flat class, and the names of its columns with their kinds."""
    kinds = [rng.choice(KINDS) for _ in range(rng.randrange(1, 6))]
    fields, columns = [], []
    is_dict = rng.random() < 0.15
    for number, (kind, name) in enumerate(zip(kinds, NAMES, strict=False)):
        attribute = f"field_{number}"
        placed = rng.random() < 0.5
        annotation = Annotated[kind[0], at(name)] if placed else kind[0]
        columns.append((name if placed else attribute, kind))
        has_default = rng.random() < 0.4
        fields.append((attribute, annotation, has_default, kind[3]))
    if is_dict:
        name = "Record"
        made: Any = TypedDict(name, {it[0]: it[1] for it in fields}, total=rng.random() < 0.5)  # type: ignore[operator]
        return made, columns
    made = make_dataclass(
        "Record",
        [(it[0], it[1], field_of(default=it[3])) if it[2] else (it[0], it[1]) for it in fields],
        kw_only=True,
        slots=rng.random() < 0.5,
    )
    if rng.random() < 0.2:
        made = penstock.Plan(made, cells=cells(null=("NA",), decimal=rng.choice(".,")))
    return made, columns


@given(st.randoms(use_true_random=False), st.integers(1, 200))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_rows(rng: Random, size: int) -> None:
    into, columns = any_class(rng)
    header = [*columns, ("other", KINDS[0])] if rng.random() < 0.3 else list(columns)
    if rng.random() < 0.2:
        header.remove(rng.choice(header))
    rng.shuffle(header)
    rows = [",".join(name for name, _ in header)] if header else []
    for _ in range(rng.randrange(6)):
        texts = []
        for _, kind in header:
            known = rng.choice(KINDS) if rng.random() < 0.05 else kind
            texts.append("" if rng.random() < 0.1 else rng.choice(known[2]))
        if rng.random() < 0.05:
            texts.append("1")
        rows.append(
            ",".join(text if text[:1] == '"' or "," not in text else f'"{text}"' for text in texts)
        )
    data = "\n".join(rows).encode() + b"\n" * rng.randrange(2)
    if rng.random() < 0.1:
        data = data.replace(b"a", b"\xff", 1)
    for to in ("json", "ndjson", "csv"):
        check(data, into, "csv", to, size)


@given(st.randoms(use_true_random=False), st.integers(1, 200))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_records_into_rows(rng: Random, size: int) -> None:
    into, columns = any_class(rng)
    records = []
    for _ in range(rng.randrange(5)):
        given = [it for it in columns if rng.random() < 0.9]
        records.append({name: rng.choice(kind[1]) for name, kind in given})
    data = "\n".join(json.dumps(record) for record in records).encode()
    check(data, into, "ndjson", "csv", size)


def check(data: bytes, into: Any, format: Any, to: Any, size: int) -> None:
    """Assert that a conversion does what a loop does, or says that it must make objects."""
    objects = False
    try:
        converted("", format, to, into=into)
    except PlanError as error:
        objects = str(error).endswith("so convert() must make objects: pass objects=True")
    agree(data, into, format, to, size, objects=objects)


@dataclass
class City:
    name: str
    size: Annotated[int | None, cells(null=("-",))]
    founded: Annotated[date | None, at("year")] = None
    rate: Annotated[float, cells(decimal=","), Ge(0)] = 0.5


CITIES = 'year,name,size,rate,more\n1191-01-01,Bern,134591,"1,5",x\n,"Biel, BE",-,,y\n'


def test_types_forms_and_defaults() -> None:
    assert converted(CITIES, "csv", "ndjson", into=City) == (
        '{"name":"Bern","size":134591,"year":"1191-01-01","rate":1.5}\n'
        '{"name":"Biel, BE","size":null,"year":null,"rate":0.5}\n'
    )
    assert converted(CITIES, "csv", "csv", into=City) == (
        'name,size,year,rate\nBern,134591,1191-01-01,"1,5"\n"Biel, BE",,,"0,5"\n'
    )
    plan = penstock.Plan(City, rename="upper")
    text = CITIES.replace("name,size", "NAME,SIZE").replace("rate", "RATE")
    assert converted(text, "csv", "json", into=plan).startswith('[{"NAME":"Bern","SIZE":134591,')
    dialect = Dialect(";", header=["size", "name"])
    assert converted("7;x\n", "csv", "json", into=City, dialect=dialect) == (
        '[{"name":"x","size":7,"year":null,"rate":0.5}]'
    )
    rows = "".join(f"{number};x\n" for number in range(9))
    inferred = converted("size;name\n" + rows, "csv", "json", into=City, dialect="infer")
    assert inferred.count('"name":"x"') == 9


def test_errors_are_those_of_read() -> None:
    text = CITIES + "x,y,1,1,\n,y,1\n,z,1,-1,\n,ok,2,,\n"
    told: list[str] = []
    out = converted(text, "csv", "ndjson", into=City, errors=lambda error: told.append(str(error)))
    assert told == [
        'line 4, column 1: expected date | None, got "x": expected a digit of the year (record 3, at year)',
        "line 5, column 5: the row has 3 cells, and there are 5 columns (record 4)",
        "line 6, column 6: expected float >= 0, got -1.0 (record 5, at rate)",
    ]
    assert out.count("\n") == 3
    with pytest.raises(penstock.ValidationError) as caught:
        converted("nmae,size\n", "csv", "ndjson", into=City)
    assert str(caught.value) == (
        'line 1, column 1: City requires the column "name", which the header lacks; did you mean "nmae"?'
    )


class Pair(NamedTuple):
    a: int
    b: str


@dataclass
class Listed:
    tags: Annotated[list[str], spread("tag_*")]


@dataclass
class Outer:
    city: City


@dataclass
class Words:
    words: Annotated[list[str], separated(";")]


@dataclass
class Either:
    value: int | str


@pytest.mark.parametrize(
    ("into", "why"),
    [
        (dict[str, str], "a row becomes dict[str, str]"),
        (Pair, "Pair may be an array"),
        (Listed, "Listed.tags is spread over columns"),
        (Outer, "Outer.city is spread over columns"),
        (Words, "Words.words has a form of its own (list[str])"),
        (Either, "Either.value is of one of several types (int | str)"),
    ],
)
def test_what_needs_objects(into: Any, why: str) -> None:
    with pytest.raises(PlanError) as caught:
        converted("a,b\n", "csv", "ndjson", into=into)
    assert str(caught.value) == f"{why}, so convert() must make objects: pass objects=True"


def test_no_object_is_made_and_no_lock_is_held(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("name,size,year,rate\n" + 'Bern,134591,1191-01-01,"1,5"\n' * 100_000)
    for to in ("b.ndjson", "b.csv"):
        if to == "b.csv":
            # Forms of its own are written by objects.
            source.write_text("lat,lon\n" + "1.5,-2\n" * 100_000)
        into: Any = City if to == "b.ndjson" else Point
        before = sys.getallocatedblocks()
        done = penstock.convert(source, tmp_path / to, into=into)
        assert done.records == 100_000
        assert sys.getallocatedblocks() - before < 1_000


@dataclass(slots=True)
class Point:
    lat: float
    lon: float


def test_wide_rows_take_linear_time() -> None:
    def work(size: int) -> Callable[[], object]:
        made = make_dataclass("Wide", [(f"f{number}", str) for number in range(size)])
        row = "," * (size - 1) + "\n"
        data = (",".join(f"f{number}" for number in range(size)) + "\n" + row * 20).encode()
        plan = penstock.Plan(made)
        penstock.convert(io.BytesIO(data), io.BytesIO(), into=plan, format="csv", to="ndjson")
        return lambda: penstock.convert(
            io.BytesIO(data), io.BytesIO(), into=plan, format="csv", to="ndjson"
        )

    assert_linear(work, 500)
