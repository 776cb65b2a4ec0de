"""The key by which an object is found, wherever a class is reached: each by its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import pytest

import penstock
from penstock import at, json, xml


@dataclass
class P:
    name: Annotated[str, at("key()")]
    x: int = 0


@dataclass
class Default:
    name: Annotated[str, at("key()")] = "none"
    x: int = 0


class Numbered(NamedTuple):
    number: Annotated[int, at("key()")]
    x: int = 0


DATA = b'{"p": {"a": {"x": 1}, "b": {"x": 2, "data": {"x": 5}}}, "list": [{"x": 7}, {"x": 8}]}'
MARKUP = b'<r><p><a><x>1</x></a><b x="2"><data x="5"/></b></p></r>'

NO_STAR = "the field 'name' of P takes the key by which it was found (key()), and no '*' "
OF_A_CALL = f"{NO_STAR}of a path leads to it: pass at= with a '*', or read a dict[str, P]"


@pytest.mark.parametrize(
    ("into", "path", "found"),
    [
        (P, "p/*", [P("a", 1), P("b", 2)]),
        (P, "p/*/data", [P("b", 5)]),
        (P | None, "p/*", [P("a", 1), P("b", 2)]),
        (Default, "p/*", [Default("a", 1), Default("b", 2)]),
        (Default, "p/a", [Default("none", 1)]),
        (Default, "//data", [Default("none", 5)]),
        (Numbered, "list/*", [Numbered(0, 7), Numbered(1, 8)]),
        (dict[str, P], "p", [{"a": P("a", 1), "b": P("b", 2)}]),
    ],
)
def test_250_open_gives_the_key_as_read_does(into: Any, path: str, found: list[Any]) -> None:
    """An open document gave the default, or said that the data lacks the key."""
    assert list(json.read([DATA], into, at=path)) == found
    records = penstock.open(DATA, into, at=path)
    assert [records[-1], *records] == [found[-1], *found]
    document = penstock.open(DATA)
    assert document.to(into, at=path) == found[0]
    if "/" in path and not path.startswith("//"):
        first, rest = path.split("/", 1)
        assert document[first].to(into, at=rest) == found[0]


@dataclass
class Stars:
    all: Annotated[list[P], at("p/*")]


@dataclass
class Middle:
    all: Annotated[list[P], at("p/*/data")]


@dataclass
class ByName:
    all: Annotated[dict[str, P], at("p/*", key="name")]


@dataclass
class Values:
    p: dict[str, P]


@dataclass
class Several:
    all: Annotated[list[P], at("p/*", "q/*")]


@pytest.mark.parametrize(
    ("into", "found"),
    [
        (Stars, [P("a", 1), P("b", 2)]),
        (Several, [P("a", 1), P("b", 2)]),
        (Middle, [P("b", 5)]),
        (ByName, {"a": P("a", 1), "b": P("b", 2)}),
    ],
)
def test_251_a_class_behind_the_path_of_a_field_gets_the_key(into: Any, found: Any) -> None:
    """The error said that the data lacks the key `key()`."""
    assert json.decode(DATA, into).all == found
    assert xml.decode(MARKUP, into).all == found
    for read, data in [(json.read, DATA), (xml.read, MARKUP)]:
        pieces = [data[place : place + 1] for place in range(len(data))]
        whole: Any = read(pieces, into, at="r" if read is xml.read else None)
        assert [row.all for row in whole] == [found]


def test_251_the_values_of_a_dict_get_their_keys() -> None:
    """As above."""
    expected = Values({"a": P("a", 1), "b": P("b", 2)})
    assert json.decode(DATA, Values) == xml.decode(MARKUP, Values) == expected
    lists = json.decode(b'{"3": [{"x": 1}, {"x": 2}]}', dict[int, list[Numbered]])
    assert lists == {3: [Numbered(0, 1), Numbered(1, 2)]}
    assert json.decode(b'{"3": {"x": 1}, "4": null}', dict[int, P | None]) == {
        3: P("3", 1),
        4: None,
    }
    in_lists = xml.decode(b"<r><a/><b><x>1</x></b><a><x>2</x></a></r>", dict[str, list[P]])
    assert in_lists == {"a": [P("a"), P("a", 2)], "b": [P("b", 1)]}
    # A key with an escape, and one of another class inside.
    inner = json.decode(rb'{"\u00e9": {"a": {"x": 1}}, "": {}}', dict[str, dict[str, P]])
    assert inner == {"é": {"a": P("a", 1)}, "": {}}


def test_251_an_array_at_a_match_has_the_key_of_the_match() -> None:
    """As above."""
    data = b'{"p": {"a": [{"x": 1}, {"x": 2}], "b": []}}'
    assert json.decode(data, Stars) == Stars([P("a", 1), P("a", 2)])


def test_252_a_key_that_does_not_fit_is_told_where_it_stands() -> None:
    """The error was about a key of the object that the data lacks."""
    with pytest.raises(penstock.ValidationError) as caught:
        json.decode(b'{"p": {"7": {}, "b": {}}}', dict[str, dict[str, Numbered]])
    assert (caught.value.reason, caught.value.path) == ("expected int, got a string", "p/7")
    with pytest.raises(penstock.ValidationError) as caught:
        json.decode(b'[{"x": "no"}, {"x": "no"}]', list[P], all_errors=True)
    problems = [
        (problem.reason.partition(":")[0], problem.path) for problem in caught.value.problems
    ]
    assert problems == [
        ("expected str, got the index 0", "0"),
        ("expected int, got a string", "0/x"),
        ("expected str, got the index 1", "1"),
        ("expected int, got a string", "1/x"),
    ]


@dataclass
class Child:
    p: P | None = None


@dataclass
class Elsewhere:
    p: Annotated[P | None, at("*", "q/*/r")] = None


@dataclass
class Optional:
    p: Default | None = None


def test_253_a_class_that_cannot_get_its_key_is_refused() -> None:
    """The error came with the data, and said that these lack a key."""
    for decode, data in [(json.decode, '{"p": {}}'), (xml.decode, "<r><p/></r>")]:
        with pytest.raises(penstock.PlanError) as caught:
            decode(data, Child)
        assert str(caught.value) == (
            f"field 'p' of Child: {NO_STAR}of the field's path leads to it"
        )  # fmt: skip
        with pytest.raises(penstock.PlanError) as caught:
            decode(data, Elsewhere)
        assert str(caught.value) == (
            "field 'p' of Elsewhere: the field 'name' of P takes the key by which it was found "
            "(key()), and the '*' is not at the same step of all paths of the field"
        )
        assert decode(data, Optional) == Optional(Default())
        with pytest.raises(penstock.PlanError) as caught:
            decode(data, P)
        assert str(caught.value) == OF_A_CALL
    with pytest.raises(penstock.PlanError) as caught:
        list(json.read([DATA], P, at="p/a", errors="skip"))
    assert str(caught.value) == OF_A_CALL
    with pytest.raises(penstock.PlanError) as caught:
        penstock.open(DATA)["p"]["a"].to(P)
    assert str(caught.value) == OF_A_CALL


@dataclass
class Beside:
    keys: Annotated[list[str], at("a/*/key()")]
    y: Annotated[int, at("a/x/y")]


@dataclass
class OfNamespace:
    keys: Annotated[list[str], at("a/{u}*/key()")]


@dataclass
class InNamespace:
    all: Annotated[list[P], at("a/{u}*")]


def test_254_a_key_that_another_path_names_is_collected_as_well() -> None:
    """If a path named a key, a `*` of another path silently did not give it."""
    assert json.decode('{"a": {"x": {"y": 1}, "z": {}}}', Beside) == Beside(["x", "z"], 1)
    text = "<r><a><x><y>1</y></x><z/></a></r>"
    assert xml.decode(text, Beside) == Beside(["x", "z"], 1)
    text = '<r><a><q:x xmlns:q="u"><x>1</x></q:x><z/></a></r>'
    assert xml.decode(text, OfNamespace) == OfNamespace(["x"])
    assert xml.decode(text, InNamespace) == InNamespace([P("x", 1)])
