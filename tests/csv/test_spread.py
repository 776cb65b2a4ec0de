"""`spread(...)`: one value from several columns."""

import pickle
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, at, cells, csv, rest, separated, spread


@dataclass
class Geo:
    """A part of a part."""

    lat: float
    lon: float | None = None


@dataclass
class Address:
    """A part with a part."""

    street: str
    zip: int
    geo: Geo | None = None


@dataclass
class Person:
    """Two parts: one that must be there, and one that need not."""

    name: str
    home: Annotated[Address, spread("home_*")]
    work: Address | None


HOME = "name,home_street,home_zip"
WORK = HOME + ",work.street,work.zip,work.geo.lat,work.geo.lon"


def rows(header: str, *lines: str, into: Any = Person, **options: Any) -> list[Any]:
    """Return the rows of a table."""
    return csv.decode("\n".join([header, *lines]) + "\n", into, **options)


def why(header: str, line: str, into: Any = Person, **options: Any) -> str:
    """Return what is wrong with a row."""
    with pytest.raises(ValidationError) as caught:
        rows(header, line, into=into, **options)
    return str(caught.value)


def test_parts_by_prefix() -> None:
    assert rows(WORK, "Ada,Dorf,7000,Bach,8000,1.5,2", "Bo,Egg,1,Au,2,,", "Cy,,3,,,,") == [
        Person("Ada", Address("Dorf", 7000), Address("Bach", 8000, Geo(1.5, 2.0))),
        Person("Bo", Address("Egg", 1), Address("Au", 2)),
        Person("Cy", Address("", 3), None),
    ]
    # A column that is not there is an empty one.
    assert rows(HOME, "Ada,Dorf,7") == [Person("Ada", Address("Dorf", 7), None)]
    # A quoted empty cell is a text.
    assert rows(WORK, 'Ada,a,1,"",2,,')[0].work == Address("", 2)
    assert rows(WORK, 'Ada,a,1,,"",,""')[0].work is None


def test_errors_name_the_column() -> None:
    at_row = "line 2, column {}: {} (record 1{})"
    assert why(WORK, "A,B,x,,,,") == at_row.format(5, 'expected int, got "x"', ", at home_zip")
    assert why(WORK, "A,B,1,W,,,") == at_row.format(
        9, "expected int, got an empty cell", ", at work.zip"
    )
    assert why(WORK, "A,B,1,,,x,") == at_row.format(
        8, "expected int, got an empty cell", ", at work.zip"
    )
    assert why(WORK, "A,B,1,W,2,x,") == at_row.format(
        11, 'expected float, got "x"', ", at work.geo.lat"
    )
    assert why(HOME + ",work.street", "A,B,1,W") == at_row.format(
        8, 'Person lacks the required key "work.zip"', ""
    )
    header = HOME + ",work.street,work.zip,work.geo.lon"
    assert why(header, "A,B,1,W,2,3") == at_row.format(
        12, 'Person lacks the required key "work.geo.lat"', ""
    )
    with pytest.raises(ValidationError) as caught:
        rows(WORK, "A,B,x,W,y,z,", all_errors=True)
    assert [problem.path for problem in caught.value.problems] == [
        "home_zip",
        "work.zip",
        "work.geo.lat",
    ]
    with pytest.raises(ValidationError) as caught:
        rows(HOME + ",work.street", "A,B,x,W", all_errors=True)
    assert [problem.reason for problem in caught.value.problems] == [
        'expected int, got "x"',
        'Person lacks the required key "work.zip"',
    ]


def test_a_header_that_lacks_a_column() -> None:
    assert why("name,home_street", "A,B") == (
        'line 1, column 1: Person requires the column "home_zip", which the header lacks; the '
        'columns are "name" and "home_street"'
    )
    assert why(HOME + ",home_zip", "A,B,1,2") == (
        'line 1, column 27: the column "home_zip" occurs more than once, and Person has a field '
        "for it (at home_zip)"
    )


def test_defaults_of_parts() -> None:
    @dataclass
    class Place:
        geo: Geo = field(default_factory=lambda: Geo(0.0))
        other: Annotated[Geo, spread("o*")] = field(default_factory=lambda: Geo(9.0))

    assert rows("geo.lat,geo.lon,olat", ",,", "1,,2", into=Place) == [
        Place(Geo(0.0), Geo(9.0)),
        Place(Geo(1.0), Geo(2.0)),
    ]


def test_words_for_nothing_count_in_parts() -> None:
    plan = Plan(Person, cells=cells(null=("NA",)))
    assert rows(WORK, "A,B,1,NA,NA,NA,NA", into=plan) == [Person("A", Address("B", 1), None)]


def test_other_names() -> None:
    @dataclass
    class Point:
        x: Annotated[int, at("X pos")]
        y: int

    @dataclass
    class Line:
        begin: Annotated[Point, spread("from *")]
        end: Annotated[Point, at("to")]
        flat: Annotated[Point, at(".")]

    header = "from X pos,from y,to.X pos,to.y,X pos,y"
    assert rows(header, "1,2,3,4,5,6", into=Line) == [Line(Point(1, 2), Point(3, 4), Point(5, 6))]

    @dataclass
    class Trip:
        start_at: Point

    renamed = Plan(Trip, rename="camel")
    assert rows("startAt.X pos,startAt.y", "1,2", into=renamed) == [Trip(Point(1, 2))]


class Pair(NamedTuple):
    """A part that is a tuple."""

    a: int
    b: int = 7


class Keys(TypedDict, total=False):
    """A part that is a dict."""

    a: int
    b: int


def test_parts_of_all_kinds() -> None:
    @dataclass
    class Both:
        pair: Pair
        keys: Annotated[Keys, spread("*_k")]

    assert rows("pair.a,pair.b,a_k,b_k", "1,,,2", into=Both) == [Both(Pair(1, 7), {"b": 2})]


@dataclass
class Tagged:
    """Lists of values."""

    id: int
    tags: Annotated[list[str], spread("tag_*")]
    points: Annotated[set[int] | None, spread("*pt")] = None


def test_lists() -> None:
    header = "id,tag_2,tag_1,1pt,tag_x,2pt"
    assert rows(header, "1,a,b,5,c,5", "2,a,,6,,", "3,,,,,", into=Tagged) == [
        Tagged(1, ["a", "b", "c"], {5}),
        Tagged(2, ["a"], {6}),
        Tagged(3, [], None),
    ]


def test_items_before_others() -> None:
    assert rows("id,tag_1,tag_2,tag_3", "1,,b,", '2,,"",', into=Tagged) == [
        Tagged(1, ["", "b"]),
        Tagged(2, ["", ""]),
    ]
    assert why("id,1pt,2pt", "1,,5", into=Tagged) == (
        "line 2, column 3: expected int, got an empty cell (record 1, at 1pt)"
    )

    @dataclass
    class Numbers:
        all: Annotated[tuple[Annotated[int | None, cells(null=("-",))], ...], spread("n*")]

    assert rows("n1,n2,n3,n4", "1,,3,-", "-,-,,", into=Numbers) == [
        Numbers((1, None, 3)),
        Numbers(()),
    ]


def test_a_field_of_its_own_comes_first() -> None:
    @dataclass
    class Counted:
        tag_count: int
        tags: Annotated[list[str], spread("tag_*")]

    assert rows("tag_1,tag_count,tag_2", "a,2,b", into=Counted) == [Counted(2, ["a", "b"])]


@dataclass
class Item:
    """An item of a list, with a part and a list of its own."""

    name: str
    count: int = 1
    geo: Geo | None = None
    marks: Annotated[list[int], spread("mark*")] = field(default_factory=list)


@dataclass
class Order:
    """A list of objects."""

    id: int
    items: Annotated[list[Item], spread("item_*_*")]


def test_lists_of_objects() -> None:
    header = "id,item_2_name,item_1_name,item_10_name,item_1_count,item_2_geo.lat,item_1_mark1"
    assert rows(header, "1,b,a,c,5,1.5,7", "2,b,a,,,,", "3,,,,,,", "4,,,z,,,", into=Order) == [
        Order(1, [Item("a", 5, None, [7]), Item("b", 1, Geo(1.5)), Item("c")]),
        Order(2, [Item("a"), Item("b")]),
        Order(3, []),
        Order(4, [Item(""), Item(""), Item("z")]),
    ]
    assert why("id,item_1_name,item_1_count", "1,a,x", into=Order) == (
        'line 2, column 5: expected int, got "x" (record 1, at item_1_count)'
    )
    assert why("id,item_1_name,item_2_count", "1,a,1", into=Order) == (
        'line 1, column 1: Order requires the column "item_2_name", which the header lacks; the '
        'columns are "id", "item_1_name" and "item_2_count"'
    )


def test_objects_that_may_be_none() -> None:
    @dataclass
    class Gaps:
        points: Annotated[list[Geo | None], spread("p*.*")]

    assert rows("p1.lat,p2.lat,p3.lat", "1,,3", ",2,", into=Gaps) == [
        Gaps([Geo(1.0), None, Geo(3.0)]),
        Gaps([None, Geo(2.0)]),
    ]


def test_classes_inside_of_themselves() -> None:
    @dataclass
    class Node:
        v: int
        next: "Annotated[list[Node], spread('n*_*')]" = field(default_factory=list)

    plan = Plan(Node, namespace={"Node": Node})
    (node,) = rows("v,n1_v,n1_n1_v,n2_v", "1,2,3,4", into=plan)
    assert node == Node(1, [Node(2, [Node(3)]), Node(4)])
    # A name that is nested without end is no column of it.
    deep = "n1_" * 100_000 + "v"
    assert rows("v," + deep, "1,2", into=plan) == [Node(1)]

    @dataclass
    class Chain:
        v: int
        next: "Chain | None" = None

    with pytest.raises(PlanError) as caught:
        rows("v", "1", into=Plan(Chain, namespace={"Chain": Chain}))
    assert str(caught.value) == (
        "field 'next' of Chain: spread('next.*'): Chain would be a part of itself"
    )


def test_unions_and_all_other_columns() -> None:
    @dataclass
    class One:
        kind: Literal["one"]
        xs: Annotated[list[int], spread("x*")]

    @dataclass
    class Two:
        kind: Literal["two"]
        geo: Geo | None

    header = "kind,x1,x2,geo.lat"
    assert rows(header, "one,1,2,", "two,,,3", "two,,,", into=One | Two) == [
        One("one", [1, 2]),
        Two("two", Geo(3.0)),
        Two("two", None),
    ]
    assert why(header, "two,1,,3", into=One | Two, unknown="error").startswith(
        'line 2, column 5: Two has no field for the key "x1"'
    )

    @dataclass
    class Open:
        a: int
        xs: Annotated[list[int], spread("x*")]
        others: Annotated[dict[str, Any], rest]

    assert rows("a,x1,b", "1,2,", "1,,z", into=Open) == [
        Open(1, [2], {"b": ""}),
        Open(1, [], {"b": "z"}),
    ]


def test_other_formats_have_objects_and_arrays() -> None:
    data = '{"name": "A", "home": {"street": "B", "zip": 1}, "work": null}'
    assert penstock.json.decode(data, Person) == Person("A", Address("B", 1), None)
    assert penstock.json.decode('{"id": 1, "tags": ["a"]}', Tagged) == Tagged(1, ["a"])
    data = "<p><name>A</name><home><street>B</street><zip>1</zip></home></p>"
    assert penstock.xml.decode(data, Person) == Person("A", Address("B", 1), None)


def test_two_fields_that_claim_a_column() -> None:
    @dataclass
    class Both:
        a: Annotated[list[str], spread("a_*")]
        b: Annotated[list[str], spread("*_b")]

    assert rows("a_1,1_b", "x,y", into=Both) == [Both(["x"], ["y"])]
    assert why("a_1,a_b", "x,y", into=Both) == (
        'line 1, column 5: the column "a_b" belongs to two fields of Both: "a_*" and "*_b" (at a_b)'
    )


SEVERAL = "say separated(...) if its items are in one column, or spread(...) if they are in several"


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (list[str], f"no column can hold list[str]: {SEVERAL}"),
        (set[int], f"no column can hold set[int]: {SEVERAL}"),
        (tuple[int, int], "no column can hold tuple[int, int]: say separated(...)"),
        (dict[str, int], "no column can hold dict[str, int]"),
        (Geo | Address, "no column can hold Geo | Address"),
        (
            Annotated[int, at("a/b")],
            (
                "at('a/b'): a row has columns, and nothing inside them; a "
                "slash in the name of a column is written '~1'"
            ),
        ),
    ],
)
def test_what_no_column_can_hold(cls: Any, reason: str) -> None:
    @dataclass
    class One:
        x: cls

    with pytest.raises(PlanError) as caught:
        rows("x", "1", into=One)
    assert str(caught.value) == f"field 'x' of One: {reason}"
    Plan(One)


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (
            Annotated[list[Geo], spread("x_*")],
            (
                "spread('x_*'): the items are Geo, whose columns take two stars, for a number and a "
                "field"
            ),
        ),
        (
            Annotated[list[int], spread("x_*_*")],
            "spread('x_*_*'): the items are int, which takes one star",
        ),
        (
            Annotated[list[list[int]], spread("x*")],
            "spread('x*'): an item is one column, which cannot be list[int]",
        ),
        (
            Annotated[str, spread("x*")],
            "spread('x*') is only for a class, a list or a set, not str",
        ),
        (
            Annotated[Geo, spread("x*_*")],
            "spread('x*_*') is for a list: Geo takes one star, for its fields",
        ),
        (
            list[Annotated[Geo, spread("x*")]],
            "spread(...) is only allowed around the whole annotation of a field",
        ),
    ],
)
def test_where_it_has_no_meaning(cls: Any, reason: str) -> None:
    @dataclass
    class One:
        x: cls

    for module in (penstock.json, penstock.xml, csv):
        with pytest.raises(PlanError) as caught:
            module.decode("1", One)
        assert str(caught.value) == f"field 'x' of One: {reason}"


def test_its_argument() -> None:
    with pytest.raises(TypeError, match=r"^spread\(\) takes a str, not int$"):
        spread(5)  # type: ignore[arg-type]
    for wrong, reason in [
        ("x", "spread() takes a pattern with one or two stars, not 'x'"),
        ("*_*_*", "spread() takes a pattern with one or two stars, not '*_*_*'"),
        ("x**", "spread() takes two stars with a text between them, not 'x**'"),
    ]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared
            spread(wrong)
        assert str(caught.value) == reason
    made = spread("a_*")
    assert repr(made) == "spread('a_*')"
    assert made == eval(repr(made)) == pickle.loads(pickle.dumps(made))
    assert made.pattern == "a_*"


@given(
    st.lists(
        st.tuples(
            st.lists(st.text("ab", max_size=2), max_size=4),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=5,
    )
)
def test_any_lists_and_parts(records: list[tuple[list[str], float | None]]) -> None:
    @dataclass
    class Some:
        geo: Geo | None
        tags: Annotated[list[str], spread("t*")]

    lines = []
    expected = []
    for tags, lat in records:
        padded = tags + [""] * (4 - len(tags))
        lines.append(",".join([*padded, "" if lat is None else repr(lat)]))
        while tags and not tags[-1]:
            tags.pop()
        expected.append(Some(None if lat is None else Geo(lat), tags))
    assert rows("t1,t2,t3,t4,geo.lat", *lines, into=Some) == expected


def test_separated_inside_of_parts() -> None:
    @dataclass
    class Inner:
        xs: Annotated[list[int], separated(";")]
        y: int | None = None

    @dataclass
    class Outer:
        inner: Inner | None

    assert rows("inner.xs,inner.y", "1;2,", ",", '"",', ",3", into=Outer) == [
        Outer(Inner([1, 2])),
        Outer(None),
        Outer(Inner([])),
        Outer(Inner([], 3)),
    ]


class Trip(NamedTuple):
    """A tuple with a part between its fields."""

    begin: int
    at: Geo
    end: int


def test_tuples_with_parts() -> None:
    assert rows("begin,at.lat,at.lon,end", "1,2,,3", into=Trip) == [Trip(1, Geo(2.0), 3)]
    assert why("at.lat,begin,end", "1,2,3", into=Trip) == (
        "line 1, column 8: Trip has its fields in another order than the header: "
        '"at.lat" stands before "begin" (at begin)'
    )
    assert why("a,b,c", "1,2,3", into=Trip) == (
        'line 1, column 1: Trip requires the columns "begin", "end" and "at.lat", which the header '
        'lacks; the columns are "a", "b" and "c"'
    )


def test_texts_of_rows_that_are_not_ascii() -> None:
    @dataclass(slots=True)
    class City:
        name: str
        country: str

    table = rows("name,country", *[f"Zürich {i % 7},CH" for i in range(600)], into=City)
    assert [city.name for city in table] == [f"Zürich {i % 7}" for i in range(600)]
    assert {city.country for city in table} == {"CH"}
    # A country that repeats is one object, and no more than a few.
    assert len({id(city.country) for city in table}) < 40
