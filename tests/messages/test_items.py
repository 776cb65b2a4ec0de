"""`Items`: names and values in their order; a name may occur several times."""

from __future__ import annotations

import gc
import io
import weakref
from typing import Any

import pytest

import penstock
from penstock import Element, Items, on


class Keep:
    """Keeps the one element that it gets."""

    element: Element

    def a(self, element: Element) -> None:
        self.element = element

    def x(self, element: Element) -> object:
        return element.value

    def y(self, element: Element) -> object:
        return element.attributes.get("of", element.value)


def kept(text: str) -> Element:
    handler = Keep()
    penstock.json.send(io.BytesIO(text.encode()), handler)
    return handler.element


@pytest.fixture
def items() -> Items[Any]:
    return kept('{"a": {"x": 1, "y": 2, "x": [3, null, 4]}}').children


def test_by_name_and_by_position(items: Items[Any]) -> None:
    assert len(items) == 4
    assert items.items() == [("x", 1), ("y", 2), ("x", 3), ("x", 4)]
    assert items.keys() == list(items) == ["x", "y", "x", "x"]
    assert items.values() == [1, 2, 3, 4]
    assert (items["x"], items["y"]) == (1, 2)
    assert items.all("x") == [1, 3, 4]
    assert items.all("z") == []
    assert (items.get("y"), items.get("z"), items.get("z", 5)) == (2, None, 5)
    assert [items[at] for at in range(-4, 4)] == [1, 2, 3, 4, 1, 2, 3, 4]
    assert "x" in items
    assert "z" not in items
    assert 1 not in items


def test_what_is_not_there(items: Items[Any]) -> None:
    with pytest.raises(KeyError) as caught:
        items["z"]
    assert caught.value.args == ("z",)
    for at in (4, -5, 1 << 80, -(1 << 80)):
        with pytest.raises(IndexError, match=f"position {at} of 4 items"):
            items[at]
    with pytest.raises(TypeError, match="by a name or a position, not by slice"):
        items[1:2]  # type: ignore[index]  # what is tested
    assert items.get("\ud800") is None


def test_equality_and_text(items: Items[Any]) -> None:
    same = kept('{"a": {"x": [1], "y": 2, "n": {"x": [3, 4]}}}')
    assert items == same.children
    assert items != same.attributes
    assert items != kept('{"a": {"x": [1, 3, 4], "y": 2}}').children, "the order counts"
    once = kept('{"a": {"x": 1, "y": 2}}')
    assert once.children == {"y": 2, "x": 1}
    assert once.children != {"x": 1}
    assert items != {"x": 1, "y": 2}
    assert items != [("x", 1)]
    assert dict(once.children) == {"x": 1, "y": 2}
    assert repr(items) == "Items([('x', 1), ('y', 2), ('x', 3), ('x', 4)])"
    assert repr(once) == "<Element 'a'>"
    with pytest.raises(TypeError, match="unhashable"):
        hash(items)
    assert Items[int] != Items


def test_empty() -> None:
    element = kept('{"a": {}}')
    for items in (element.children, element.attributes):
        assert (len(items), list(items), items.all("x")) == (0, [], [])
        assert not items


def test_nobody_makes_them_by_hand() -> None:
    for kind in (Items, Element):
        with pytest.raises(TypeError):
            kind()


def test_items_keep_their_element(items: Items[Any]) -> None:
    gc.collect()
    assert items.values() == [1, 2, 3, 4]


def test_an_element_in_a_cycle_is_collected() -> None:
    class Node:
        element: Element
        items: Items[object]

    class Cycle:
        def __init__(self) -> None:
            self.nodes: list[weakref.ref[Node]] = []

        def y(self, _element: Element) -> Node:
            node = Node()
            self.nodes.append(weakref.ref(node))
            return node

        @on("a")
        def root(self, element: Element) -> None:
            node = element.children["y"]
            node.element = element
            node.items = element.children

    handler = Cycle()
    penstock.json.send(io.BytesIO(b'{"a": [{"y": 1}, {"y": 2}]}'), handler)
    gc.collect()
    assert [node() for node in handler.nodes] == [None, None]


def test_results_are_let_go() -> None:
    class Result:
        pass

    class Handler:
        def __init__(self) -> None:
            self.results: list[weakref.ref[Result]] = []

        def y(self, _element: Element) -> Result:
            assert [result for result in self.results if result()] == []
            result = Result()
            self.results.append(weakref.ref(result))
            return result

        def x(self, element: Element) -> None:
            assert element.children[0] is self.results[-1]()

    handler = Handler()
    document = b'{"x": [%b]}' % b", ".join([b'{"y": 1}'] * 20)
    penstock.json.send(io.BytesIO(document), handler)
    assert len(handler.results) == 20
