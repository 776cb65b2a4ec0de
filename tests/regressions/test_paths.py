"""Paths that were not what they said: each by its number."""

from dataclasses import dataclass, field, make_dataclass
from typing import Annotated

import pytest

import penstock
from penstock import at

NESTED = b'{"": {"a": {"": [1, {"": true}]}}, "a": 7}'


def test_167_the_empty_key_has_a_spelling() -> None:
    """It was shown as nothing, so a path with it was another path, or none."""
    document = penstock.open(NESTED)
    assert document[""].path == "~4"
    inner = document[""]["a"][""][1]
    assert inner.path == "~4/a/~4/1"
    assert [part.path for part in document.at(inner.path)] == [inner.path]
    assert list(document.at("~4/a/~4/1/~4")) == [True]
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(NESTED, dict[str, dict[str, dict[str, list[int]]]])
    assert caught.value.path == "~4/a/~4/1"
    assert list(penstock.json.read([NESTED], at="~4/a/~4/*")) == [1, {"": True}]

    @dataclass
    class Row:
        first: Annotated[int, at("~4/a/~4/0")]
        a: int

    assert penstock.json.decode(NESTED, Row) == Row(1, 7)


def test_167_a_field_with_the_empty_key_beside_paths() -> None:
    """A class whose field has the empty key could have no paths."""
    row = penstock.Plan(Keyed, rename={"a": ""})
    assert penstock.json.decode(b'{"": 1, "b": {"c": 2}}', row) == Keyed(1, 2)


@dataclass
class Keyed:
    a: int
    c: Annotated[int, at("b/c")]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("b/~4", "'~4' is no name of an element or attribute (column 3)"),
        ("b/first name", "'first name' is no name of an element or attribute (column 3)"),
        ("@1st", "'@1st' is no name of an element or attribute (column 1)"),
        ("b/0", "an element has no name that is a number (column 3)"),
    ],
)
def test_168_paths_that_nothing_in_xml_can_match(path: str, reason: str) -> None:
    """The field silently had no value."""
    row = make_dataclass("Row", [("a", Annotated[str, at(path)], "")])
    with pytest.raises(penstock.PlanError) as caught:
        penstock.xml.decode("<r>text</r>", row)
    assert str(caught.value) == f"field 'a' of Row: at('{path}'): {reason}"


def test_168_the_element_itself_for_text() -> None:
    """An element that is a class has the path; its text does not."""
    row = make_dataclass("Row", [("a", Annotated[str, at(".")], "")])
    with pytest.raises(penstock.PlanError) as caught:
        penstock.xml.decode("<r>text</r>", row)
    assert str(caught.value) == (
        "field 'a' of Row: at('.') takes a class with fields, not str; all text of an element "
        "has the path string()"
    )


def test_168_names_that_xml_allows() -> None:
    """Not only letters of ASCII."""
    paths = ["é-1.x_", "*:a", "{u}b", "@c", "xml:lang", "*", "//d"]
    for path in paths:
        row = make_dataclass("Row", [("a", Annotated[list[str], at(path)], field(default=()))])
        assert penstock.xml.decode("<r/>", row).a == ()


def test_169_matches_inside_matches() -> None:
    """The pages say of `//x` that an `x` inside an `x` is passed over, and `send` visits both."""
    nested = b'{"x": {"n": 1, "x": {"n": 2}}, "y": {"x": {"n": 3}}}'
    assert [row["n"] for row in penstock.json.read([nested], at="//x")] == [1, 3]
    assert [part["n"] for part in penstock.open(nested).at("//x")] == [1, 3]
    markup = b"<r><x><n>1</n><x><n>2</n></x></x><y><x><n>3</n></x></y></r>"

    @dataclass
    class Numbered:
        n: int

    assert list(penstock.xml.read([markup], Numbered, at="//x")) == [Numbered(1), Numbered(3)]

    class Visits:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def n(self, element: penstock.Element) -> None:
            self.texts.append(element.text)

    visits = Visits()
    penstock.xml.send([markup], visits)
    assert visits.texts == ["1", "2", "3"]
