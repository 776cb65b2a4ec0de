"""Faults of types that refer to themselves, as numbered tests. Each docstring describes the fault."""

import subprocess
import sys
import textwrap
import time
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Optional, Union

import msgspec
import pydantic
import pytest
from typing_extensions import TypeAliasType, TypedDict, TypeVar

import penstock.json
import penstock.plist
import penstock.xml
from penstock import EncodeError, Hex, Plan, PlanError, ValidationError, decode, separated

T = TypeVar("T")

ALIASES = """
type Json = dict[str, Json] | list[Json] | str | int | None
type Lists = list[Lists] | int
type Inner = list[Outer] | int
type Outer = Inner | str
type Members = dict[str, Members] | int
type Mixed = list[Table] | int
type Table = dict[str, Mixed] | Mixed
type Tuples = tuple[Tuples, Tuples] | int
type Maybe = Optional[list[Maybe]]
type Beside = Annotated[list[Beside], "beside"] | int
type Bytes = Annotated[list[Bytes] | bytes, Hex]
type Tree[T] = T | list[Tree[T]]
type Branch[T] = list[Twig[T]]
type Twig[T] = T | Branch[T]
type Chain = list[Link]
type Link = dict[str, Chain]
type Frozen = frozenset[Frozen] | int
type Same = int | Same
type Same1 = Same2 | int
type Same2 = Same1 | str
type Itself = Itself
type Growing[T] = dict[str, Growing[list[T]]] | T
type Keys = dict[Keys, int]
type KeysOrText = dict[KeysOrText | str, int] | int
type Sets = set[Sets]
type OfSets = tuple[Items, ...]
type Items = set[OfSets] | int
type TwoLists = list[TwoLists] | list[int]
type TwoDicts = dict[str, int] | dict[str, TwoDicts]
type Split = Annotated[list[Split], separated(",")] | int
"""

Old = Union[typing.Dict[str, "Old"], typing.List["Old"], int, str]  # noqa: UP006, UP007
Text = TypeAliasType("Text", "dict[str, Text] | list[Text] | int | str")
OfText = TypeAliasType("OfText", "dict[str, Text] | TextOrNumber")
TextOrNumber = TypeAliasType("TextOrNumber", "list[OfText] | int")
TreeOfText = TypeAliasType("TreeOfText", Union[T, "list[TreeOfText[T]]"], type_params=(T,))
Defaulted = TypeVar("Defaulted", default=Union[typing.List["Defaults"], int])  # noqa: UP006, UP007


@dataclass
class Olds:
    of: Old


@dataclass
class InOld:
    of: "typing.Dict[str, Old]"  # noqa: UP006


@dataclass
class Person:
    name: str
    kin: "dict[str, Person | Kin]"


Kin = TypeAliasType("Kin", "list[Person | Kin] | int")


@dataclass
class Defaults(Generic[Defaulted]):
    of: Defaulted


class Deep(list["Deep | int"]):
    pass


class Model(pydantic.BaseModel):
    of: Text


class Root(pydantic.RootModel["dict[str, Root] | list[Root] | int"]):
    pass


class Struct(msgspec.Struct):
    of: Text


class Keyed(TypedDict):
    of: "list[Keyed | Text2]"


Text2 = TypeAliasType("Text2", "list[Text2 | Keyed] | int")


@pytest.fixture(scope="module")
def types() -> dict[str, Any]:
    if sys.version_info < (3, 12):
        pytest.skip("the syntax is new in 3.12")
    names: dict[str, Any] = {"__name__": __name__, "Annotated": Annotated, "Optional": Optional}
    names |= {"Hex": Hex, "separated": separated}
    exec(ALIASES, names)
    return names


@pytest.mark.parametrize(
    ("name", "good", "bad", "where"),
    [
        ("Json", '{"a":[1,{"b":["x",null]}]}', '{"a":[1.5]}', "a/0"),
        ("Json", "[[[]]]", '[{"a":{"b":true}}]', "0/a/b"),
        ("Lists", "[1,[2,[3]]]", '[1,["x"]]', "1/0"),
        ("Inner", '["x",[1,["y"]]]', "[[1.5]]", "0/0"),
        ("Outer", '["x",[1,["y"]]]', "[[1.5]]", "0/0"),
        ("Members", '{"a":{"b":1}}', '{"a":{"b":"x"}}', "a/b"),
        ("Mixed", '[{"a":[1]},[2]]', '[{"a":["x"]}]', "0/a/0"),
        ("Table", '{"a":[{"b":1}]}', '{"a":[{"b":"x"}]}', "a/0/b"),
        ("Beside", "[[1]]", '[["x"]]', "0/0"),
        ("Tree[int]", "[1,[2,[]]]", '[1,[2,["x"]]]', "1/1/0"),
        ("Tree[str]", '["a",["b"]]', '["a",[2]]', "1/0"),
        ("Branch[int]", "[1,[2]]", '[[["x"]]]', "0/0/0"),
        ("Twig[int]", "[1,[2]]", '[[["x"]]]', "0/0/0"),
        ("Chain", '[{"a":[{"b":[]}]}]', '[{"a":[1]}]', "0/a/0"),
        ("Link", '{"a":[{"b":[]}]}', '{"a":[{"b":1}]}', "a/0/b"),
    ],
)
def test_791_a_union_that_holds_itself_knows_its_members(
    types: dict[str, Any], name: str, good: str, bad: str, where: str
) -> None:
    """What the union stood in was not known yet when the union was judged, and was taken for `Any`.

    So anything was accepted in it. Of an alias with arguments, each mention was another type.
    """
    into = eval(name, types)
    value = penstock.json.decode(good, into)
    assert value == penstock.json.decode(good)
    assert penstock.json.decode(penstock.json.encode(value, into), into) == value
    with pytest.raises(ValidationError) as caught:
        penstock.json.decode(bad, into)
    assert caught.value.path == where
    with pytest.raises(EncodeError):
        penstock.json.encode(penstock.json.decode(bad), into)
    # Wherever the alias is entered, it means the same.
    for around in (list[into], tuple[into]):
        with pytest.raises(ValidationError):
            decode(f"[{bad}]", around)


def test_791_other_values_of_such_unions(types: dict[str, Any]) -> None:
    """Their forms, too, were those of `Any`: bytes stayed text, and tuples were lists."""
    assert decode('["00",["ff"]]', types["Bytes"]) == [b"\x00", [b"\xff"]]
    assert penstock.json.encode([b"\x00", [b"\xff"]], types["Bytes"]) == b'["00",["ff"]]'
    assert decode("[1,[2,3]]", types["Tuples"]) == (1, (2, 3))
    assert decode("[null,[]]", types["Maybe"]) == [None, []]
    assert decode("[1,[2]]", types["Frozen"]) == frozenset({1, frozenset({2})})
    value = {"a": [1, {"b": ["x"]}]}
    plist = penstock.plist.encode(value, types["Json"])
    assert penstock.plist.decode(plist, types["Json"]) == value
    with pytest.raises(ValidationError):
        penstock.plist.decode(penstock.plist.encode({"a": [1.5]}), types["Json"])
    with pytest.raises(PlanError, match=r"in XML nothing tells list\[...\] from the others"):
        penstock.xml.decode("<a/>", types["Lists"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Same", "the annotation is nested too deep, or refers only to itself"),
        ("Same1", "the annotation is nested too deep, or refers only to itself"),
        ("Itself", "the annotation is nested too deep, or refers only to itself"),
        ("Growing[int]", "the annotation is nested too deep, or refers only to itself"),
        ("Keys", "dict keys cannot be Keys, which the dict is a part of: a key is text"),
        (
            "KeysOrText",
            "dict keys cannot be KeysOrText | str, which the dict is a part of: a key is text",
        ),
        ("TwoLists", "list[...] | list[int]: nothing tells them apart in an array"),
        ("TwoDicts", "dict[str, int] | dict[str, ...]: nothing tells them apart in an object"),
        ("Sets", "set[...] has no hash, so it cannot be an element of a set"),
        ("OfSets", "tuple[..., ...] has no hash, so it cannot be an element of a set"),
        ("Items", "tuple[set[...] | int, ...] has no hash, so it cannot be an element of a set"),
    ],
)
def test_792_what_cannot_hold_itself_is_refused(
    types: dict[str, Any], name: str, reason: str
) -> None:
    """Some became `Any` or `str`. Of a set, elements were accepted that have no hash."""
    with pytest.raises(PlanError) as caught:
        Plan(eval(name, types))
    assert str(caught.value) == reason


def test_792_separated_items_that_are_lists_again(types: dict[str, Any]) -> None:
    """The items of one text were of a type that was not known yet."""
    with pytest.raises(PlanError, match="takes items that are one value each, not lists again"):
        Plan(types["Split"])


@pytest.mark.parametrize(
    ("into", "good", "bad", "where"),
    [
        (Olds, '{"of":{"a":[1]}}', '{"of":{"a":[1.5]}}', "of/a/0"),
        (InOld, '{"of":{"a":{"b":[1]}}}', '{"of":{"a":{"b":[1.5]}}}', "of/a/b/0"),
        (Text, '{"a":[1]}', '{"a":[1.5]}', "a/0"),
        (OfText, '{"a":["x"]}', '[{"a":[1.5]}]', "0/a/0"),
        (TextOrNumber, '[{"a":["x"]}]', '[{"a":[1.5]}]', "0/a/0"),
        (TreeOfText[int], "[1,[2]]", '[1,["x"]]', "1/0"),
        (Deep, "[1,[2]]", '[1,["x"]]', "1/0"),
        (Kin, "[1,[2]]", '[1,["x"]]', "1/0"),
        (
            Person,
            '{"name":"a","kin":{"b":[{"name":"c","kin":{}},[1]]}}',
            '{"name":"a","kin":{"b":[["x"]]}}',
            "kin/b/0/0",
        ),
        (Defaults, '{"of":[{"of":1}]}', '{"of":[{"of":"x"}]}', "of/0/of"),
        (Model, '{"of":{"a":[1]}}', '{"of":{"a":[1.5]}}', "of/a/0"),
        (Root, '{"a":[1,{"b":2}]}', '{"a":[1,{"b":2.5}]}', "a/1/b"),
        (Struct, '{"of":{"a":[1]}}', '{"of":{"a":[1.5]}}', "of/a/0"),
        (Keyed, '{"of":[{"of":[]},[1,{"of":[2]}]]}', '{"of":[[{"of":["x"]}]]}', None),
    ],
    ids=lambda it: getattr(it, "__name__", None),
)
def test_793_the_same_in_quotes_and_through_classes(
    into: Any, good: str, bad: str, where: str | None
) -> None:
    """Names in quotes were evaluated to another object each time, with a plan of its own."""
    value = penstock.json.decode(good, into)
    assert penstock.json.encode(value, into) == good.encode()
    with pytest.raises(ValidationError) as caught:
        penstock.json.decode(bad, into)
    if where is not None:
        assert caught.value.path == where


def test_793_the_words_beside_a_type_that_holds_itself() -> None:
    """What `cells(...)` is beside was looked for in the items of the items, without end."""
    lists = TypeAliasType("lists", "list[Kin] | bool")

    @dataclass
    class Flags:
        of: Annotated[Kin, penstock.cells(null=["-"])]
        no: Annotated[lists, penstock.cells(true=["y"], false=["n"])]

    assert decode('{"of":[[1]],"no":true}', Flags) == Flags([[1]], True)


def test_794_the_text_of_a_type_has_an_end() -> None:
    """It had three times the length with each level, and planning 29 of them did not end."""
    level: Any = int
    for number in range(40):
        level = TypeAliasType(f"level{number}", tuple[level, level, level])
    start = time.monotonic()
    shown = repr(Plan(level))
    assert shown.startswith("Plan(tuple[tuple[tuple[")
    assert shown.endswith("...)")
    assert len(shown) < 250
    # Whether there is a hash is asked once for each type, not once for each of its places.
    assert len(repr(Plan(set[level]))) < 250
    wrong: list[Callable[[], object]] = [
        lambda: penstock.json.decode("[1]", level),
        lambda: penstock.json.encode([1], level),
        lambda: penstock.xml.decode("<a/>", level),
        lambda: Plan(dict[level, int]),
        lambda: Plan(list[level] | list[int]),
    ]
    for call in wrong:
        with pytest.raises((ValidationError, EncodeError, PlanError)) as caught:
            call()
        assert len(str(caught.value)) < 400
    assert time.monotonic() - start < 0.5
    # A short type is shown as a whole.
    assert repr(Plan(tuple[tuple[int, str], list[int] | None])) == (
        "Plan(tuple[tuple[int, str], list[int] | None])"
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_795_an_alias_is_known_without_typing() -> None:
    """`type X = ...` was "not supported yet" as long as nothing had imported `typing`."""
    source = """
        import sys
        import penstock
        before = "typing" in sys.modules
        type Row = list[int]
        type Tree[T] = T | list[Tree[T]]
        print(before, penstock.decode("[1]", Row), penstock.decode("[1,[2]]", Tree[int]))
    """
    command = [sys.executable, "-c", textwrap.dedent(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1)[1] == "[1] [1, [2]]\n"
