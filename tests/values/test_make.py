"""`make`: objects from what another library has parsed."""

from __future__ import annotations

import collections
import enum
import ipaddress
import itertools
import json
import signal
import sqlite3
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict
from uuid import UUID

import attrs
import msgspec
import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import at, make, rest, tag, via


@dataclass(slots=True)
class City:
    name: str
    population: int
    area: float = 0.0
    note: str | None = None


class Colour(enum.Enum):
    RED = "red"
    THREE = 3


@dataclass
class Everything:
    when: datetime
    day: date
    hour: time
    long: timedelta
    identity: UUID
    money: Decimal
    path: Path
    network: ipaddress.IPv4Network
    colour: Colour
    cities: list[City]
    counts: dict[int, str]
    numbers: set[int]
    raw: bytes
    any: Any = None


NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ONE = UUID("12345678123456781234567812345678")


def everything() -> Everything:
    return Everything(
        when=NOW,
        day=date(2026, 3, 1),
        hour=time(1, 2),
        long=timedelta(hours=2),
        identity=ONE,
        money=Decimal("1.50"),
        path=Path("/x"),
        network=ipaddress.IPv4Network("10.0.0.0/8"),
        colour=Colour.RED,
        cities=[City("Bern", 134_000)],
        counts={1: "a"},
        numbers={1, 2},
        raw=b"xx",
        any=[1],
    )


def test_a_dict_becomes_an_object() -> None:
    assert make({"name": "Bern", "population": 134_000}, City) == City("Bern", 134_000)
    assert make({"name": "Bern", "population": 1, "area": 2}, City).area == 2.0
    assert make([{"name": "a", "population": 1}, City("b", 2)], list[City]) == [
        City("a", 1),
        City("b", 2),
    ]


def test_what_is_of_the_type_is_taken_as_it_is() -> None:
    whole = everything()
    made = make(vars(whole), Everything)
    assert made == whole
    assert made is not whole
    for name in ("when", "day", "identity", "money", "path", "network", "any"):
        assert getattr(made, name) is getattr(whole, name)
    assert made.cities is not whole.cities
    assert made.cities[0] is whole.cities[0]
    assert make(whole, Everything) is whole
    thing = object()
    assert make({"a": thing}, dict[str, Any]) == {"a": thing}
    assert make(thing, Any) is thing


def test_text_is_read_as_in_json() -> None:
    whole = everything()
    text = json.loads(penstock.json.encode(whole))
    assert make(text, Everything) == whole


@pytest.mark.parametrize(
    ("value", "into", "message"),
    [
        ({"name": "x", "population": "1"}, City, "expected int, got a string (at population)"),
        ([{"name": 1, "population": 1}], list[City], "expected str, got the integer 1 (at 0/name)"),
        ({"name": "x"}, City, 'City lacks the required key "population"'),
        (True, int, "expected int, got true"),
        (2.5, int, "expected int, got a number with a fraction or an exponent"),
        (b"12", int, "expected int, got an object of the class bytes"),
        (NOW, date, "expected date, got an object of the class datetime"),
        (10**400, float, "expected float, got a number beyond the range of a double"),
        (object(), int, "expected int, got an object of the class object"),
        ([1], City, "expected City, got an array; for its elements ask for list[City]"),
        ("\ud800", date, "expected date, got a string with a lone surrogate, which is not text"),
        ({1.5: 2}, dict[int, int], 'expected int, got the key "1.5" (at 1.5)'),
        ({(1, 2): 2}, dict[str, int], "expected a str as the key, got tuple"),
    ],
)
def test_what_does_not_fit_is_an_error_with_its_path(value: Any, into: Any, message: str) -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        make(value, into)
    assert str(caught.value).startswith(message)
    assert (caught.value.line, caught.value.offset, caught.value.format) == (None, None, None)


def test_an_object_without_keys_needs_from_attributes() -> None:
    value = types.SimpleNamespace(name="Bern", population=1, other=object())
    with pytest.raises(penstock.ValidationError, match="from_attributes=True reads the attributes"):
        make(value, City)
    assert make(value, City, from_attributes=True) == City("Bern", 1)
    assert make({"cities": [value]}, dict[str, list[City]], from_attributes=True) == {
        "cities": [City("Bern", 1)]
    }


@dataclass
class Deep:
    x: Annotated[int, at("in/x")]
    ys: Annotated[list[int], at("items/*/y")]


def test_paths_lead_through_dicts_and_attributes() -> None:
    space = types.SimpleNamespace
    assert make({"in": {"x": 4}, "items": [{"y": 1}, {"y": 2}]}, Deep) == Deep(4, [1, 2])
    value = space(**{"in": space(x=4), "items": [space(y=1), {"y": 2}]})
    assert make(value, Deep, from_attributes=True) == Deep(4, [1, 2])


def test_an_attribute_has_the_name_of_its_field_or_of_its_key() -> None:
    plan = penstock.Plan(City, rename={"name": "Label"})
    value = types.SimpleNamespace(name="Bern", population=1)
    assert make(value, plan, from_attributes=True) == City("Bern", 1)
    value = types.SimpleNamespace(Label="Bern", population=1)
    assert make(value, plan, from_attributes=True) == City("Bern", 1)
    with pytest.raises(penstock.ValidationError, match='lacks the required key "Label"'):
        make({"name": "Bern", "population": 1}, plan)


def test_attributes_that_raise_are_the_callers_errors() -> None:
    class Broken:
        population = 1

        @property
        def name(self) -> str:
            raise OSError("no connection")

    with pytest.raises(OSError, match="no connection"):
        make(Broken(), City, from_attributes=True)


class Pair(NamedTuple):
    name: str
    population: int


def test_rows_are_read_by_name_or_by_order() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 'Bern' as name, 5 as population").fetchall()
    connection.close()
    assert make(rows, list[City]) == [City("Bern", 5)]
    assert make(rows[0], tuple[str, int]) == ("Bern", 5)
    assert make(rows[0], dict[str, Any]) == {"name": "Bern", "population": 5}
    assert make(Pair("Bern", 5), City) == City("Bern", 5)
    assert make(("Bern", 5), Pair) == Pair("Bern", 5)
    assert make(Pair("Bern", 5), list[Any]) == ["Bern", 5]


def test_rows_of_sqlalchemy() -> None:
    class Row(tuple):  # noqa: SLOT001 - as SQLAlchemy's: a tuple with a mapping beside it
        _fields = ("name", "population")

        @property
        def _mapping(self) -> Mapping[str, Any]:
            return dict(zip(self._fields, self, strict=True))

    assert make([Row(("Bern", 5))], list[City]) == [City("Bern", 5)]
    assert make([Row(("Bern", 5))], list[tuple[str, int]]) == [("Bern", 5)]


class Custom(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return {"name": "Bern", "population": 5}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(("name", "population"))

    def __len__(self) -> int:
        return 2


def test_any_mapping_and_any_iterable() -> None:
    assert make(Custom(), City) == City("Bern", 5)
    assert make(types.MappingProxyType({"name": "x", "population": 1}), City) == City("x", 1)
    assert make(collections.OrderedDict(name="x", population=1), City) == City("x", 1)
    assert make(iter([1, 2]), list[int]) == [1, 2]
    assert make({3}, list[int]) == [3]
    assert make(frozenset({3}), set[int]) == {3}
    assert make(collections.deque([1, 2]), tuple[int, ...]) == (1, 2)
    assert make(range(3), list[int]) == [0, 1, 2]
    assert make(np.array([1.5, 2.5]).tolist(), list[float]) == [1.5, 2.5]
    with pytest.raises(penstock.ValidationError, match="expected list\\[str\\], got a string"):
        make("text", list[str])


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Literal["dog"]
    name: str


def test_unions() -> None:
    assert make({"lives": 9, "kind": "cat"}, Cat | Dog) == Cat("cat", 9)
    dog = Dog("dog", "Rex")
    assert make(dog, Cat | Dog) is dog
    value = types.SimpleNamespace(kind="dog", name="Rex")
    assert make(value, Cat | Dog, from_attributes=True) == dog
    with pytest.raises(penstock.ValidationError, match='the key "kind" is "cow"'):
        make({"kind": "cow"}, Cat | Dog)
    assert make(5, int | str) == 5
    assert make(NOW, int | datetime) is NOW
    assert make(ONE, int | UUID | None) is ONE
    assert make(None, int | None) is None
    tagged = Annotated[City | Deep, tag("is")]
    assert make({"is": "City", "name": "x", "population": 1}, tagged) == City("x", 1)


def test_every_kind_of_class() -> None:
    class Typed(TypedDict, total=False):
        name: str
        population: int

    class Model(pydantic.BaseModel):
        name: str
        population: int

    class Struct(msgspec.Struct):
        name: str
        population: int

    @attrs.define
    class Attrs:
        name: str
        population: int

    value = {"name": "Bern", "population": 5, "other": 1}
    assert make(value, Typed) == {"name": "Bern", "population": 5}
    for cls in (Model, Struct, Attrs):
        assert make(value, cls) == cls(name="Bern", population=5)
        assert make(cls(name="Bern", population=5), City, from_attributes=True) == City("Bern", 5)
        with pytest.raises(penstock.ValidationError, match="has no field for the key"):
            make(value, cls, unknown="error")


Score = NewType("Score", int)


def double(text: str) -> Fraction:
    return Fraction(text) * 2


def test_functions_are_called_for_what_is_not_made_yet() -> None:
    half = Annotated[Fraction, via(double)]
    assert make("1/4", half) == Fraction(1, 2)
    assert make(Fraction(1, 4), half) == Fraction(1, 4)
    assert make(3, Score) == 3
    assert make("a", Annotated[str, via(str.upper)]) == "A"


@dataclass
class Open:
    name: str
    others: Annotated[dict[str, Any], rest] = field(default_factory=dict)


def test_the_rest_of_the_keys() -> None:
    assert make({"name": "x", "a": 1, "b": [2]}, Open) == Open("x", {"a": 1, "b": [2]})


def test_text_of_forms_and_of_the_environment() -> None:
    @dataclass
    class Settings:
        port: int
        debug: bool
        ratio: float = 1.0

    values = {"port": "8080", "debug": "true", "ratio": "0.5"}
    assert make(values, penstock.Plan(Settings, strict=False)) == Settings(8080, True, 0.5)


def test_all_problems_at_once() -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        make([{"name": 1, "population": "x", "area": []}], list[City], all_errors=True)
    assert [problem.path for problem in caught.value.problems] == [
        "0/name",
        "0/population",
        "0/area",
    ]


def test_what_contains_itself_or_is_deep() -> None:
    circle: list[Any] = []
    circle.append(circle)
    nested = list[list[list[int]]]

    class Node(TypedDict):
        child: Node | None

    node: dict[str, Any] = {}
    node["child"] = node
    with pytest.raises(penstock.LimitExceeded, match="deep in each other, or contain themselves"):
        make(node, penstock.Plan(Node, namespace={"Node": Node}))
    with pytest.raises(penstock.ValidationError):
        make(circle, nested)
    deep: Any = None
    for _ in range(50_000):
        deep = {"child": deep}
    limits = penstock.Limits(depth=100_000)
    made = make(deep, penstock.Plan(Node, namespace={"Node": Node}), limits=limits)
    assert made["child"]["child"]["child"] is not None


CHANGING: dict[str, Any] = {"name": "x"}


def changed(text: str) -> str:
    CHANGING.clear()
    return text


def test_a_value_that_changes_meanwhile() -> None:
    with pytest.raises(RuntimeError, match="the dict was changed while an object was made of it"):
        make(CHANGING, dict[str, Annotated[str, via(changed)]])


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_stay_what_they_are(value: Any) -> None:
    assert make(value, Any) is value
    if isinstance(value, dict):
        made = make(value, dict[str, Any])
        assert (made, list(made)) == (value, list(value))
        assert made is not value


@given(
    st.dictionaries(
        st.sampled_from(["name", "population", "area", "note", "else"]),
        st.none()
        | st.integers()
        | st.text(max_size=3)
        | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_a_dict_is_read_as_its_json(value: dict[str, Any]) -> None:
    def outcome(read: Callable[[], City]) -> Any:
        try:
            return read()
        except penstock.ValidationError as error:
            return error.path, error.code

    text = json.dumps(value)
    assert outcome(lambda: make(value, City)) == outcome(lambda: penstock.json.decode(text, City))


def test_keys_are_taken_as_they_are_too() -> None:
    key = "a key that is long enough"
    [same] = make({key: 1}, dict[str, int])
    assert same is key
    assert make({"\ud800": 1}, dict[str, int]) == {"\ud800": 1}
    with pytest.raises(penstock.ValidationError, match="expected int, got a string") as caught:
        make({"a": {key: "x"}}, dict[str, dict[str, int]])
    assert caught.value.path == f"a/{key}"
    assert make({5: 1, "6": 2}, dict[int | str, int]) == {5: 1, 6: 2}
    with pytest.raises(penstock.ValidationError, match="one with a lone surrogate"):
        make({"\ud800": 1}, City)


def test_an_iterator_without_end_can_be_interrupted() -> None:
    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            make(itertools.count(), list[int])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_hint_is_for_who_has_not_said_it() -> None:
    @dataclass
    class City:
        name: str

    with pytest.raises(penstock.ValidationError, match="from_attributes=True reads the attributes"):
        penstock.make(object(), City)
    with pytest.raises(
        penstock.ValidationError, match=r"expected City, got an object of the class bytes$"
    ):
        penstock.make(b"Bern", City, from_attributes=True)
