"""A decoded object is indistinguishable from one made by calling its class with the same values."""

from __future__ import annotations

import collections
import inspect
import json
import math
import pickle
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any, NamedTuple, NotRequired, Required, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock

# Defaults whose identity can be seen: no equal tuple made later is the same object.
SHARED: tuple[int, ...] = (1000, 2000)
LATER: tuple[int, ...] = (3000,)

# The field names and the values that JSON may have for them. Each class has some of them.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(),
    "text": st.text(),
    "real": st.floats(allow_nan=False, allow_infinity=False) | st.none(),
    "flags": st.lists(st.booleans(), max_size=3),
    "pair": st.lists(st.integers(-9, 9), max_size=3),
    "extra": st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=3),
}


@dataclass(slots=True)
class Slots:
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED
    flags: list[bool] = field(default_factory=list)
    extra: dict[str, int] = field(default_factory=dict)


@dataclass
class Attributes:
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED
    flags: list[bool] = field(default_factory=list)
    extra: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FrozenSlots:
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED


@dataclass(frozen=True)
class FrozenAttributes:
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED


@dataclass(unsafe_hash=True, order=True)
class Hashed:
    number: int
    text: str = "default"
    pair: tuple[int, ...] = field(default=SHARED, compare=False, repr=False)


@dataclass(kw_only=True, slots=True)
class KeywordSlots:
    text: str = "first"
    number: int
    pair: tuple[int, ...] = SHARED
    real: float | None


@dataclass
class SomeKeywords:
    text: str
    _: KW_ONLY
    number: int
    pair: tuple[int, ...] = SHARED


@dataclass(slots=True)
class SlotsChild(Slots):
    """New fields, and an inherited one with another default, which keeps its place."""

    pair: tuple[int, ...] = LATER
    more: int = 5


@dataclass
class AttributesChild(Slots):
    """Inherited slots and a `__dict__` in one object."""

    more: int = 5
    further: str = "f"


@dataclass(slots=True)
class SlotsBelowAttributes(Attributes):
    """A `__dict__` from the base and slots of its own."""

    more: int = 5


@dataclass(slots=True, weakref_slot=True)
class Weak:
    number: int
    text: str = ""


@dataclass(slots=True)
class Computed:
    number: int
    pair: tuple[int, ...] = SHARED
    twice: int = field(init=False)
    constant: tuple[int, ...] = field(default=LATER, init=False)
    made: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.twice = self.number * 2
        self.made.append(self.twice)


@dataclass
class ComputedAttributes:
    number: int
    twice: int = field(init=False)
    constant: tuple[int, ...] = field(default=LATER, init=False)
    made: list[int] = field(default_factory=list, init=False)
    text: str = ""

    def __post_init__(self) -> None:
        self.twice = self.number * 2
        self.added = True


@dataclass
class OwnInit:
    number: int
    text: str = "declared"

    def __init__(self, number: int, text: str = "given by __init__") -> None:
        self.text = text + "!"
        self.number = number


@dataclass(slots=True)
class Nothing:
    pass


class Named(NamedTuple):
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED


class NamedChild(Named):
    def shout(self) -> str:
        return self.text.upper()


Untyped = collections.namedtuple("Untyped", ["number", "text", "pair"], defaults=[SHARED])  # noqa: PYI024 - the untyped kind is a kind


class Total(TypedDict):
    number: int
    text: str
    real: float | None


class Partial(TypedDict, total=False):
    number: int
    text: str
    extra: dict[str, int]


class Mixed(Total, total=False):
    flags: list[bool]
    pair: Required[list[int]]


class Marked(TypedDict):
    text: NotRequired[str]
    number: int


class Plain:
    number: int
    text: str
    real: float | None = None
    pair: tuple[int, ...] = SHARED


class PlainSlots:
    __slots__ = ("number", "text")
    number: int
    text: str


class PlainChild(Plain):
    flags: list[bool]
    pair: tuple[int, ...] = LATER


KINDS: dict[type, tuple[list[str], list[str]]] = {
    # The class: the keys that it requires, and the others.
    Slots: (["number", "text"], ["real", "pair", "flags", "extra"]),
    Attributes: (["number", "text"], ["real", "pair", "flags", "extra"]),
    FrozenSlots: (["number", "text"], ["real", "pair"]),
    FrozenAttributes: (["number", "text"], ["real", "pair"]),
    Hashed: (["number"], ["text", "pair"]),
    KeywordSlots: (["number", "real"], ["text", "pair"]),
    SomeKeywords: (["text", "number"], ["pair"]),
    SlotsChild: (["number", "text"], ["real", "pair", "flags", "extra"]),
    AttributesChild: (["number", "text"], ["real", "pair", "flags", "extra"]),
    SlotsBelowAttributes: (["number", "text"], ["real", "pair", "flags", "extra"]),
    Weak: (["number"], ["text"]),
    Computed: (["number"], ["pair"]),
    ComputedAttributes: (["number"], ["text"]),
    OwnInit: (["number"], ["text"]),
    Nothing: ([], []),
    Named: (["number", "text"], ["real", "pair"]),
    NamedChild: (["number", "text"], ["real", "pair"]),
    Untyped: (["number", "text"], ["pair"]),
    Total: (["number", "text", "real"], []),
    Partial: ([], ["number", "text", "extra"]),
    Mixed: (["number", "text", "real", "pair"], ["flags"]),
    Marked: (["number"], ["text"]),
    Plain: (["number", "text"], ["real", "pair"]),
    PlainSlots: (["number", "text"], []),
    PlainChild: (["number", "text", "flags"], ["real", "pair"]),
}

# JSON has an array for a tuple; it becomes one only if the class says `tuple`.
TUPLES = {cls for cls in KINDS if cls not in (Total, Partial, Mixed, Marked, Untyped)}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def declared(cls: type) -> list[str]:
    """The names of the class in the order in which it declares them."""
    if is_dataclass(cls):
        return [each.name for each in fields(cls)]
    if hasattr(cls, "_fields"):
        return list(cls._fields)
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        names.update(dict.fromkeys(inspect.get_annotations(base)))
    return list(names)


def called(cls: type, values: dict[str, Any]) -> Any:
    """An object made by calling the class, as its kind is called."""
    if cls in TUPLES and "pair" in values:
        values = values | {"pair": tuple(values["pair"])}
    values = {name: values[name] for name in declared(cls) if name in values}
    if "__init__" not in dir(cls) or cls.__init__ is not object.__init__ or issubclass(cls, tuple):
        return cls(**values)
    made = cls()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def state(value: Any) -> list[tuple[str, Any]]:
    """Everything that an object holds, in the order in which a program can see it."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, tuple):
        return [*enumerate(value), *getattr(value, "__dict__", {}).items()]  # type: ignore[list-item]
    slots = [name for base in type(value).__mro__ for name in vars(base).get("__slots__", ())]
    kept = [
        (name, getattr(value, name))
        for name in slots
        if name != "__weakref__" and hasattr(value, name)
    ]
    return kept + list(getattr(value, "__dict__", {}).items())


def typed(value: Any) -> Any:
    """The value with its types, so that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return type(value), [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [typed(item) for item in value]
    return type(value), value, isinstance(value, float) and math.copysign(1, value)


@st.composite
def documents(draw: st.DrawFn, cls: type) -> tuple[dict[str, Any], str]:
    """Values for the class, and a document of them: any order, with unknown keys in between."""
    required, optional = KINDS[cls]
    chosen = draw(st.sets(st.sampled_from(optional))) if optional else set()
    names = [*required, *sorted(chosen)]
    values = {name: draw(VALUES[name]) for name in names}
    known = set(declared(cls))
    unknown = draw(
        st.dictionaries(st.text().filter(lambda key: key not in known), anything, max_size=2)
    )
    members = list((values | unknown).items())
    order = draw(st.permutations(members)) if members else []
    ascii_only = draw(st.booleans())
    spacing = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:\r\n ")]))
    return values, json.dumps(dict(order), ensure_ascii=ascii_only, separators=spacing)


def hashed(value: object) -> int | None:
    try:
        return hash(value)
    except TypeError:
        return None


@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_a_decoded_object_is_as_a_called_one(cls: type, data: st.DataObject) -> None:
    values, document = data.draw(documents(cls))
    expected = called(cls, values)
    made = penstock.json.decode(document, cls)

    assert type(made) is type(expected)
    assert typed(state(made)) == typed(state(expected))
    if cls.__eq__ is not object.__eq__:
        assert made == expected
        assert hashed(made) == hashed(expected)
    for name, value in state(expected):
        # Defaults are the same objects, not copies of them.
        if value is SHARED or value is LATER:
            assert dict(state(made))[name] is value
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
    assert typed(state(again)) == typed(state(made))


@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
@settings(max_examples=8)
@given(data=st.data())
def test_many_in_one_document_and_in_a_stream(cls: type, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(documents(cls), min_size=1, max_size=5))
    expected = [typed(state(called(cls, values))) for values, _ in drawn]
    document = f"[{','.join(text for _, text in drawn)}]".encode()

    assert [typed(state(made)) for made in penstock.json.decode(document, list[cls])] == expected
    # One byte at a time, and row by row, where rows are filled again.
    pieces = [document[at : at + 1] for at in range(len(document))]
    rows = penstock.json.read(iter(pieces), cls)
    assert [typed(state(made)) for made in rows] == expected
    by_two = [row for rows in penstock.json.read([document], cls).batches(2) for row in rows]
    assert [typed(state(made)) for made in by_two] == expected


@pytest.mark.parametrize("cls", [Slots, Attributes, SlotsChild, AttributesChild])
def test_factories_make_a_new_object_for_each(cls: type) -> None:
    one, two = penstock.json.decode(
        '[{"number": 1, "text": ""}, {"number": 1, "text": ""}]', list[cls]
    )
    assert (one.flags, one.extra) == ([], {})
    assert one.flags is not two.flags
    assert one.extra is not two.extra


def test_factories_run_in_the_order_of_the_fields_and_only_for_absent_keys() -> None:
    ran: list[str] = []

    def factory(name: str) -> Any:
        return field(default_factory=lambda: ran.append(name) or name)

    @dataclass(slots=True)
    class Three:
        a: object = factory("a")
        b: object = factory("b")
        c: object = factory("c")

    namespace = {"object": object}
    plan = penstock.Plan(Three, namespace=namespace)
    assert penstock.json.decode('{"c": 1}', plan) == Three("a", "b", 1)
    assert ran == ["a", "b"]
    ran.clear()
    assert penstock.json.decode("{}", plan) == Three("a", "b", "c")
    assert ran[:3] == ["a", "b", "c"]


def test_the_order_of_keys_is_that_of_the_class() -> None:
    made = penstock.json.decode('{"text": "t", "pair": [], "real": 1, "number": 1}', Mixed)
    assert list(made) == ["number", "text", "real", "pair"]
    made = penstock.json.decode('{"pair": [], "text": "t", "number": 1}', Attributes)
    assert list(vars(made)) == ["number", "text", "real", "pair", "flags", "extra"]
    made = penstock.json.decode('{"pair": [], "text": "t", "number": 1}', Plain)
    assert list(vars(made)) == ["number", "text", "pair"]


def test_a_plain_class_keeps_its_defaults_on_the_class() -> None:
    made = penstock.json.decode('{"text": "t", "number": 1}', Plain)
    assert vars(made) == {"number": 1, "text": "t"}
    assert made.pair is SHARED
    made.pair = ()
    assert Plain.pair is SHARED


@dataclass
class Branch:
    name: str
    left: Branch | None = None
    right: Branch | None = None
    leaves: list[Branch] = field(default_factory=list)
    named: dict[str, Branch] = field(default_factory=dict)


branches = st.deferred(
    lambda: st.fixed_dictionaries(
        {"name": st.text(max_size=3)},
        optional={
            "left": st.none() | branches,
            "right": branches,
            "leaves": st.lists(branches, max_size=2),
            "named": st.dictionaries(st.text(max_size=2), branches, max_size=2),
        },
    )
)


def grown(values: dict[str, Any] | None) -> Branch | None:
    if values is None:
        return None
    parts = {
        "left": grown,
        "right": grown,
        "leaves": lambda leaves: [grown(leaf) for leaf in leaves],
        "named": lambda named: {key: grown(leaf) for key, leaf in named.items()},
        "name": str,
    }
    return Branch(**{name: parts[name](value) for name, value in values.items()})


@settings(max_examples=25)
@given(branches)
def test_recursive_classes(values: dict[str, Any]) -> None:
    assert penstock.json.decode(json.dumps(values), Branch) == grown(values)


@given(st.lists(st.integers(), min_size=2, max_size=4))
def test_named_tuples_from_arrays(items: list[int]) -> None:
    class Row(NamedTuple):
        a: int
        b: int
        c: int = 7
        d: tuple[int, ...] = SHARED  # type: ignore[assignment]

    plan = penstock.Plan(Row, namespace={"SHARED": SHARED})
    document = json.dumps(items[:3])
    made = penstock.json.decode(document, plan)
    assert type(made) is Row
    assert made == Row(*items[:3])
    assert made.d is SHARED


# Names with common ends or lengths, and some beyond ASCII.
names = st.lists(
    st.from_regex(r"[ab_][abé_]{0,12}", fullmatch=True).filter(
        lambda name: not name.startswith("__")
    ),
    min_size=1,
    max_size=30,
    unique=True,
)


@settings(max_examples=25)
@given(names=names, data=st.data(), slots=st.booleans())
def test_fields_of_any_name_in_any_order(
    names: list[str], data: st.DataObject, slots: bool
) -> None:
    cls = make_dataclass("Named", [(name, int, field(default=-1)) for name in names], slots=slots)
    rows = []
    for _ in range(4):
        chosen = data.draw(st.permutations(names))
        chosen = chosen[: data.draw(st.integers(0, len(chosen)))]
        rows.append({name: number for number, name in enumerate(chosen)})
    # Keys that are similar to those of fields.
    near = {f"{names[0]}x": "?", names[0][:-1]: "?", names[-1].upper(): "?"}
    near = {key: value for key, value in near.items() if key not in names}
    for ascii_only in (True, False):
        document = json.dumps([row | near for row in rows], ensure_ascii=ascii_only)
        assert penstock.json.decode(document, list[cls]) == [cls(**row) for row in rows]


@pytest.mark.parametrize("slots", [True, False])
@settings(max_examples=10)
@given(data=st.data())
def test_a_class_of_many_fields(slots: bool, data: st.DataObject) -> None:
    names = [f"field_{number}" for number in range(150)]
    wide = make_dataclass(
        "Wide", [(name, str | None, field(default=None)) for name in names], slots=slots
    )
    rows = []
    for _ in range(3):
        order = data.draw(st.permutations(names))[: data.draw(st.integers(0, 150))]
        rows.append({name: f"value of {name}" for name in order})
    assert penstock.json.decode(json.dumps(rows), list[wide]) == [wide(**row) for row in rows]
    assert list(penstock.json.read([json.dumps(rows).encode()], wide)) == [
        wide(**row) for row in rows
    ]
