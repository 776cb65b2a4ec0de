"""Writing CSV: the verbs, every kind of row, and what is refused."""

from __future__ import annotations

import csv
import datetime as dt
import enum
import io
import pickle
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import attrs
import msgspec
import pydantic
import pytest

import penstock
from penstock.csv import Dialect, Encoder, encode

HEADLESS = Dialect(header=None)


@dataclass(slots=True)
class City:
    """Columns of several types."""

    name: str
    size: int
    mayor: str | None = None
    area: float = 0.0


CITIES = [City("Bern", 134591, "A, B", 51.6), City("Biel\nBienne", -1, "")]
TEXT = b'name,size,mayor,area\nBern,134591,"A, B",51.6\n"Biel\nBienne",-1,"",0.0\n'


def refused(values: Any, into: Any = None, **options: Any) -> str:
    with pytest.raises(penstock.EncodeError) as caught:
        encode(values, into, **options)
    return str(caught.value)


class Point(NamedTuple):
    """Is written by position."""

    x: int
    y: str


class Partial(TypedDict):
    """Has a key that may be absent."""

    a: int
    b: NotRequired[str]


@dataclass
class Plain:
    """With a dict."""

    a: int
    b: str


@attrs.define
class Attrs:
    """With slots."""

    a: int
    b: str


class Struct(msgspec.Struct):
    """Of msgspec."""

    a: int
    b: str


class Array(msgspec.Struct, array_like=True):
    """Of msgspec, an array."""

    a: int
    b: str


class Model(pydantic.BaseModel):
    """Of pydantic."""

    a: int
    b: str


def test_the_verbs_write_the_same(tmp_path: Path) -> None:
    assert encode(CITIES) == encode(iter(CITIES), City) == TEXT
    assert Encoder(City).encode(CITIES) == TEXT
    assert penstock.encode(CITIES, list[City], format="csv") == TEXT
    assert b"".join(Encoder(City).chunks(CITIES, size=1)) == TEXT
    path = tmp_path / "a.csv"
    for write in (penstock.dump, penstock.csv.dump):
        path.unlink(missing_ok=True)
        write(CITIES, path)
        assert path.read_bytes() == TEXT
    for open_writer in (penstock.write, penstock.csv.write):
        path.unlink()
        with open_writer(path, City) as writer:
            writer.write(CITIES[0])
            writer.write_all(CITIES[1:])
        assert path.read_bytes() == TEXT
    packed = tmp_path / "a.csv.gz"
    penstock.dump(CITIES, packed)
    assert penstock.csv.load(packed) == penstock.csv.load(path)
    file = io.BytesIO()
    penstock.csv.dump(CITIES, file)
    assert file.getvalue() == TEXT


def test_the_suffix_says_the_delimiter(tmp_path: Path) -> None:
    for suffix, delimiter in ((".csv", b","), (".TSV.gz", b"\t"), (".tab", b"\t"), (".psv", b"|")):
        path = tmp_path / f"a{suffix}"
        penstock.dump([{"a": 1, "b": 2}], path)
        penstock.csv.dump([{"a": 3, "b": 4}], path, append=True)
        text = penstock.csv.load(path, dict[str, int])
        assert text == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
        if suffix != ".TSV.gz":
            assert path.read_bytes() == b"a,b\n1,2\n3,4\n".replace(b",", delimiter)
    penstock.csv.dump([{"a": 1, "b": 2}], path, dialect=Dialect(";"))
    assert path.read_bytes() == b"a;b\n1;2\n"


@pytest.mark.parametrize("kind", [Plain, Attrs, Struct, Array, Model, Point])
def test_every_kind_of_class(kind: Any) -> None:
    fields = ("x", "y") if kind is Point else ("a", "b")
    rows = [kind(**dict(zip(fields, values, strict=True))) for values in [(1, "x"), (-2, "")]]
    head = ",".join(fields).encode()
    assert encode(rows, kind) == head + b"\n1,x\n-2,\n"
    assert encode(rows) == encode(rows, kind)
    assert encode([], kind) == head + b"\n"
    assert encode(rows, kind, dialect=HEADLESS) == b"1,x\n-2,\n"


def test_plain_rows() -> None:
    assert encode([{"a": 1, "b": "x"}, {"b": None}, {"b": "y", "a": True}]) == (
        b"a,b\n1,x\n,\ntrue,y\n"
    )
    assert encode([[1, "a"], (2.5, None)], dialect=HEADLESS) == b"1,a\n2.5,\n"
    named = Dialect(header=["x", "y"])
    assert encode([[1, 2], {"y": 3}], dialect=named) == b"1,2\n,3\n"
    assert encode([(1, "a")], tuple[int, str], dialect=HEADLESS) == b"1,a\n"
    assert encode([]) == b""
    assert encode([], dict[str, str]) == b""
    # A dict of texts takes no None, but nobody knows what reads it.
    assert encode([{"a": "", "b": "x"}], dict[str, str]) == b'a,b\n"",x\n'
    rows: list[Partial] = [{"a": 1}, {"a": 2, "b": "x"}]
    assert encode(rows, Partial) == b"a,b\n1,\n2,x\n"


class Color(enum.Enum):
    """A choice."""

    RED = "red"


def test_values() -> None:
    zone = dt.timezone(dt.timedelta(hours=2))
    row = {
        "int": 10**30,
        "float": 1e-7,
        "nan": float("nan"),
        "inf": float("-inf"),
        "bool": False,
        "decimal": Decimal("1E+3"),
        "date": dt.date(2024, 2, 29),
        "time": dt.time(1, 2, 3),
        "datetime": dt.datetime(2024, 1, 1, 12, tzinfo=zone),
        "duration": dt.timedelta(seconds=90),
        "uuid": uuid.UUID(int=1),
        "bytes": b"\xff",
        "enum": Color.RED,
        "text": "\N{SNOWMAN}",
    }
    head, line = encode([row]).decode().splitlines()
    assert head == ",".join(row)
    assert line.split(",") == [
        "1" + "0" * 30,
        "1e-07",
        "NaN",
        "-INF",
        "false",
        "1000",
        "2024-02-29",
        "01:02:03",
        "2024-01-01T12:00:00+02:00",
        "PT1M30S",
        "00000000-0000-0000-0000-000000000001",
        "/w==",
        "red",
        "\N{SNOWMAN}",
    ]


def test_null_and_empty_text() -> None:
    @dataclass
    class Row:
        a: str
        b: str | None
        c: str = "x"
        d: str = ""

    rows = [Row("", "", "", ""), Row("", None)]
    assert encode(rows) == b'a,b,c,d\n,"","",\n,,x,\n'
    assert encode(rows, null="NA") == b'a,b,c,d\n,"","",\n,NA,x,\n'
    assert encode(rows, quoting="all") == (b'"a","b","c","d"\n"","","",""\n"",,"x",""\n')
    assert refused([Row("NA", None)], null="NA") == (
        'a: the text "NA" would be read as null (null=) (record 1)'
    )
    assert refused(rows, quoting="none") == (
        "b: an empty text needs quotes, or it is read as none (record 1)"
    )
    assert encode([{"a": None}, {"a": ""}, {"a": "x"}]) == b'a\n\n""\nx\n'


def test_options() -> None:
    rows = [{"a": 1, "b": "x;y", "c": "2"}]
    assert encode(rows, dialect=Dialect(";")) == b'a;b;c\n1;"x;y";2\n'
    crlf = Dialect(terminator="\r\n")
    assert encode(rows, dialect=crlf) == b"a,b,c\r\n1,x;y,2\r\n"
    assert encode(rows, quoting="all") == b'"a","b","c"\n"1","x;y","2"\n'
    assert encode(rows, quoting="nonnumeric") == b'"a","b","c"\n1,"x;y","2"\n'
    escaped = Dialect(";", quote=None, escape="\\")
    assert encode(rows, dialect=escaped) == b"a;b;c\n1;x\\;y;2\n"
    assert encode(rows, encoding="utf-8-sig") == b"\xef\xbb\xbfa,b,c\n1,x;y,2\n"
    assert encode([], encoding="utf-8-sig") == b""
    assert encode(rows, formulas="escape") == b"a,b,c\n1,x;y,2\n"
    evil = [{"a": "=cmd|' /C calc'!A0", "b": -1, "c": "-1"}]
    assert encode(evil) == b"a,b,c\n=cmd|' /C calc'!A0,-1,-1\n"
    assert encode(evil, formulas="escape") == b"a,b,c\n'=cmd|' /C calc'!A0,-1,-1\n"
    assert refused(evil, formulas="refuse") == (
        "['a']: a spreadsheet takes text that begins with \"=\" for a formula (record 1)"
    )


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"quoting": "some"},
            ValueError,
            "quoting must be 'minimal', 'all', 'nonnumeric' or 'none', not 'some'",
        ),
        ({"formulas": True}, TypeError, "formulas must be a str, not bool"),
        ({"formulas": "no"}, ValueError, "formulas must be 'escape' or 'refuse', not 'no'"),
        (
            {"formulas": "escape", "quoting": "none"},
            ValueError,
            "formulas needs quotes: without them, text may begin a cell of its own",
        ),
        ({"null": 3}, TypeError, "null must be a str, not int"),
        ({"null": ","}, ValueError, "null must be a text that needs no quotes"),
        (
            {"encoding": "latin-1"},
            ValueError,
            "encoding must be 'utf-8' or 'utf-8-sig', not 'latin-1'",
        ),
        (
            {"dialect": ";"},
            TypeError,
            "dialect must be a penstock.csv.Dialect or None, not str",
        ),
        (
            {"dialect": Dialect(skip_rows=1)},
            ValueError,
            "skip_rows is for reading: what stands there is not written",
        ),
        (
            {"dialect": Dialect(header=2)},
            ValueError,
            "a header of several rows is for reading: pass header='first'",
        ),
    ],
)
def test_options_that_are_wrong(options: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        encode([], **options)
    assert str(caught.value) == message


def test_what_is_no_row() -> None:
    assert refused([3]) == "a row is an object, a dict or a list, and not a single value (record 1)"
    assert refused([{"a": 1}, {"a": 2, "b": 3}]) == (
        "['b']: there is no column \"b\" in the first row (record 2)"
    )
    assert refused([CITIES[0], {"names": 3}]) == (
        "['names']: there is no column \"names\" in the class (record 2)"
    )
    assert refused([{"a": 1}], dialect=Dialect(header=["b"])) == (
        "['a']: there is no column \"a\" in the header (record 1)"
    )
    assert refused([[1, 2]]) == (
        "a list has no names for the header: pass a dialect with header=None, or with the names "
        "(record 1)"
    )
    assert refused([[1, 2], [1]], dialect=HEADLESS) == (
        "the row has 1 cells, and there are 2 columns (record 2)"
    )
    assert refused([[1], [1, 2]], dialect=HEADLESS) == (
        "[1]: the row has more cells, and there is 1 column (record 2)"
    )
    assert refused([{}]) == "a row without a column (record 1)"
    assert refused([{"a": {"b": 1}}]) == (
        "['a']: the column \"a\" has an object, which a cell cannot hold (record 1)"
    )
    assert refused([{"a": [1]}]) == (
        "['a']: the column \"a\" has a list, which a cell cannot hold (record 1)"
    )
    assert refused([{"a": "\0"}]) == "['a']: CSV has no form for a NUL character (record 1)"
    assert refused([{"a": Decimal("NaN")}]) == (
        "['a']: CSV has no form for a decimal number that is not finite (record 1)"
    )
    assert refused([{"a": "\ud800"}]) == (
        "['a']: the str has a lone surrogate, which no encoding has (record 1)"
    )
    with pytest.raises(TypeError, match=r"^encode\(\) takes an iterable of records, not dict$"):
        encode({"a": 1})


def test_a_union_is_read_back_or_refused() -> None:
    @dataclass
    class Row:
        a: int | str
        b: Literal["x", 2]

    assert encode([Row(1, "x"), Row("y", 2)]) == b"a,b\n1,x\ny,2\n"
    assert refused([Row("1", 2)]) == "a: its text would be read back as int (record 1)"


def test_a_row_in_error_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with penstock.csv.write(path) as writer:
        for row in ({"x": []}, {"a": 1}, {"a": 1, "b": 2}, {"a": 3}):
            try:
                writer.write(row)
            except penstock.EncodeError:
                continue
    assert path.read_bytes() == b"a\n1\n3\n"


def test_many_rows_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with penstock.csv.write(path, City) as writer:
        writer.write_all(City(f"city {n}", n, None) for n in range(20_000))
        assert writer.progress.bytes_encoded > 200_000
    rows = penstock.csv.load(path)
    assert len(rows) == 20_000
    assert rows[-1] == {"name": "city 19999", "size": "19999", "mayor": "", "area": "0.0"}


def test_positions() -> None:
    @dataclass
    class Row:
        last: int = field(metadata={})
        first: str = ""

    positions = penstock.Plan(Row, rename={"last": "1", "first": "0"})
    assert encode([Row(2, "x")], positions, dialect=HEADLESS) == b"x,2\n"
    gap = penstock.Plan(Row, rename={"last": "2", "first": "0"})
    assert refused([Row(2, "x")], gap, dialect=HEADLESS) == (
        "without a header, columns are named by position, and the class has none at 1"
    )
    assert encode([Row(2, "x")], gap) == b"2,0\n2,x\n"


def test_columns_by_other_names() -> None:
    @dataclass
    class Row:
        a: int = 0
        b: str = ""

    named = penstock.Plan(Row, rename={"a": "the, a", "b": "="})
    assert encode([Row(1, "x")], named) == b'"the, a",=\n1,x\n'
    assert encode([Row(1, "x")], named, formulas="escape") == b'"the, a",\'=\n1,x\n'


def test_the_same_bytes_by_the_standard_library() -> None:
    rows = [
        {"a": 'quote "', "b": "comma ,", "c": "line\r\nfeed"},
        {"a": "", "b": " edge ", "c": "\N{GRINNING FACE}"},
        {"a": "'", "b": "\t", "c": "#x"},
    ]
    text = encode(rows).decode()
    assert list(csv.DictReader(io.StringIO(text, newline=""))) == rows
    tabs = encode(rows, dialect=Dialect("\t", terminator="\r\n")).decode()
    assert list(csv.DictReader(io.StringIO(tabs, newline=""), dialect="excel-tab")) == rows


def test_an_encoder_is_used_again() -> None:
    encoder = Encoder()
    assert encoder.encode([{"a": 1}]) == b"a\n1\n"
    assert encoder.encode([{"b": 1}]) == b"b\n1\n"
    with pytest.raises(penstock.EncodeError):
        encoder.encode([{"c": 1}, {"d": []}])
    assert encoder.encode(CITIES) == TEXT
    style = penstock._rust.Style("csv", {"delimiter": ";", "null": "-"})
    assert pickle.loads(pickle.dumps(style)).format == "csv"
