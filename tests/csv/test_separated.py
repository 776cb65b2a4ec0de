"""`separated(...)`: a list, set or tuple in one text."""

import pickle
from collections import deque
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import PlanError, ValidationError, at, cells, csv, separated, xml


def read(cls: Any, cell: str) -> Any:
    """Return the value of a cell."""
    return csv.decode(f'x\n"{cell}"\n', dict[str, cls])[0]["x"]


SPLIT = separated(";")


@pytest.mark.parametrize(
    ("cls", "cell", "value"),
    [
        (list[str], "a;b; c", ["a", "b", " c"]),
        (list[int], "1; 2;3", [1, 2, 3]),
        (set[int], "1;2;1", {1, 2}),
        (frozenset[str], "a;b", frozenset("ab")),
        (tuple[float, ...], "1;2.5", (1.0, 2.5)),
        (tuple[int, str], "1;x", (1, "x")),
        (deque[int], "1;2", deque([1, 2])),
        (list[int | None], "1;;2", [1, None, 2]),
        (list[int | str], "1;b;", [1, "b", ""]),
        (list[str], "", []),
        (set[str], "", set()),
        (tuple[int, ...], "", ()),
        (list[str], ";", ["", ""]),
        (list, "1;b", ["1", "b"]),
    ],
)
def test_collections(cls: Any, cell: str, value: object) -> None:
    found = read(Annotated[cls, SPLIT], cell)
    assert found == value
    assert type(found) is type(value)


def test_separators() -> None:
    assert read(Annotated[list[int], separated(" ")], "1 2") == [1, 2]
    assert read(Annotated[list[str], separated("||")], "a|b||c") == ["a|b", "c"]
    assert read(Annotated[list[str], separated("é")], "aébé") == ["a", "b", ""]
    assert read(Annotated[list[str], separated(",", trim=True)], " a , b\t,") == ["a", "b", ""]


def test_cells_beside_it_are_for_the_items() -> None:
    numbers = Annotated[list[float | None], separated(";"), cells(decimal=",", null=("NA",))]
    assert read(numbers, "1,5;NA;;-2") == [1.5, None, None, -2.0]
    own = Annotated[list[Annotated[int, cells(thousands="'")]], separated(";"), cells(null=("-",))]
    assert read(own, "1'000;2") == [1000, 2]


@pytest.mark.parametrize(
    ("cls", "cell", "reason", "path"),
    [
        (list[int], "1;x;3", 'expected int, got "x"', "x/1"),
        (list[int], "1;", 'expected int, got ""', "x/1"),
        (tuple[int, str], "1", "expected 2 items, got 1", "x"),
        (tuple[int, str], "1;a;b", "expected 2 items, got 3", "x"),
        (tuple[int], "", "expected 1 item, got 0", "x"),
        (tuple[str, int], "a;b", 'expected int, got "b"', "x/1"),
    ],
)
def test_an_error_names_the_item(cls: Any, cell: str, reason: str, path: str) -> None:
    with pytest.raises(ValidationError) as caught:
        read(Annotated[cls, SPLIT], cell)
    assert caught.value.reason == reason
    assert caught.value.path == path
    assert (caught.value.line, caught.value.column) == (2, 1)


def test_all_errors_of_a_row() -> None:
    @dataclass
    class Row:
        a: Annotated[list[int], SPLIT]
        b: Annotated[tuple[int, int], SPLIT]
        c: int

    with pytest.raises(ValidationError) as caught:
        csv.decode("a,b,c\nx;1;y,1,z\n", Row, all_errors=True)
    assert [(it.path, it.reason) for it in caught.value.problems] == [
        ("a/0", 'expected int, got "x"'),
        ("a/2", 'expected int, got "y"'),
        ("b", "expected 2 items, got 1"),
        ("c", 'expected int, got "z"'),
    ]
    assert csv.decode("a,b,c\n1,2;3,4\n", Row, all_errors=True) == [Row([1], (2, 3), 4)]


@dataclass
class Shape:
    """A list in an attribute, an element, and a deeper attribute."""

    points: Annotated[list[float], separated(" ")]
    tags: Annotated[set[str] | None, separated(",", trim=True)] = None
    ids: Annotated[list[int], at("meta/@ids"), SPLIT] = field(default_factory=list)


def test_xml() -> None:
    data = '<s points="1 2.5"><tags> a,b </tags><meta ids="7;8"/></s>'
    assert xml.decode(data, Shape) == Shape([1.0, 2.5], {"a", "b"}, [7, 8])
    assert xml.decode("<s><points/></s>", Shape) == Shape([])
    with pytest.raises(ValidationError) as caught:
        xml.decode('<s points="1 x"/>', Shape)
    assert str(caught.value) == 'line 1, column 11: expected float, got "x" (at s/@points/1)'
    with pytest.raises(ValidationError) as caught:
        xml.decode("<s><points>1 x</points></s>", Shape)
    assert str(caught.value) == 'line 1, column 4: expected float, got "x" (at s/points/1)'
    with pytest.raises(ValidationError) as caught:
        xml.decode("<s><points>1</points><points>2</points></s>", Shape)
    assert caught.value.reason.startswith("the element 'points' is repeated")


def test_formats_with_arrays_ignore_it() -> None:
    decoded = penstock.json.decode('{"points": [1, 2], "tags": null, "meta": {}}', Shape)
    assert decoded == Shape([1.0, 2.0])


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (Annotated[str, SPLIT], "separated(...) is only for a list, set or tuple, not str"),
        (
            Annotated[dict[str, int], SPLIT],
            "separated(...) is only for a list, set or tuple, not dict[str, int]",
        ),
        (
            Annotated[list[Shape], SPLIT],
            "separated(...) takes items that are one value each, not Shape",
        ),
        (
            Annotated[list[list[int]], SPLIT],
            "separated(...) takes items that are one value each, not list[int]",
        ),
    ],
)
def test_where_it_has_no_meaning(cls: Any, reason: str) -> None:
    for module in (penstock.json, xml, csv):
        with pytest.raises(PlanError) as caught:
            module.decode("1", cls)
        assert str(caught.value) == reason


def test_its_arguments() -> None:
    with pytest.raises(TypeError, match=r"^separated\(\) takes a str or None, not int$"):
        separated(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^separated\(\) takes a text that is not empty$"):
        separated("")
    for made, shown in [(SPLIT, "separated(';')"), (separated(",", trim=True), None)]:
        assert repr(made) == (shown or "separated(',', trim=True)")
        assert made == eval(repr(made)) == pickle.loads(pickle.dumps(made))
    assert (SPLIT.by, SPLIT.trim) == (";", False)


@given(st.lists(st.text(st.characters(exclude_characters=';"\r\n\0', codec="utf-8"))))
def test_any_items_are_read_back(items: list[str]) -> None:
    expected = [] if items == [""] else items
    assert read(Annotated[list[str], SPLIT], ";".join(items)) == expected


@given(st.text(max_size=20), st.sampled_from([";", ",", "ab"]), st.booleans())
def test_it_splits_as_str_does(text: str, by: str, trim: bool) -> None:
    data = f"<x>{''.join(c for c in text if c.isalnum() or c in ' ;,')}</x>"
    (text,) = [data[3:-4]]
    expected = text.split(by) if text else []
    if trim:
        expected = [item.strip(" \t\r\n") for item in expected]
    assert xml.decode(data, Annotated[list[str], separated(by, trim=trim)]) == expected
