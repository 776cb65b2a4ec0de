"""What a condition means for the types of a class, and for what is wrong in a record."""

from __future__ import annotations

import datetime as dt
import enum
import io
import plistlib
from dataclasses import dataclass
from dataclasses import field as member
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

import penstock
from penstock import at, cells, field, via


class Colour(enum.Enum):
    """An enumeration."""

    RED = "r"
    BLUE = "b"


@dataclass
class Event:
    """A class with values of many kinds."""

    day: dt.date = dt.date(2000, 1, 1)
    at: dt.datetime | None = None
    price: Decimal = Decimal(0)
    share: float = 0.0
    count: int | None = None
    colour: Colour = Colour.RED
    size: Literal["S", "M"] = "S"
    key: UUID | None = None
    tags: list[str] = member(default_factory=list)


LINES = [
    '{"day":"2026-01-31","at":"2026-01-31T12:00:00Z","price":1.10,"share":0.1,"count":null,"colour":"b"}',
    '{"day":"2025-12-31","at":"2026-01-31T12:00:00+01:00","price":"2.5","share":1,"count":7,"tags":["a"]}',
    '{"key":"12345678-9abc-def0-1234-56789abcdef0","price":0.1,"share":0.30000000000000004,"size":"M"}',
]
DATA = "\n".join(LINES).encode()


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        (field("day") >= dt.date(2026, 1, 1), [0]),
        (field("at") < dt.datetime(2026, 1, 31, 11, 30, tzinfo=dt.UTC), [1]),
        # A date and time without a zone is no other one.
        (field("at") < dt.datetime(2030, 1, 1), []),  # noqa: DTZ001 - it is the point
        (field("price") == Decimal("1.1"), [0]),
        # Decimal("0.1") is not the double 0.1, and the double 0.1 is.
        (field("price") == 0.1, []),
        (field("price") == Decimal("0.1"), [2]),
        (field("share") == 0.1, [0]),
        (field("share") == 0.1 + 0.2, [2]),
        (field("share") == 1, [1]),
        (field("count").is_none(), [0, 2]),
        (field("count").exists(), [0, 1]),
        (field("count") == 7, [1]),
        (field("count") != 7, [0]),
        (field("colour") == Colour.BLUE, [0]),
        (field("size") == "M", [2]),
        (field("key") == UUID("12345678-9abc-def0-1234-56789abcdef0"), [2]),
        (field("tags").any() == "a", [1]),
        (field("tags").exists(), [1]),
        (~(field("count") > 0), [0, 2]),
    ],
)
def test_kinds_of_values(where: penstock.Condition, chosen: list[int]) -> None:
    events = penstock.ndjson.decode(DATA, Event)
    assert list(penstock.ndjson.read([DATA], Event, where=where)) == [events[n] for n in chosen]
    assert list(penstock.ndjson.read([DATA], Event, where=str(where))) == [
        events[n] for n in chosen
    ]


@dataclass
class Place:
    """A class whose fields have other names in the document."""

    city: Annotated[str, at("name")]
    lat: Annotated[float, at("position/lat")] = 0.0
    people: Annotated[int, at("n")] = 0


PLACES = b"""{"name": "Bern", "position": {"lat": 46.9, "lon": 7}, "n": 134, "lat": 1}
{"position": {"lat": 41.9}, "n": 2873, "name": "Rom"}
"""


@pytest.mark.parametrize(
    ("where", "cities"),
    [
        # A field of the class by its name, wherever its value is.
        (field("city") == "Rom", ["Rom"]),
        (field("lat") > 45, ["Bern"]),
        (field("people") > 1000, ["Rom"]),
        # A value that the class has, by its path.
        (field("position/lat") < 45, ["Rom"]),
        (field("n") > 1000, ["Rom"]),
        # A value that it has not.
        (field("position/lon") == 7, ["Bern"]),
        (field("position").exists() & (field("position/lon").is_none()), ["Rom"]),
    ],
)
def test_names_and_paths(where: penstock.Condition, cities: list[str]) -> None:
    with penstock.ndjson.read([PLACES], Place, where=where) as reader:
        assert [place.city for place in reader] == cities


@dataclass
class Sale:
    """A row whose cells have forms of their own."""

    name: str
    price: Annotated[Decimal, cells(decimal=",", thousands=".", currency="€")]
    count: Annotated[int | None, cells(null=["-"])] = None
    note: str = ""


SALES = """name,price,count,note
Uhr,"1.290,00 €",3,
Ring,"80,50",-,x
Kette,"80,50",,y
""".encode()


@pytest.mark.parametrize(
    ("where", "names"),
    [
        (field("price") > 1000, ["Uhr"]),
        (field("price") == Decimal("80.50"), ["Ring", "Kette"]),
        (field("count") == 3, ["Uhr"]),
        (field("count").is_none(), ["Ring", "Kette"]),
        (field("note") == "", ["Uhr"]),
        (field("note") != "", ["Ring", "Kette"]),
    ],
)
def test_cells_have_the_forms_of_the_class(where: penstock.Condition, names: list[str]) -> None:
    with penstock.csv.read([SALES], Sale, where=where) as reader:
        assert [sale.name for sale in reader] == names


def test_markup() -> None:
    data = b"""<shop><item id="7" sold="true"><name>Nut &amp; bolt</name><price>1.50</price>
        <tag>a</tag><tag>b</tag></item><item id="8"><name>Nail</name><price> 2 </price></item></shop>"""

    def names(where: Any) -> list[str]:
        return [item["name"] for item in penstock.xml.read([data], where=where)]

    assert names(field("price") < 2) == ["Nut & bolt"]
    assert names(field("price") == 2) == ["Nail"]
    assert names(field("@id") == 8) == ["Nail"]
    assert names(field("@sold") == True) == ["Nut & bolt"]  # noqa: E712 - a condition
    assert names(field("name").contains("&")) == ["Nut & bolt"]
    assert names(field("tag").any() == "b") == ["Nut & bolt"]
    assert names(field("tag").all() == "b") == ["Nail"]
    assert names(field("tag") == "a") == ["Nut & bolt"]
    assert names(field("name/text()") == "Nail") == ["Nail"]


def test_dates_of_property_lists() -> None:
    when = dt.datetime(2026, 1, 31, 12)  # noqa: DTZ001 - plistlib's
    rows = [{"n": 1, "at": when}, {"n": 2, "at": when + dt.timedelta(days=1)}]
    later = field("at") > dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
    for form in (plistlib.FMT_XML, plistlib.FMT_BINARY):
        source = io.BytesIO(plistlib.dumps(rows, fmt=form))
        assert [row["n"] for row in penstock.plist.read(source, where=later)] == [2]


# --- What is wrong in a record


@dataclass
class Row:
    """A small record."""

    a: int
    b: int


def test_a_record_that_is_left_out_is_not_checked_against_the_class() -> None:
    """The order of its keys makes no difference."""
    data = b'{"a": "x", "b": 1}\n{"b": 1, "a": "x"}\n{"b": 1}\n{"a": 2, "b": 2}\n'
    assert list(penstock.ndjson.read([data], Row, where="b > 1")) == [Row(2, 2)]


@pytest.mark.parametrize("line", [b'{"a": "x", "b": 2}', b'{"b": 2, "a": "x"}', b'{"b":2,"a":[1]}'])
def test_a_record_that_is_wanted_is(line: bytes) -> None:
    data = b'{"a": 1, "b": 1}\n' + line + b'\n{"a": 3, "b": 3}\n'
    with pytest.raises(penstock.ValidationError) as alone:
        list(penstock.ndjson.read([data], Row))
    with pytest.raises(penstock.ValidationError) as caught:
        list(penstock.ndjson.read([data], Row, where="b > 1"))
    assert str(caught.value) == str(alone.value)
    assert caught.value.record == 2
    with penstock.ndjson.read([data], Row, where="b > 1", errors="skip") as reader:
        assert list(reader) == [Row(3, 3)]
        assert (reader.skipped, reader.filtered) == (1, 1)


@pytest.mark.parametrize("line", [b"[1, 2]", b"7", b'"x"', b"null"])
def test_a_record_of_another_kind_has_no_fields(line: bytes) -> None:
    data = line + b'\n{"a": 3, "b": 3}\n'
    with penstock.ndjson.read([data], Row, where="b > 1") as reader:
        assert list(reader) == [Row(3, 3)]
        assert reader.filtered == 1
    with pytest.raises(penstock.ValidationError) as alone:
        list(penstock.ndjson.read([data], Row))
    with pytest.raises(penstock.ValidationError) as caught:
        list(penstock.ndjson.read([data], Row, where="not b > 9"))
    assert str(caught.value) == str(alone.value)
    with penstock.ndjson.read([data], Row, where="not b > 9", errors="skip") as reader:
        assert list(reader) == [Row(3, 3)]
        assert (reader.skipped, reader.filtered) == (1, 0)


@pytest.mark.parametrize("rest", [b'"a": ', b'"a": [1, 2', b'"a": tru}\n{"a": 1, "b": 1}\n'])
def test_what_is_left_out_and_broken_has_its_number(rest: bytes) -> None:
    data = b'{"a": 1, "b": 1}\n{"b": 0, ' + rest
    with pytest.raises(penstock.DecodeError) as caught:
        list(penstock.ndjson.read([data], Row, where="b > 0"))
    assert (caught.value.record, caught.value.line) == (2, 2)
    with penstock.ndjson.read([data], Row, where="b > 0", errors="skip") as reader:
        assert len(list(reader)) == data.count(b'"b": 1')
        assert (reader.skipped, reader.filtered) == (1, 0)


def test_what_is_left_out_must_be_well_formed() -> None:
    data = b'{"b": 0, "a": tru}\n{"a": 1, "b": 1}\n'
    with pytest.raises(penstock.MalformedInput, match="line 1"):
        list(penstock.ndjson.read([data], Row, where="b > 0"))


def test_errors_have_the_numbers_of_the_file() -> None:
    data = b'{"a":1,"b":0}\n' * 9 + b'{"a":"x","b":1}\n'
    with pytest.raises(penstock.ValidationError) as caught:
        list(penstock.ndjson.read([data], Row, where="b > 0"))
    assert (caught.value.record, caught.value.line) == (10, 10)
    array = b'[{"a":1,"b":0},{"a":1,"b":0},{"b":1}]'
    with pytest.raises(penstock.ValidationError) as caught:
        list(penstock.json.read([array], Row, where="b > 0"))
    assert (caught.value.record, caught.value.path) == (3, "2")


def test_all_errors_of_a_record_that_is_wanted() -> None:
    data = b'{"a":"x","b":1}\n{"a":"x","c":"y","b":0}\n{"a":1,"b":1}\n'
    with penstock.ndjson.read([data], Row, where="b > 0", all_errors=True, errors="skip") as reader:
        assert list(reader) == [Row(1, 1)]
        assert (reader.skipped, reader.filtered) == (1, 1)


def shouted(value: str) -> str:
    return value.upper()


class Failed(BaseException):
    """An exception of the caller's own."""


def fails(value: str) -> str:
    raise Failed(value)


def test_an_exception_that_is_no_error_of_the_record_is_not_lost() -> None:
    @dataclass
    class Stopped:
        a: Annotated[str, via(fails)]
        b: int

    with pytest.raises(Failed):
        list(penstock.ndjson.read([b'{"a":"x","b":0}\n'], Stopped, where="b > 0"))


# --- What cannot be compared


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (field("a") == "x", "where: a == 'x': \"a\" is of the type int, and a str is another kind"),
        (field("t") > 3, 'where: t > 3: "t" is of the type str, and a number is another kind'),
        (field("d") > "2026", "where: d > '2026': \"d\" is of the type date, and a str is another"),
        (field("d") > dt.datetime(2026, 1, 1), "and a datetime is another kind of value"),  # noqa: DTZ001 - naive
        (field("a").startswith("x"), '"a" is of the type int, and no text'),
        (field("l") == 3, r"\"l\" is of the type list\[int\]: ask for any\(\) or all\(\) of its values"),
        (field("l").any() == "x", r"\"l\" is of the type int, and a str is another kind of value"),
        (field("r") == 3, '"r" is of the type Row, which a condition cannot compare'),
        (field("v") == "x", 'the values of "v" are made by a function'),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_a_byte_is_read(
    where: penstock.Condition, message: str
) -> None:
    @dataclass
    class Kinds:
        a: int
        t: str
        d: dt.date
        l: list[int]  # noqa: E741 - a list
        r: Row
        v: Annotated[str, via(shouted)]

    def never() -> Any:
        raise AssertionError("a byte was read")
        yield b""

    with pytest.raises(penstock.PlanError, match=message):
        penstock.ndjson.read(never(), Kinds, where=where)


def test_a_message_has_the_beginning_of_a_long_condition() -> None:
    many = field("b").isin(*map(str, range(10_000)))
    with pytest.raises(
        penstock.PlanError, match=r'where: b in .*… *: "b" is of the type int'
    ) as caught:
        penstock.ndjson.read([b""], Row, where=many)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (field("a/*") == 3, r"where: field\('a/\*'\) == 3: \"a/\*\" finds several values: ask for any"),
        (field("") == 3, 'where: "" is no path: a path has at least one step'),
        (field("a/key()") == 3, "is no path"),
        (field("key()") == 3, r"a condition asks for a value, and key\(\) is none"),
        ((field("a/*").any() == 3) & (field("a/b") == 3), "both paths may lead to the same value"),
    ],
)  # fmt: skip
def test_paths_that_no_condition_can_have(where: penstock.Condition, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        penstock.ndjson.read([b"{}\n"], where=where)


def test_a_class_that_is_an_array() -> None:
    msgspec = pytest.importorskip("msgspec")

    class Pair(msgspec.Struct, array_like=True):  # type: ignore[misc]  # it may be missing
        a: int
        b: str

    data = b'[1, "x"]\n[2, "y"]\n'
    assert list(penstock.ndjson.read([data], Pair, where="a > 1")) == [Pair(2, "y")]
    assert list(penstock.ndjson.read([data], where=field("1") == "x")) == [[1, "x"]]


def test_null_of_xml() -> None:
    @dataclass
    class Item:
        n: int | None = None

    nil = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"'
    data = f"<r><i><n {nil}/></i><i><n>1</n></i><i/></r>".encode()
    found = penstock.xml.read([data], Item, where="n is None")
    assert list(found) == [Item(None), Item(None)]


TABLE = b"n,name\n1,a\n2,b\n"


@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
@pytest.mark.parametrize(
    "where", [field("m") > 1, ~(field("m") == 1), field("n/x") == 1, field("2") == 1]
)
def test_a_column_that_there_is_not(where: penstock.Condition, errors: Any) -> None:
    """A table without it would have no such rows, without a word."""

    @dataclass
    class Named:
        name: str

    message = r"where: there is no column \"(m|n/x|2)\""
    options: Any = {"where": where, "errors": errors}
    for cls in (dict[str, str], Named):
        with pytest.raises(penstock.ValidationError, match=message) as caught:
            list(penstock.csv.read([TABLE], cls, **options))
        assert (caught.value.line, caught.value.record) == (1, None)
    options["format"] = "csv"
    with pytest.raises(penstock.ValidationError, match=message):
        list(penstock.columns([TABLE], Named, **options))
    with pytest.raises(penstock.ValidationError, match=message):
        penstock.convert([TABLE], io.BytesIO(), to="ndjson", **options)
    with pytest.raises(penstock.ValidationError, match=message):
        penstock.convert([TABLE], io.BytesIO(), to="ndjson", into=Named, **options)
    if errors == "raise":
        with pytest.raises(penstock.ValidationError, match=message):
            penstock.schema([TABLE], format="csv", where=where)


def test_columns_by_position_and_presence() -> None:
    def names(where: Any) -> list[str]:
        return [row["name"] for row in penstock.csv.read([TABLE], where=where)]

    assert names(field("0") == 2) == ["b"]
    assert names((field("0") == 2) & (field("n") == 2)) == ["b"]
    assert names(field("n").exists()) == ["a", "b"]
    assert names(field("m").exists()) == []
    assert names(field("m").is_none()) == ["a", "b"]
    # A name counts before a position.
    table = b"1,x\n7,8\n"
    assert len(list(penstock.csv.read([table], where=field("1") == 7))) == 1


def test_regular_expressions() -> None:
    data = b'{"t":"Bern"}\n{"t":"Lisbon"}\n{"t":7}\n{}\n{"t":"b\\u00e9\\n7"}\n'
    t = field("t")

    def found(where: Any) -> list[Any]:
        return [each.get("t") for each in penstock.ndjson.read(io.BytesIO(data), where=where)]

    assert found(t.matches("^B")) == ["Bern"]
    assert found(t.matches("(?i)b")) == ["Bern", "Lisbon", "bé\n7"]
    assert found(t.matches(r"\w\n\d$")) == ["bé\n7"]
    assert found("not t.matches('n$')") == [7, None, "bé\n7"]
    assert found(t.matches("")) == ["Bern", "Lisbon", "bé\n7"]
    # What takes time without end elsewhere.
    long = b'{"t":"' + b"a" * 20_000 + b'"}'
    assert not list(penstock.ndjson.read(io.BytesIO(long), where=t.matches("(a+)+$b")))
    with pytest.raises(ValueError, match=r'"\(a" is no regular expression: unclosed group'):
        found(t.matches("(a"))
    with pytest.raises(ValueError, match="look-around"):
        found(t.matches("(?=a)"))
    with pytest.raises(TypeError, match="matches takes a str"):
        t.matches(7)  # type: ignore[arg-type]  # that is asked


def test_regular_expressions_of_other_kinds() -> None:
    with pytest.raises(penstock.PlanError, match=r"is of the type int \| None, and no text"):
        penstock.ndjson.read(io.BytesIO(b""), Event, where=field("count").matches("1"))
    rows = io.BytesIO(b"n,t\n1,a1\n2,b2\n")
    assert list(penstock.csv.read(rows, where=field("t").matches("^b"))) == [{"n": "2", "t": "b2"}]
