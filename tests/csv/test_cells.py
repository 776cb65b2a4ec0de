"""`cells(...)`, and what becomes of cells without text."""

import contextlib
import datetime as dt
import pickle
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, cells, csv, xml

GERMAN = cells(decimal=",", thousands=".", currency="€")


def column(cls: Any, *texts: str) -> list[Any]:
    """Return the values of a column, whose cells are quoted as they must be."""
    data = "x\n" + "\n".join('"' + text.replace('"', '""') + '"' for text in texts)
    return [row["x"] for row in csv.decode(data, dict[str, cls])]


def why(cls: Any, text: str) -> str:
    """Return why a cell is refused."""
    with pytest.raises(ValidationError) as caught:
        column(cls, text)
    return caught.value.reason


def test_numbers_keep_all_their_digits() -> None:
    texts = ("1.234.567,89", "-0,5", "€ 7", "7.000 €", "-€1.000,10", "1234567890123,12345678901")
    assert column(Annotated[Decimal, GERMAN], *texts) == [
        Decimal("1234567.89"),
        Decimal("-0.5"),
        Decimal(7),
        Decimal(7000),
        Decimal("-1000.10"),
        Decimal("1234567890123.12345678901"),
    ]
    assert column(Annotated[int, GERMAN], "12.345.678.901.234.567.890", "+7", "1234") == [
        12345678901234567890,
        7,
        1234,
    ]
    assert column(Annotated[float, GERMAN], "1.000,25", "1,5e3", "-INF") == [
        1000.25,
        1500.0,
        float("-inf"),
    ]
    assert column(Annotated[float, cells(thousands="'", currency="CHF")], "CHF 1'234.5") == [1234.5]
    assert column(Annotated[float, cells(thousands=" ", decimal=",")], "1 234,5") == [1234.5]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1.23", 'expected float, got "1.23": "." must separate groups of three digits'),
        ("1234.567", 'expected float, got "1234.567": "." must separate groups of three digits'),
        ("0.123", 'expected float, got "0.123": "." must separate groups of three digits'),
        (".5", 'expected float, got ".5": "." must separate groups of three digits'),
        ("1,234.5", 'expected float, got "1,234.5"'),
        ("1 234", 'expected float, got "1 234"'),
        ("5 $", 'expected float, got "5 $"'),
        ("€", 'expected float, got "€"'),
        ("€5€", 'expected float, got "€5€"'),
        ("--5", 'expected float, got "--5"'),
        ("x", 'expected float, got "x"'),
    ],
)
def test_a_number_in_another_form_is_refused(text: str, reason: str) -> None:
    assert why(Annotated[float, GERMAN], text) == reason


def test_a_point_is_no_comma() -> None:
    reason = 'expected float, got "1.5": its decimal separator must be ","'
    assert why(Annotated[float, cells(decimal=",")], "1.5") == reason
    reason = 'expected int, got "1,5": its decimal separator must be "."'
    assert why(Annotated[int, cells(thousands="'")], "1,5") == reason
    assert why(Annotated[int, GERMAN], "1,5") == 'expected int, got "1,5"'
    lax = Plan(dict[str, Annotated[int, GERMAN]], strict=False)
    assert csv.decode('x\n"1.000,00"\n', lax) == [{"x": 1000}]


@given(st.decimals(allow_nan=False, allow_infinity=False), st.booleans())
def test_any_number_is_read_back(number: Decimal, grouped: bool) -> None:
    text = f"{number:,f}" if grouped else f"{number:f}"
    text = text.translate(str.maketrans(",.", ".,"))
    (read,) = column(Annotated[Decimal, GERMAN], text)
    assert read == number
    assert read.as_tuple() == Decimal(f"{number:f}").as_tuple()


def test_words_for_truth() -> None:
    truth = Annotated[bool, cells(true=("ja", "J"), false=("nein",))]
    assert column(truth, "ja", "J", " nein ") == [True, True, False]
    assert why(truth, "true") == 'expected bool, got "true"'
    assert why(truth, "JA") == 'expected bool, got "JA"'
    # Only the words of one value are replaced.
    assert column(Annotated[bool, cells(true=("x",))], "x", "0", "false") == [True, False, False]


def test_a_union_tries_its_members_in_this_form() -> None:
    either = Annotated[int | float | str, GERMAN]
    assert column(either, "1.234", "1,5", "1.5") == [1234, 1.5, "1.5"]
    assert column(Annotated[bool | None, cells(null=("?",), true=("x",))], "?", "x") == [None, True]


NA = cells(null=("NA", "-"))


@dataclass
class Row:
    """Fields for each part of the rule."""

    maybe: int | None
    text: str
    default: str = "x"
    both: str | None = "y"
    number: int = 5
    made: Annotated[list[str], penstock.separated(";")] = field(default_factory=lambda: ["a"])
    anything: Any = "z"


HEADER = "maybe,text,default,both,number,made,anything\n"


def test_the_rule_of_empty_cells() -> None:
    assert csv.decode(HEADER + ",,,,,,", Row) == [Row(None, "", "x", None, 5, ["a"], None)]
    quoted = ",".join(['""'] * 7)
    assert csv.decode(HEADER + quoted, Row) == [Row(None, "", "", "", 5, [], "")]


def test_the_same_for_words() -> None:
    words = csv.decode(HEADER + "NA,NA,-,-,NA,-,NA", Plan(Row, cells=NA))
    # Where nothing else is possible, the word is a text.
    assert words == [Row(None, "NA", "x", None, 5, ["a"], None)]
    assert csv.decode(HEADER + '"NA",a,"-",b,1,c,d', Plan(Row, cells=NA)) == [
        Row(None, "a", "x", "b", 1, ["c"], "d")
    ]
    # An empty text may be one of the words, and then its quotes make no difference.
    both = csv.decode(HEADER + '"","","","","","",""', Plan(Row, cells=cells(null=("",))))
    assert both == [Row(None, "", "x", None, 5, ["a"], None)]


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (int, "int"),
        (float, "float"),
        (bool, "bool"),
        (Decimal, "Decimal"),
        (dt.date, "date"),
        (int | float, "int | float"),
        (Literal["a"], "Literal['a']"),
    ],
)
@pytest.mark.parametrize("cell", ["", '""'])
def test_an_empty_cell_is_an_error_elsewhere(cls: Any, name: str, cell: str) -> None:
    @dataclass
    class One:
        x: cls
        y: str

    with pytest.raises(ValidationError) as caught:
        csv.decode(f"x,y\n{cell},a\n", One)
    assert str(caught.value) == (
        f"line 2, column 1: expected {name}, got an empty cell (record 1, at x)"
    )


class Point(NamedTuple):
    """A tuple with a default."""

    x: int
    y: int = 7


class Some(TypedDict, total=False):
    """A dict that may lack its keys."""

    x: int
    y: str


def test_defaults_of_all_classes() -> None:
    assert csv.decode("x,y\n1,\n", Point) == [Point(1, 7)]
    assert csv.decode('x,y\n,\n2,""\n', Some) == [{}, {"x": 2, "y": ""}]
    assert csv.decode("x,y\n,a\n", dict[str, Literal["a"] | None]) == [{"x": None, "y": "a"}]
    assert csv.decode("x,y\n,a\n", dict[str, Literal["", "a"]]) == [{"x": "", "y": "a"}]


def test_plain_rows_keep_their_text() -> None:
    assert csv.decode('a,b\n,""\n') == [{"a": "", "b": ""}]
    assert csv.decode('a,b\nNA,""\n', dict[str, str]) == [{"a": "NA", "b": ""}]
    assert csv.decode("a,b\n,1\n", dict[str, int | None]) == [{"a": None, "b": 1}]


def test_one_beside_a_type_stands_in_place_of_the_plans() -> None:
    @dataclass
    class Two:
        a: Annotated[float | None, cells(decimal=",")]
        b: float | None
        c: Annotated[int | float, cells()]

    data = "a;b;c\n1,5;1'000.5;1.5\n"
    plan = Plan(Two, cells=cells(thousands="'", null=("NA",)))
    semicolon = csv.Dialect(";")
    assert csv.decode(data, plan, dialect=semicolon) == [Two(1.5, 1000.5, 1.5)]
    with pytest.raises(ValidationError, match=r'expected float \| None, got "NA"'):
        csv.decode("a;b;c\nNA;NA;1\n", plan, dialect=semicolon)
    with pytest.raises(PlanError) as caught:
        Plan(Plan(Two, cells=cells(decimal=",")), cells=cells())
    assert str(caught.value) == "two plans that are used together differ in cells="
    assert repr(plan).splitlines()[0].endswith("Two, cells=cells(null=('NA',), thousands=\"'\"))")


def test_formats_with_types_ignore_it() -> None:
    plan = Plan(dict[str, Annotated[float | None, GERMAN]], cells=cells(null=("NA",)))
    assert penstock.json.decode('{"a": 1.5, "b": null}', plan) == {"a": 1.5, "b": None}
    with pytest.raises(ValidationError):
        penstock.json.decode('{"a": "1,5"}', plan)


def test_attributes_and_elements() -> None:
    @dataclass
    class Item:
        price: Annotated[Decimal, GERMAN]
        stock: Annotated[int | None, cells(null=("-",), thousands=".", decimal=",")] = 3
        sold: Annotated[bool, cells(true=("x",), null=("-",))] = True
        name: Annotated[str, cells(null=("-",))] = "?"

    assert xml.decode('<i price="1.000,50 €" stock="-" sold="-" name="-"/>', Item) == Item(
        Decimal("1000.50"), None, True, "?"
    )
    data = "<i><price>7 €</price><stock>1.000</stock><sold>x</sold><name>-</name></i>"
    assert xml.decode(data, Item) == Item(Decimal(7), 1000, True, "?")
    # Nothing else is said of an empty element than before.
    assert xml.decode("<i price='1'><name/></i>", Item) == Item(Decimal(1), 3, True, "")


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (Annotated[str, cells(true=("x",))], "cells(true=..., false=...) is only for a bool"),
        (
            Annotated[dt.date, cells(decimal=",")],
            "cells(decimal=..., thousands=..., currency=...) is only for a number",
        ),
        (
            Annotated[list[int], cells(thousands=".", decimal=",")],
            "cells(...) stands beside the type of the items, or beside separated(...)",
        ),
        (
            Annotated[Point, cells(null=("NA",))],
            "cells(...) is only for a value in one text, not Point",
        ),
    ],
)
def test_where_it_has_no_meaning(cls: Any, reason: str) -> None:
    for module in (penstock.json, xml, csv):
        with pytest.raises(PlanError) as caught:
            module.decode("1", cls)
        assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({"decimal": ",", "thousands": ","}, ValueError, "decimal and thousands are both ','"),
        ({"true": ("x",), "false": ("x",)}, ValueError, '"x" is both true and false'),
        ({"true": ("0",)}, ValueError, '"0" is both true and false'),
        ({"true": ("x",), "null": ("x",)}, ValueError, '"x" is both null and true'),
        ({"decimal": "5"}, ValueError, "decimal cannot be '5'"),
        ({"decimal": ""}, ValueError, "decimal is one character, not ''"),
        ({"thousands": ".."}, ValueError, "thousands is one character, not '..'"),
        ({"currency": "5€"}, ValueError, 'currency cannot be "5€"'),
    ],
)
def test_contradictions(options: Any, kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind) as caught:
        cells(**options)
    assert str(caught.value) == f"cells(): {reason}"


def test_other_mistakes() -> None:
    for options, reason in [
        ({"null": "NA"}, "cells() takes null as several texts, such as ('NA',)"),
        ({"true": (1,)}, "cells() takes true as a str, not int"),
        ({"currency": 5}, "cells() takes currency as a str, not int"),
    ]:
        with pytest.raises(TypeError) as caught:
            cells(**options)  # type: ignore[arg-type]
        assert str(caught.value) == reason
    with pytest.raises(TypeError) as caught:
        Plan(int, cells="NA")  # type: ignore[arg-type]
    assert str(caught.value) == "cells must be a cells(...), not str"


def test_its_repr_makes_it() -> None:
    shown = "cells(null=('NA', ''), true=('ja',), decimal=',', thousands='.', currency='€')"
    made = cells(null=["NA", ""], true=["ja"], decimal=",", thousands=".", currency="€")
    assert repr(made) == shown
    again = eval(shown)
    assert made == again == pickle.loads(pickle.dumps(made))
    assert hash(made) == hash(again)
    assert made != cells()
    assert repr(cells()) == "cells()"
    assert (made.null, made.true, made.false) == (("NA", ""), ("ja",), ())
    assert (made.decimal, made.thousands, made.currency) == (",", ".", "€")
    with pytest.raises(AttributeError):
        made.decimal = "."  # type: ignore[misc]


@given(st.text(max_size=12), st.sampled_from([int, float, Decimal, bool, int | None]))
def test_any_text_is_read_or_refused(text: str, cls: Any) -> None:
    options = cells(null=("NA",), true=("x",), decimal=",", thousands=".", currency="€")
    data = 'x\n"' + text.replace('"', '""') + '"\n'
    with contextlib.suppress(ValidationError, penstock.MalformedInput):
        csv.decode(data, Plan(dict[str, cls], cells=options))


# Equal types share a plan, and its messages: no other test has this `Literal` in another order.
TYPES = (int, float, str, dt.date, bool, Decimal, int | None, str | None, Literal["b", ""])
TEXTS = (
    st.text(max_size=8)
    | st.integers().map(str)
    | st.floats().map(str)
    | st.dates().map(str)
    | st.sampled_from(["", " 7", "+1", "-", "1e400", "INF", "NaN", "true", "é", "2026-02-30", " "])
)


@given(st.sampled_from(TYPES), st.lists(st.tuples(TEXTS, st.booleans()), max_size=4))
def test_rows_of_a_class_agree_with_values_of_a_dict(
    cls: Any, cells_of: list[tuple[str, bool]]
) -> None:
    """The loop over the cells of a row has short cuts, and values of a dict have none."""

    @dataclass
    class One:
        x: cls

    for text, quotes in cells_of:
        has_quotes = quotes or (not text.isalnum() and text != "")
        cell = '"' + text.replace('"', '""') + '"' if has_quotes else text
        data = f"x\n{cell}\n"
        outcomes = []
        for into in (One, dict[str, cls]):
            try:
                (row,) = csv.decode(data, into)
            except penstock.DecodeError as error:
                outcomes.append((type(error), error.reason, error.path, error.line, error.column))
            else:
                value = row.x if isinstance(row, One) else row["x"]
                outcomes.append((type(value), repr(value)))
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("cls", [dict, dict[str, Any], dict[str, str], list[str]])
def test_forms_of_values_for_a_type_that_is_text_only(cls: Any) -> None:
    with pytest.raises(
        PlanError, match=r"^cells= says how values stand in text, and every value is text in"
    ):
        csv.decode("a;b\n1,5;NA\n", Plan(cls, cells=GERMAN))
