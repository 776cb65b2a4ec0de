"""`describe`: any object graph as short text."""

# ruff: noqa: ANN001, ANN204, RUF012 - the classes are odd on purpose

import array
import collections
import datetime
import decimal
import enum
import functools
import io
import pathlib
import sys
import types
import uuid
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, NamedTuple

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

import penstock
from penstock import describe


@dataclass
class City:
    name: str
    twins: "list[City]" = field(default_factory=list)
    secret: str = field(default="hush", repr=False)
    kind: ClassVar[str] = "city"
    extra: InitVar[int] = 0


class Color(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: object


class Slots:
    __slots__ = ("__mine", "a", "b")

    def __init__(self) -> None:
        self.a = 1
        self.__mine = 2

    @property
    def c(self):
        msg = "it was run"
        raise AssertionError(msg)


class Plain:
    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @property
    def property(self):
        msg = "it was run"
        raise AssertionError(msg)

    def __repr__(self) -> str:
        msg = "it was run"
        raise AssertionError(msg)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-12, "-12"),
        (1.5, "1.5"),
        (float("nan"), "nan"),
        (1j, "1j"),
        ("a\n'\x1b", '"a\\n\'\\x1b"'),
        (b"\x00", "b'\\x00'"),
        (bytearray(b"x"), "bytearray(b'x')"),
        (..., "Ellipsis"),
        (range(3), "range(0, 3)"),
        ([], "[]"),
        ((), "()"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        (set(), "set()"),
        ({1}, "{1}"),
        (frozenset(), "frozenset({})"),
        (frozenset({1}), "frozenset({1})"),
        ({}, "{}"),
        ({"a": 1, (1, 2): [3]}, "{'a': 1, (1, 2): [3]}"),
        (collections.deque([1], 3), "deque([1])"),
        (collections.OrderedDict(a=1), "OrderedDict({'a': 1})"),
        (collections.defaultdict(list, a=[]), "defaultdict({'a': []})"),
        (collections.Counter("aab"), "Counter({'a': 2, 'b': 1})"),
        ({1: 2}.keys(), "dict_keys([1])"),
        ({1: 2}.items(), "dict_items([(1, 2)])"),
        (array.array("i", [1, 2]), "array([1, 2])"),
        (types.SimpleNamespace(a=1), "SimpleNamespace(a=1)"),
        (Color.RED, "Color.RED"),
        (Point(1, [2]), "Point(x=1, y=[2])"),
        (City("Bern"), "City(name='Bern', twins=[])"),
        (Slots(), "Slots(_Slots__mine=2, a=1, b=<unset>)"),
        (Plain(a=1, b=Plain(c=2)), "Plain(a=1, b=Plain(c=2))"),
        (object(), "object()"),
        (ValueError("x", 2), "ValueError('x', 2)"),
        (datetime.date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
        (decimal.Decimal("1.50"), "Decimal('1.50')"),
        (uuid.UUID(int=1), "UUID('00000000-0000-0000-0000-000000000001')"),
        (pathlib.PurePosixPath("/x"), "PurePosixPath('/x')"),
        (City, "<class City>"),
        (penstock.Reader, "<class Reader>"),
        (print, "<function print>"),
        (describe, "<function describe>"),
        (City("a").twins.append, "<function list.append>"),
        (Slots().__init__, "<method Slots.__init__>"),
        (sys, "<module sys>"),
        (types.MappingProxyType({1: 2}), "mappingproxy(…)"),
        (iter([]), "list_iterator()"),
        ((n for n in []), "<generator object <genexpr>>"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_values(value: object, text: str):
    assert describe(value) == text


def test_a_long_number():
    assert describe(10**5000) == "<int of 16,610 bits>"
    assert describe(10**1000) == "1" + 1000 * "0"


def test_classes_of_others():
    import msgspec
    import pydantic

    @attrs.define
    class Attrs:
        x: int
        hidden: int = attrs.field(default=1, repr=False)

    @attrs.define(slots=False)
    class Unslotted:
        x: int

    class Struct(msgspec.Struct):
        x: int
        y: list[int]

    class Model(pydantic.BaseModel, extra="allow"):
        x: int
        hidden: int = pydantic.Field(default=1, repr=False)

        @pydantic.computed_field
        def computed(self) -> int:
            msg = "it was run"
            raise AssertionError(msg)

    assert describe([Attrs(1), Unslotted(2)]) == "[Attrs(x=1), Unslotted(x=2)]"
    assert describe(Struct(1, [2])) == "Struct(x=1, y=[2])"
    assert describe(Model(x=1, z=[3])) == "Model(x=1, z=[3])"


def test_shared_objects_and_cycles_are_marked():
    inner = [1]
    assert describe([inner, inner]) == "[<1>[1], →1]"
    cycle: list[Any] = [1]
    cycle.append(cycle)
    assert describe(cycle) == "<1>[1, →1]"
    bern, chur = City("Bern"), City("Chur")
    bern.twins, chur.twins = [chur], [bern]
    assert describe({"a": bern, "b": chur}, width=200) == (
        "{'a': <1>City(name='Bern', twins=[<2>City(name='Chur', twins=[→1])]), 'b': →2}"
    )
    key = (1, 2)
    assert describe({key: key}) == "{<1>(1, 2): →1}"
    mapping: dict[str, Any] = {}
    mapping["self"] = mapping
    assert describe(mapping) == "<1>{'self': →1}"
    # Equal is not the same, and nobody asks about empty ones and plain values.
    empty: list[Any] = []
    text = "x" * 5
    assert describe([[1], [1], empty, empty, text, text]) == "[[1], [1], [], [], 'xxxxx', 'xxxxx']"


def test_what_is_cut_at_the_depth_is_shown_elsewhere():
    shared = [1, 2]
    assert describe([[[shared]], shared], depth=3) == "[[[[…]]], [1, 2]]"
    assert describe([[[shared]], [shared]], depth=3) == "[[[[…]]], [[1, 2]]]"


def test_bounds():
    assert describe([[[[1]]]], depth=2) == "[[[…]]]"
    assert describe({"a": City("x")}, depth=1) == "{'a': City(…)}"
    assert describe([1], depth=0) == "[…]"
    assert describe((1,), depth=0) == "(…)"
    assert describe(3, depth=0) == "3"
    assert describe(list(range(100)), length=3) == "[0, 1, 2, … 97 more]"
    assert describe(dict.fromkeys(range(5)), length=2) == "{0: None, 1: None, … 3 more}"
    assert describe(set(range(2000)), length=1) == "{0, … 1,999 more}"
    assert describe(Plain(a=1, b=2, c=3), length=1) == "Plain(a=1, … 2 more)"
    assert describe([1], length=0) == "[… 1 more]"
    assert describe([[1, 2], [3, 4], 5], items=4) == "[[1, 2], …]"
    assert describe([1, 2, 3], items=0) == "[…]"
    assert describe("x" * 100) == repr("x" * 100)
    assert describe("x" * 1234, width=20) == f"'{'x' * 20}'… (1,234 characters)"
    assert describe(b"x" * 1234, width=20) == f"b'{'x' * 20}'… (1,234 bytes)"
    assert describe(bytearray(b"x" * 1234), width=20) == f"bytearray(b'{'x' * 20}')… (1,234 bytes)"
    assert len(describe(Text("y" * 10_000))) == 201


class Text:
    def __init__(self, text: str) -> None:
        Text.text = text

    def __repr__(self) -> str:
        return self.text


def test_layout():
    value = {"name": "Bern", "levels": [1, 2, 3], "inner": {"a": [1] * 12, "b": (7,)}}
    assert describe(value, width=40) == (
        "{\n"
        "    'name': 'Bern',\n"
        "    'levels': [1, 2, 3],\n"
        "    'inner': {\n"
        "        'a': [\n" + 12 * "            1,\n" + "        ],\n"
        "        'b': (7,),\n"
        "    },\n"
        "}"
    )
    assert describe(("x" * 30,), width=30) == f"(\n    '{'x' * 30}',\n)"


NESTED = st.recursive(
    st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(max_size=5), inner) | st.tuples(inner, inner)
    ),
    max_leaves=30,
)


def copied(value: Any) -> Any:
    """The same without anything shared: hypothesis may use one object twice."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([copied(each) for each in value])
    return value


@given(NESTED, st.integers(10, 60))
def test_without_bounds_it_is_the_literal(value: Any, width: int):
    value = copied(value)
    text = describe(value, depth=None, length=None, items=None, width=width)
    assert eval(text) == value
    # Only what cannot be broken is longer than a line.
    for line in text.split("\n"):
        assert (
            len(line) <= width
            or not any(pair in line.strip()[:-1] for pair in ("[", "{", "("))
            or "'" in line
        )


@given(NESTED)
def test_pieces_are_the_text(value: Any):
    pieces: list[str] = []
    assert describe(value, to=pieces.append) is None
    assert "".join(pieces) == describe(value)
    file = io.StringIO()
    describe(value, to=file)
    assert file.getvalue() == describe(value)


def test_a_description_is_streamed_and_may_be_stopped():
    pieces: list[str] = []

    def write(piece: str) -> bool:
        pieces.append(piece)
        return len(pieces) < 3

    value = [["x" * 50] for _ in range(10_000)]
    describe(value, length=None, items=None, to=write)
    assert len(pieces) == 3
    assert all(4096 <= len(piece) < 4300 for piece in pieces)
    assert list([[1], {}] | penstock.streams.Pipeline(describe)) == ["[1]", "{}"]


class Broken:
    def __repr__(self) -> str:
        msg = "x"
        raise KeyError(msg)


class NoText:
    def __repr__(self) -> str:
        return 3


class Lies(list):
    def __iter__(self):
        msg = "it was run"
        raise AssertionError(msg)

    __len__ = __getitem__ = __repr__ = __iter__


class LyingDict(dict):
    def items(self):
        msg = "it was run"
        raise AssertionError(msg)

    __len__ = __iter__ = keys = values = __getitem__ = __repr__ = items


def hostile() -> tuple[object, object]:
    """Two objects of classes that pytest must not see either."""

    class Meta(type):
        def __getattribute__(cls, name):
            msg = "it was run"
            raise AssertionError(msg)

        __hash__ = __instancecheck__ = __getattribute__

    class OfMeta(metaclass=Meta):
        __slots__ = ("x",)

    class Getting:
        def __getattribute__(self, name):
            msg = "it was run"
            raise AssertionError(msg)

        def __getattr__(self, name):
            msg = "it was run"
            raise AssertionError(msg)

        __eq__ = __hash__ = __bool__ = __class__ = property(__getattribute__)

    return OfMeta(), Getting()


class FakeDict:
    @property
    def __dict__(self):
        msg = "it was run"
        raise AssertionError(msg)


class FakeDataclass:
    __dataclass_fields__ = {"x": 3}
    __attrs_attrs__ = __struct_fields__ = 3


def test_odd_objects_run_nothing_and_raise_nothing():
    assert describe(Broken()) == "<Broken: its repr raised KeyError>"
    assert describe(NoText()) == "<NoText: its repr raised TypeError>"
    assert describe(Lies([1])) == "Lies([1])"
    assert describe(LyingDict(a=1)) == "LyingDict({'a': 1})"
    assert describe(FakeDict()) == "FakeDict()"
    assert describe(FakeDataclass()) == "FakeDataclass()"
    of_meta, getting = hostile()
    assert describe([of_meta, of_meta]) == "[<1>OfMeta(x=<unset>), →1]"
    assert describe(getting) == "Getting()"
    assert describe(functools.partial(print, 1)).startswith(
        "functools.partial(<built-in function print>, 1)"
    )
    assert describe(type("Odd\n\x1b", (), {})()) == "Odd\ufffd\ufffd()"
    assert describe(Plain(**{"a\n=1, b": 2})) == "Plain(a\ufffd=1, b=2)"
    assert describe(Text("a\nb\x1b[31m")) == "a b\ufffd[31m"


def test_deep_and_wide():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert describe(deep) == "[[[[[[[…]]]]]]]"
    text = describe(deep, depth=None, items=None)
    assert text.count("[") == 100_001
    assert max(map(len, text.split("\n"))) <= 101
    while deep:
        deep = deep.pop()
    assert describe([0] * 10_000_000).endswith("… 9,999,980 more]") or describe(
        [0] * 10_000_000
    ).endswith("… 9,999,980 more,\n]")


def test_it_is_short_whatever_it_is_given():
    value: Any = "x" * 10_000
    for _ in range(6):
        value = [copied(value) for _ in range(6)]
    assert len(describe(value, depth=None, length=None)) < 200_000
    assert describe(value).count("x'") <= 1_000


@pytest.mark.thread_unsafe(reason="it measures time")
@pytest.mark.parametrize("kind", ["wide", "deep", "shared", "objects"])
def test_linear_time(kind: str):
    def make(n: int):
        value: Any
        if kind == "wide":
            value = [[k, str(k)] for k in range(n)]
        elif kind == "deep":
            value = []
            for _ in range(n):
                value = [value, 1]
        elif kind == "shared":
            value = []
            for _ in range(n):
                value = [value, value]
        else:
            value = [City(str(k)) for k in range(n)]
        return lambda: describe(value, depth=None, length=None, items=None)

    assert_linear(make, 2_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": -1}, "depth must not be negative"),
        ({"length": -1}, "length must not be negative"),
        ({"items": -1}, "items must not be negative"),
        ({"width": 9}, "width must be at least 10"),
    ],
)
def test_wrong_bounds(options: dict[str, Any], message: str):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        describe(1, **options)
    assert str(caught.value) == message


def test_nothing_is_kept():
    import gc
    import weakref

    city = City("x")
    describe([city, city])
    kept = weakref.ref(city)
    del city
    gc.collect()
    assert kept() is None
