"""Objects without slots, whose attributes may be anywhere and anything by the time they are written."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass
from typing import Any

import pytest

import penstock
from penstock import EncodeError
from penstock.json import encode


@dataclass
class Item:
    a: int
    b: int
    name: str
    more: list[int] = field(default_factory=list)


def items(count: int = 30) -> list[Item]:
    return [Item(n, n, str(n), [n] * (n % 3)) for n in range(count)]


def text(item: Any) -> str:
    more = ",".join(map(str, item.more))
    return f'{{"a":{item.a},"b":{item.b},"name":"{item.name}","more":[{more}]}}'


def test_many() -> None:
    some = items()
    assert encode(some).decode() == "[" + ",".join(map(text, some)) + "]"
    assert encode(some, list[Item]).decode() == "[" + ",".join(map(text, some)) + "]"


def test_objects_whose_dict_somebody_has() -> None:
    some = items()
    for item in some[10::3]:
        vars(item)["b"] = 7
    some[5].__dict__ = {"more": [], "name": "x", "b": 1, "a": 2}
    assert encode(some).decode() == "[" + ",".join(map(text, some)) + "]"


def test_dicts_that_still_have_the_keys_of_the_class() -> None:
    """Their values stand apart from the keys, as those of objects whose dict nobody has."""
    some = items()
    taken = [vars(item) for item in some]
    expected = "[" + ",".join(map(text, some)) + "]"
    assert encode(some).decode() == expected == encode(some, list[Item]).decode()
    some[3].__dict__ = taken[4]
    taken[5]["b"] = 50
    vars(some[6])["unknown"] = 1
    some[7].__dict__ = Other(taken[8])
    assert encode(some).decode() == "[" + ",".join(map(text, some)) + "]"
    taken[9]["b"] = None
    with pytest.raises(EncodeError) as raised:
        encode(some, list[Item])
    assert str(raised.value) == "[9].b: expected int, got NoneType"
    del taken[9]["b"]
    with pytest.raises(EncodeError) as raised:
        encode(some)
    assert str(raised.value) == "[9].b: the object has no value for the field"
    taken[9].clear()
    with pytest.raises(EncodeError) as raised:
        encode(some)
    assert str(raised.value) == "[9].a: the object has no value for the field"


class Other(dict[str, Any]):
    """Attribute access does not ask this class."""

    def __getitem__(self, key: str) -> Any:
        raise AssertionError(key)


def test_attributes_in_another_order_and_other_attributes() -> None:
    some = items()
    for n in range(20):
        item = Item.__new__(Item)
        setattr(item, f"other{n}", n)
        item.more, item.name, item.b, item.a = [], "x", 1, n
        some.append(item)
    assert encode(some).decode() == "[" + ",".join(map(text, some)) + "]"


def test_attributes_that_are_gone() -> None:
    some = items()
    encode(some)
    del some[20].b
    with pytest.raises(EncodeError) as raised:
        encode(some)
    assert str(raised.value) == "[20].b: the object has no value for the field"
    some[20].b = 3
    some[21].more = None  # type: ignore[assignment]
    with pytest.raises(EncodeError) as raised:
        encode(some, list[Item])
    assert str(raised.value) == "[21].more: expected list[int], got NoneType"


def test_defaults_in_the_class() -> None:
    @dataclass
    class Point:
        x: int = 1
        y: int = 2

    points = [Point(5, 6) for _ in range(12)]
    encode(points)
    del points[10].x
    assert encode(points[9:]) == b'[{"x":5,"y":6},{"x":1,"y":6},{"x":5,"y":6}]'


def test_a_class_that_changes() -> None:
    @dataclass
    class Changing:
        x: int

    some = [Changing(n) for n in range(12)]
    assert encode(some[:2]) == b'[{"x":0},{"x":1}]'
    Changing.x = property(lambda _: 7)  # type: ignore[assignment]
    assert encode(some[:2]) == b'[{"x":7},{"x":7}]'


def test_descriptors_and_code_of_its_own() -> None:
    class Doubled:
        def __get__(self, instance: Any, owner: Any = None) -> Any:
            return self if instance is None else instance.__dict__["x"] * 2

        def __set__(self, instance: Any, value: Any) -> None:
            instance.__dict__["x"] = value

    @dataclass
    class Described:
        x: int
        y: int = 0

    Described.x = Doubled()  # type: ignore[assignment]
    some = [Described(n) for n in range(12)]
    assert encode(some)[-14:] == b',{"x":22,"y":0}]'[-14:]

    @dataclass
    class Watched:
        x: int

        def __getattribute__(self, name: str) -> Any:
            value = object.__getattribute__(self, name)
            return value + 100 if name == "x" else value

    assert encode([Watched(n) for n in range(12)])[-10:] == b'{"x":111}]'


def test_a_derived_class() -> None:
    @dataclass
    class Wider(Item):
        last: float = 0.5

    some: list[Any] = [*items(12), *(Wider(n, 0, "w") for n in range(12))]
    written = encode(some).decode()
    assert written.startswith("[" + text(some[0]))
    assert written.endswith('{"a":11,"b":0,"name":"w","more":[],"last":0.5}]')
    # An annotation says which class is read.
    with pytest.raises(penstock.EncodeError) as refused:
        encode(some, list[Item])
    assert str(refused.value) == "[12]: expected Item, got Wider, which would be read back as Item"


def test_more_attributes_than_a_class_shares() -> None:
    names = [f"f{n}" for n in range(50)]
    wide = make_dataclass("Wide", [(name, int) for name in names])
    some = [wide(*range(n, n + 50)) for n in range(20)]
    rows = [{name: n + place for place, name in enumerate(names)} for n in range(20)]
    assert penstock.json.decode(encode(some)) == rows


def test_fields_left_out() -> None:
    @dataclass
    class Sparse:
        x: int | None
        y: int = 3

    some = [Sparse(None if n % 2 else n) for n in range(10)]
    rows: list[dict[str, Any]] = [{"y": 3} if n % 2 else {"x": n, "y": 3} for n in range(10)]
    assert penstock.json.decode(encode(some, omit="none")) == rows
    rows = [{"x": None} if n % 2 else {"x": n} for n in range(10)]
    assert penstock.json.decode(encode(some, omit="defaults")) == rows
