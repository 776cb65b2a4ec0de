"""Faults of dicts with defaults, and of type variables, as numbered tests. Each docstring describes
the fault."""

import copy
import gc
import pickle
import subprocess
import sys
import textwrap
import weakref
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

import attrs
import msgspec
import pytest
from typing_extensions import TypeAliasType, TypedDict, TypeVar

import penstock.json
from penstock import PlanError, ValidationError, decode

T = TypeVar("T")
K = TypeVar("K")

Nested = TypeAliasType("Nested", "defaultdict[str, Nested]")
Either = TypeAliasType("Either", "int | list[Either] | defaultdict[str, Either]")
InLists = TypeAliasType("InLists", "defaultdict[str, list[InLists]]")
First = TypeAliasType("First", "defaultdict[str, Second]")
Second = TypeAliasType("Second", "defaultdict[str, First]")


class Tree(defaultdict[str, "Tree"]):
    pass


class Wood(defaultdict[str, defaultdict[str, "Wood"]]):
    pass


@dataclass
class Node:
    kids: defaultdict[str, "Node"]
    more: "defaultdict[str, defaultdict[str, list[Node]]]"


def test_806_a_dict_with_defaults_in_itself() -> None:
    """Below its first level, it had no factory."""
    text = '{"a": {"b": {"c": {"d": {}}}}}'
    for into in (Nested, First, Tree):
        made = penstock.json.decode(text, into)
        for level in (made, made["a"], made["a"]["b"], made["a"]["b"]["c"]["d"]):
            assert type(level) is type(made)
            # What a factory makes has one, too.
            assert type(level["x"]["y"]["z"]) is type(made)
        assert made["a"]["b"]["x"] == {"y": {"z": {}}}
        again = pickle.loads(pickle.dumps(made))
        assert again == copy.deepcopy(made) == made
        assert type(again["new"]["new"]) is type(made)
        with pytest.raises(ValidationError, match=r"expected .*, got the integer 3"):
            penstock.json.decode('{"a": {"b": 3}}', into)
    wood = penstock.json.decode('{"a": {"b": {"c": {}}}}', Wood)
    assert type(wood["a"]["b"]) is type(wood["x"]["y"]) is Wood
    assert type(wood["x"]["y"]["z"]) is type(wood["a"]) is defaultdict
    listed = penstock.json.decode('{"a": [{"b": [{}]}]}', InLists)
    assert listed["a"][0]["b"][0]["new"] == listed["new"] == []
    # A union has no empty value of its own.
    some = penstock.json.decode('{"a": {"b": 1}}', Either)
    assert some["a"].default_factory is None
    node = penstock.json.decode('{"kids": {}, "more": {"a": {}}}', Node)
    assert node.more["a"]["b"] == node.more["b"]["c"] == []
    assert node.kids.default_factory is Node


class Lists(defaultdict[str, list[int]]):
    pass


class Counts(Counter[str]):
    pass


class Ordered(OrderedDict[str, list[int]]):
    pass


class Own(defaultdict[K, T], Generic[K, T]):
    pass


class OfOwn(Own[str, set[int]]):
    pass


def test_807_arguments_of_a_dict_of_the_standard_library() -> None:
    """A class derived from one was read as a `dict[str, Any]`."""
    lists = penstock.json.decode('{"a": [1]}', Lists)
    assert (type(lists), lists, lists["b"]) == (Lists, {"a": [1], "b": []}, [])
    counts = penstock.json.decode('{"a": 2}', Counts)
    assert (type(counts), counts["a"], counts["b"]) == (Counts, 2, 0)
    ordered = penstock.json.decode('{"a": [1]}', Ordered)
    assert (type(ordered), ordered) == (Ordered, {"a": [1]})
    sets = penstock.json.decode('{"a": [1, 1]}', OfOwn)
    assert (type(sets), sets, sets["b"]) == (OfOwn, {"a": {1}, "b": set()}, set())
    for into in (Lists, Counts, Ordered, OfOwn):
        with pytest.raises(ValidationError, match=r"\(at a.*\)$"):
            penstock.json.decode('{"a": ["x"]}', into)
        made = penstock.json.decode('{"a": 2}' if into is Counts else '{"a": [1]}', into)
        assert penstock.json.decode(penstock.json.encode(made, into), into) == made


def test_808_plans_of_dicts_with_defaults_are_freed() -> None:
    """A dict is its own factory: nothing may keep the plan alive."""

    class Local(defaultdict[str, "Local"]):  # type: ignore[name-defined]  # noqa: F821 - given below
        pass

    penstock.json.decode('{"a": {}}', penstock.Plan(Local, namespace={"Local": Local}))
    gone = weakref.ref(Local)
    del Local
    gc.collect()
    assert gone() is None


@dataclass
class Box(Generic[T]):
    items: "list[T]"
    one: "T | None" = None


@attrs.define
class Attrs(Generic[T]):
    items: "dict[str, T]"


class Struct(msgspec.Struct, Generic[T]):
    items: "list[T]"


class Keys(TypedDict, Generic[T]):
    items: "list[T]"


class Named(NamedTuple, Generic[T]):
    items: "list[T]"


@dataclass
class Derived(Box[list[T]]):
    more: "T | None" = None


NEW = """
    {future}
    from dataclasses import dataclass
    from typing import Generic, TypeVar
    import penstock

    T = "something else"

    @dataclass
    class Box[T]:
        items: {quote}list[T]{quote}
        one: {quote}T | None{quote} = None
        inner: {quote}Box[T] | None{quote} = None

    @dataclass
    class Pair[T, U](Box[U]):
        first: {quote}dict[str, T]{quote} = None

    def local():
        L = TypeVar("L")

        @dataclass
        class Old(Generic[L]):
            items: "list[L]"
            one: "L"

        return Old

    box = penstock.json.decode('{{"items": [1], "one": 2, "inner": {{"items": [3]}}}}', Box[int])
    assert box == Box([1], 2, Box([3])), box
    try:
        penstock.json.decode('{{"items": [1], "inner": {{"items": ["x"]}}}}', Box[int])
    except penstock.ValidationError as error:
        assert str(error).endswith("expected int, got a string (at inner/items/0)"), error
    else:
        raise AssertionError
    pair = penstock.json.decode('{{"items": ["a"], "first": {{"b": 1}}}}', Pair[int, str])
    assert pair == Pair(["a"], None, None, {{"b": 1}}), pair
    Old = local()
    assert penstock.json.decode('{{"items": [1], "one": 2}}', Old[int]) == Old([1], 2)
    # Without an argument, it is anything.
    assert penstock.json.decode('{{"items": [1, "a"]}}', Box).items == [1, "a"]
"""


@pytest.mark.parametrize("future", ["", "from __future__ import annotations"])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_809_type_variables_in_quotes(future: str, quote: str) -> None:
    """The names of type variables of `class Box[T]` are in no module: it was a `PlanError`."""
    code = textwrap.dedent(NEW.format(future=future, quote=quote))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize("of", [Box, Struct, Attrs, Keys, Named])
def test_809_type_variables_of_all_kinds_of_classes(of: Any) -> None:
    """The same with variables that are names of the module, and of a function."""
    items = '{"a": 1}' if of is Attrs else "[1]"
    text = f'{{"items": {items}}}'
    made = decode(text, of[int], format="json")
    assert (made["items"] if of is Keys else made.items) == ({"a": 1} if of is Attrs else [1])
    with pytest.raises(ValidationError, match=r"expected str, got .*\(at items/"):
        decode(text, of[str], format="json")


def test_809_a_name_that_is_no_variable() -> None:
    """Names of other classes stay unknown."""

    @dataclass
    class Other(Generic[T]):
        items: "list[Unknown]"  # type: ignore[name-defined]  # noqa: F821 - that is the point

    with pytest.raises(PlanError, match=r"cannot resolve the annotation 'list\[Unknown\]'"):
        decode("{}", Other[int], format="json")
    assert decode('{"items": [[1]], "more": 2}', Derived[int], format="json") == Derived(
        [[1]], None, 2
    )
