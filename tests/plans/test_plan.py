"""Class to plan: which types there are, which are refused, and how an object is made."""

from __future__ import annotations

import abc
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import gc
import ipaddress
import pathlib
import sys
import types
import typing
import uuid
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from itertools import takewhile
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Protocol,
    TypedDict,
    TypeVar,
    Union,
)

import penstock
import pytest
from penstock import Plan, PlanError

Item = TypeVar("Item")
UserId = NewType("UserId", int)


class Color(enum.Enum):
    RED = "red"
    CRIMSON = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Permission(enum.Flag):
    READ = 1


class Shape(enum.Enum):
    POINT = (0, 0)


@dataclass(slots=True)
class Point:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Hashable:
    x: int


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)
    parent: Optional["Node"] = None


def way(cls: object) -> str:
    """How objects of the class are made."""
    return repr(Plan(cls)).splitlines()[1].split(", ", 1)[1]


def shown(cls: object, **namespace: object) -> list[str]:
    """The fields of the class, as its plan shows them."""
    lines = repr(Plan(cls, namespace=namespace or None)).splitlines()[2:]
    return [line.strip() for line in takewhile(lambda line: line.startswith(" "), lines)]


def refused(cls: object, **options: Any) -> str:
    """The message with which the type is refused."""
    with pytest.raises(PlanError) as caught:
        Plan(cls, **options)
    return str(caught.value)


def field_of(annotation: object) -> type:
    """A class `City` with the field `x`."""
    return dataclasses.make_dataclass("City", [("x", annotation)])


# Types.


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (None, "None"),
        (type(None), "None"),
        (bool, "bool"),
        (int, "int"),
        (float, "float"),
        (str, "str"),
        (bytes, "bytes"),
        (Any, "Any"),
        (object, "Any"),
        (decimal.Decimal, "Decimal"),
        (datetime.datetime, "datetime"),
        (datetime.date, "date"),
        (datetime.time, "time"),
        (uuid.UUID, "UUID"),
        (Color, "Color"),
        (Level, "Level"),
        (Literal["a", 3, True, None], "Literal['a', 3, True, None]"),
        (list, "list"),
        (typing.List, "list"),
        (list[int], "list[int]"),
        (typing.List[int], "list[int]"),
        (tuple, "tuple"),
        (tuple[()], "tuple[()]"),
        (tuple[int, str], "tuple[int, str]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (set[int], "set[int]"),
        (frozenset[Color], "frozenset[Color]"),
        (set[tuple[int, Hashable]], "set[tuple[int, Hashable]]"),
        (dict, "dict"),
        (dict[str, int], "dict[str, int]"),
        (dict[Any, int], "dict[str, int]"),
        (dict[Color, int], "dict[Color, int]"),
        (dict[Literal["a", "b"], int], "dict[Literal['a', 'b'], int]"),
        (int | None, "int | None"),
        (Optional[int], "int | None"),
        (Union[None, int], "int | None"),
        (Optional[Any], "Any"),
        (list[Point | None], "list[Point | None]"),
        (Annotated[int, "documentation"], "int"),
        (Final[int], "int"),
        ("list[int]", "list[int]"),
        (list["int"], "list[int]"),
        (typing.List["int"], "list[int]"),
    ],
)
def test_types(annotation: object, name: str) -> None:
    assert shown(field_of(annotation)) == [f"x: {name}"]


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (collections.deque, "collections.deque is not supported yet"),
        (collections.deque[int], "collections.deque is not supported yet"),
        (collections.defaultdict, "collections.defaultdict is not supported yet"),
        (collections.OrderedDict, "collections.OrderedDict is not supported yet"),
        (collections.Counter, "collections.Counter is not supported yet"),
        (Mapping[str, int], "collections.abc.Mapping is not supported yet"),
        (typing.Sequence[int], "collections.abc.Sequence is not supported yet"),
        (Sequence, "Sequence is abstract, so no object of it can be made"),
        (bytearray, "bytearray is not supported yet"),
        (complex, "complex is not supported yet"),
        (datetime.timedelta, "datetime.timedelta is not supported yet"),
        (fractions.Fraction, "fractions.Fraction is not supported yet"),
        (pathlib.Path, "pathlib.Path is not supported yet"),
        (ipaddress.IPv4Address, "ipaddress.IPv4Address is not supported yet"),
        (type, "type is not supported yet"),
        (type[int], "type is not supported yet"),
        (int | str, "unions are not supported yet: int | str"),
        (Union[int, Point, None], "unions are not supported yet: int | Point | None"),
        (Permission, "flags are not supported yet: Permission"),
        (enum.Enum, "Enum has no members"),
        (UserId, "NewType is not supported yet: test_plan.UserId"),
        (Item, "type variables are not supported yet: ~Item"),
        (typing.Self, "Self is not supported yet"),
        (3, "3 is not a type"),
        (Literal[b"x"], "Literal[b'x'] is not supported yet"),
        (Literal[Color.RED], "Literal[<Color.RED: 'red'>] is not supported yet"),
        (
            Shape,
            "Shape.POINT is (0, 0); only text, integers of 64 bits, bool and None are supported yet",
        ),
        (set[list[int]], "list[int] has no hash, so it cannot be an element of a set"),
        (set[Point], "Point has no hash, so it cannot be an element of a set"),
        (frozenset[dict], "dict has no hash, so it cannot be an element of a frozenset"),
        (set[tuple[set[int]]], "tuple[set[int]] has no hash, so it cannot be an element of a set"),
        (dict[int, int], "dict keys of type int are not supported yet"),
        (dict[Level, int], "dict keys of type Level are not supported yet"),
        (dict[str | None, int], "dict keys of type str | None are not supported yet"),
        (
            list[Annotated[int, penstock.at("a")]],
            "at(...) stands only around the whole annotation of a field",
        ),
    ],
)
def test_refused_types(annotation: object, reason: str) -> None:
    message = refused(field_of(annotation))
    assert message.replace(f"{__name__}.", "test_plan.") == f"field 'x' of City: {reason}"


def test_a_refused_type_that_stands_alone() -> None:
    assert refused(collections.deque) == "collections.deque is not supported yet"
    assert refused(list[int | str]) == "unions are not supported yet: int | str"


def test_recursive_classes() -> None:
    assert repr(Plan(Node)).splitlines() == [
        "Plan(Node)",
        "Node, fast: attributes",
        "    value: int",
        "    children: list[Node] = list()",
        "    parent: Node | None = None",
    ]


Tree = dict[str, "Tree"]
Endless = "Endless"


def test_recursive_aliases() -> None:
    @dataclass
    class City:
        x: Tree

    assert shown(City) == ["x: dict[str, ...]"]


def test_an_alias_of_nothing_but_itself() -> None:
    @dataclass
    class City:
        x: Endless

    reason = "the annotation is nested too deep, or refers only to itself"
    assert refused(City) == f"field 'x' of City: {reason}"


def test_constraints_are_refused_and_other_metadata_is_not() -> None:
    class Gt:
        def __init__(self, gt: int) -> None:
            self.gt = gt

        def __repr__(self) -> str:
            return f"Gt(gt={self.gt})"

    assert shown(field_of(Annotated[int, Gt(3)])) == ["x: int"]
    Gt.__module__ = "annotated_types"
    assert refused(field_of(Annotated[int, Gt(3)])) == (
        "field 'x' of City: Gt(gt=3) is not supported yet"
    )


# Names in string annotations.


def test_local_names_need_a_namespace() -> None:
    @dataclass
    class Inner:
        x: int

    @dataclass
    class City:
        inner: list[Inner]

    message = "cannot resolve the annotation 'list[Inner]'; pass Plan(City, namespace=...)"
    assert refused(City) == f"field 'inner' of City: {message}"
    assert "inner: list[Inner]" in repr(Plan(City, namespace={"Inner": Inner}))
    assert "inner: list[Inner]" in repr(Plan(City, namespace=locals()))
    # Nothing of the names given once is left behind.
    assert refused(City) == f"field 'inner' of City: {message}"


def test_a_single_local_name() -> None:
    class Unknown: ...

    @dataclass
    class City:
        x: Unknown

    message = "cannot resolve the annotation 'Unknown'; pass Plan(City, namespace=...)"
    assert refused(City) == f"field 'x' of City: {message}"
    assert shown(City, Unknown=int) == ["x: int"]


def test_names_mean_what_the_declaring_module_says() -> None:
    module = types.ModuleType("elsewhere")
    sys.modules["elsewhere"] = module
    try:
        exec(  # noqa: S102 - a module with a name that means something else here
            "from dataclasses import dataclass\n"
            "Point = int\n"
            "@dataclass\n"
            "class Base:\n"
            "    x: 'Point'\n",
            module.__dict__,
        )

        @dataclass
        class City(module.Base):
            y: Point

        assert shown(City) == ["x: int", "y: Point"]
    finally:
        del sys.modules["elsewhere"]


def test_one_annotation_object_in_two_modules() -> None:
    module = types.ModuleType("elsewhere")
    sys.modules["elsewhere"] = module
    try:
        exec(  # noqa: S102 - as above
            "import typing\n"
            "Point = int\n"
            "class Other:\n"
            "    x: typing.Optional['Point']\n",
            module.__dict__,
        )
        other = module.Other
        fields = [("x", Optional["Point"]), ("other", other)]
        city = dataclasses.make_dataclass("City", fields, namespace={"__module__": __name__})
        city.__module__ = __name__
        assert "    x: Point | None" in repr(Plan(city))
        assert "    x: int | None" in repr(Plan(city))
    finally:
        del sys.modules["elsewhere"]


def test_a_default_does_not_hide_the_type_of_the_same_name() -> None:
    @dataclass
    class City:
        Point: Point | None = None

    assert shown(City)[0] == "Point: Point | None = None"


def test_an_annotation_that_raises() -> None:
    @dataclass
    class City:
        x: Point.nothing

    assert refused(City).startswith("field 'x' of City: the annotation 'Point.nothing' raises ")


# How objects are made: where calling the class can be told from not calling it, it is called.


def test_slots_dataclasses_are_fast() -> None:
    assert way(Point) == "fast: slots by offset"


def test_frozen_dataclasses_are_fast() -> None:
    @dataclass(frozen=True)
    class Frozen:
        x: int
        y: list[int] = field(default_factory=list)

    assert way(Frozen) == "fast: attributes"
    assert way(Hashable) == "fast: slots by offset"


def test_everything_that_a_generated_init_can_be() -> None:
    @dataclass(slots=True)
    class Slots:
        a: int
        self: int
        b: str = "b"
        c: list[int] = field(default_factory=list)
        d: int = field(default=4, init=False)
        e: dict[str, int] = field(default_factory=dict, init=False)
        f: int = field(init=False)
        _: KW_ONLY
        g: int
        h: int = 8

        def __post_init__(self_) -> None: ...  # noqa: N805

    assert way(Slots) == "fast: slots by offset"
    assert shown(Slots) == [
        "a: int",
        "self: int",
        "b: str = 'b'",
        "c: list[int] = list()",
        "d, not read = 4",
        "e, not read = dict()",
        "f, not read, may be absent",
        "g: int",
        "h: int = 8",
    ]
    frozen = dataclass(frozen=True, kw_only=True)(
        type("Frozen", (), {"__annotations__": {"a": "int", "b": "int"}, "b": 2})
    )
    assert way(frozen) == "fast: attributes"
    empty = dataclass(type("Empty", (), {}))
    assert way(empty) == "fast: slots by offset"


def test_inherited_dataclasses_are_fast() -> None:
    @dataclass
    class Base:
        x: int
        y: int = 2

    @dataclass
    class Derived(Base):
        y: int = 3
        z: int = 4

    class Undecorated(Derived):
        other: int = 5

    assert way(Derived) == "fast: attributes"
    assert shown(Undecorated) == ["x: int", "y: int = 3", "z: int = 4"]
    assert way(Undecorated) == "fast: attributes"


def test_custom_init() -> None:
    @dataclass
    class City:
        x: int
        y: int = 2
        z: int = 3

        def __init__(self, x: int, z: int = 4) -> None:
            self.x, self.z = x, z

    assert way(City) == "called: City has its own __init__"
    # Only what it takes can be given, and what is absent is for it to say.
    assert shown(City) == ["x: int", "z: int, may be absent"]


def test_inherited_custom_init() -> None:
    class Base:
        def __init__(self, x: int, **others: int) -> None: ...

    @dataclass(init=False)
    class City(Base):
        x: int
        y: int

    assert way(City) == "called: Base has its own __init__"


def test_an_init_borrowed_from_another_dataclass() -> None:
    @dataclass
    class City:
        x: int
        y: int
        __init__ = Point.__init__

    assert way(City) == "called: City has its own __init__"


def test_an_init_for_other_fields() -> None:
    @dataclass
    class Base:
        x: int

    @dataclass(init=False)
    class City(Base):
        y: int = 3

    assert way(City) == "called: Base has an __init__ that was not made for its fields"
    assert shown(City) == ["x: int"]


def test_no_init_at_all() -> None:
    @dataclass(init=False)
    class City:
        x: int

    assert refused(City) == "City has no __init__ that takes its fields"


def test_an_init_that_asks_for_more() -> None:
    @dataclass
    class City:
        x: int

        def __init__(self, x: int, more: int) -> None: ...

    assert refused(City) == "City: City has its own __init__, whose parameter 'more' is not a field"


def test_an_init_that_takes_the_rest() -> None:
    @dataclass
    class ByKeyword:
        x: int
        y: int = 3

        def __init__(*args: object, x: int, **rest: int) -> None: ...

    assert shown(ByKeyword) == ["x: int", "y: int, may be absent"]

    @dataclass
    class City:
        x: int
        y: int

        def __init__(self, x: int, *rest: int) -> None: ...

    assert refused(City) == (
        "City: City has its own __init__, which takes 'y' by position at most; "
        "that is not supported yet"
    )


def test_custom_new() -> None:
    @dataclass
    class City:
        x: int

        def __new__(cls, *_: object, **__: object) -> City:
            return super().__new__(cls)

    assert way(City) == "called: City has its own __new__"


def test_custom_setattr() -> None:
    @dataclass
    class City:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)

    assert way(City) == "called: City overrides __setattr__"


def test_inherited_setattr() -> None:
    class Base:
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)

    @dataclass
    class City(Base):
        x: int

    assert way(City) == "called: City overrides __setattr__"


def test_metaclass_call() -> None:
    class Meta(type):
        def __call__(cls, *args: object, **kwargs: object) -> object:
            return super().__call__(*args, **kwargs)

    @dataclass
    class City(metaclass=Meta):
        x: int

    assert way(City) == "called: City's metaclass Meta has its own __call__"


def test_other_metaclasses_are_fast() -> None:
    @dataclass
    class City(abc.ABC):
        x: int

    assert way(City) == "fast: attributes"


def test_abstract_class() -> None:
    @dataclass
    class City(abc.ABC):
        x: int

        @abc.abstractmethod
        def area(self) -> int: ...

    assert refused(City) == "City is abstract, so no object of it can be made"


def test_descriptor() -> None:
    class Checked:
        def __get__(self, _: object, __: object = None) -> int:
            return 3

        def __set__(self, _: object, __: object) -> None: ...

    @dataclass
    class City:
        x: int = Checked()  # type: ignore[assignment]

    assert way(City) == "called: City has a Checked for 'x'"


def test_property() -> None:
    @dataclass
    class City:
        x: int

    City.x = property(lambda _: 3, lambda *_: None)  # type: ignore[assignment]
    assert way(City) == "called: City has a property for 'x'"


def test_descriptor_without_set_is_an_attribute() -> None:
    @dataclass
    class City:
        x: int

    City.x = classmethod(print)  # type: ignore[assignment]
    assert way(City) == "fast: attributes"


def test_inherited_slots() -> None:
    @dataclass
    class Base:
        __slots__ = ("x",)
        x: int

    @dataclass(slots=True)
    class City(Base):
        y: int

    @dataclass
    class WithDict(Base):
        y: int

    assert way(City) == "fast: slots by offset"
    assert way(WithDict) == "fast: attributes"


def test_a_slot_hidden_by_a_property() -> None:
    class City(Point):
        x = property(lambda _: 3)  # type: ignore[assignment]

    assert way(City) == "called: City has a property for 'x'"


def test_no_place_for_a_field() -> None:
    @dataclass
    class City:
        __slots__ = ("x",)
        x: int
        y: int

    assert way(City) == "called: City has no place for 'y'"


def test_slots_that_are_no_fields() -> None:
    @dataclass
    class City:
        __slots__ = ("cache", "x")
        x: int

    assert way(City) == "fast: slots by offset"


def test_finalizer() -> None:
    died = []

    @dataclass(slots=True)
    class City:
        x: int

        def __del__(self) -> None:
            died.append(self)

    assert way(City) == "fast: attributes"
    assert not died


def test_planning_runs_no_code_of_the_class() -> None:
    class Meta(type):
        def __getattribute__(cls, name: str) -> object:
            raise AssertionError(name)

    @dataclass(slots=True)
    class City:
        x: int

        def __getattribute__(self, name: str) -> object:
            raise AssertionError(name)

    assert way(City) == "fast: slots by offset"


def test_a_class_patched_after_planning() -> None:
    @dataclass
    class City:
        x: int

    plan = Plan(City)
    assert way(City) == "fast: attributes"

    def init(self: City, x: int) -> None:
        self.x = -x

    City.__init__ = init  # type: ignore[method-assign]
    assert way(City) == "called: City has its own __init__"
    assert "called" in repr(plan)


def test_a_base_patched_after_planning() -> None:
    class Base: ...

    @dataclass
    class City(Base):
        x: int

    assert way(list[City]) == "fast: attributes"
    Base.__setattr__ = lambda *_: None  # type: ignore[assignment, method-assign]
    assert way(list[City]) == "called: City overrides __setattr__"


def test_defaults_changed_in_the_function() -> None:
    @dataclass
    class City:
        x: int = 3

    City.__init__.__defaults__ = (4,)
    assert way(City) == "called: City has an __init__ that was not made for its fields"


# The other kinds of class.


class Pair(NamedTuple):
    a: int
    b: Pair | None = None


def test_named_tuples() -> None:
    assert way(Pair) == "fast: a tuple"
    assert shown(Pair) == ["a: int", "b: Pair | None = None"]
    assert shown(collections.namedtuple("Old", "a b", defaults=(3,))) == ["a: Any", "b: Any = 3"]

    class Methods(Pair):
        def sum(self) -> int:
            return self.a

    assert way(Methods) == "fast: a tuple"

    class New(Pair):
        def __new__(cls, a: int) -> New:
            return super().__new__(cls, -a)

    assert way(New) == "called: New has its own __new__"
    assert shown(New) == ["a: int"]

    class Init(Pair):
        def __init__(self, *_: object, **__: object) -> None: ...

    assert way(Init) == "called: Init has its own __init__"


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class More(Movie, total=False):
    rating: float


def test_typed_dicts() -> None:
    assert way(Movie) == "fast: a dict"
    assert shown(More) == ["title: str", "year: int, may be absent", "rating: float, may be absent"]
    functional = TypedDict("functional", {"a b": int, "c": "Movie"})
    assert shown(functional)[:2] == ["a b: int", "c: Movie"]


def test_plain_classes() -> None:
    class Base:
        x: int
        y: str = "y"
        shared: ClassVar[int] = 3

    class City(Base):
        y: Annotated[str, penstock.at("why")]  # type: ignore[assignment]
        z: list[int]

    assert way(City) == "fast: attributes"
    assert shown(City) == ["x: int", "y: str at 'why', may be absent", "z: list[int]"]

    class Slots:
        __slots__ = ("x",)
        x: int

    assert way(Slots) == "fast: slots by offset"


def test_refused_classes() -> None:
    class City:
        x: int

        def __init__(self, x: int) -> None: ...

    later = "that kind of class is not supported yet"
    assert refused(City) == f"City has its own __init__; {later}"

    class New:
        x: int

        def __new__(cls) -> New: ...  # type: ignore[empty-body]

    assert refused(New) == f"New has its own __new__; {later}"

    class Init:
        def __init__(self, x: int) -> None: ...

    assert refused(Init) == f"Init has its own __init__; {later}"

    class SetAttr:
        x: int

        def __setattr__(self, name: str, value: object) -> None: ...

    assert refused(SetAttr) == f"SetAttr overrides __setattr__; {later}"

    class Spoken(Protocol):
        x: int

    spoken = f"{__name__}.test_refused_classes.<locals>.Spoken"
    assert refused(Spoken) == f"protocols are not supported yet: {spoken}"

    class Attrs:
        __attrs_attrs__ = ()

    assert refused(Attrs) == "attrs classes are not supported yet: Attrs"

    class Box(typing.Generic[Item]):
        item: Item

    assert refused(Box[int]).startswith("generic classes are not supported yet: ")
    assert refused(Box) == "field 'item' of Box: type variables are not supported yet: ~Item"


def test_init_vars_are_refused() -> None:
    @dataclass
    class City:
        x: InitVar[int]

    assert refused(City) == "field 'x' of City: InitVar is not supported yet"


# Paths.


def test_paths() -> None:
    @dataclass
    class City:
        name: str
        lat: Annotated[float, penstock.at("pos/lat")]
        lon: Annotated[float, penstock.at("pos/1")]
        tags: Annotated[list[str], penstock.at("tags/*/name")]
        code: Annotated[str, penstock.at("key()")]
        renamed: Annotated[int, penstock.at("@id")] = 3

    assert shown(City) == [
        "name: str",
        "lat: float at 'pos/lat'",
        "lon: float at 'pos/1'",
        "tags: list[str] at 'tags/*/name'",
        "code: str at 'key()'",
        "renamed: int at '@id' = 3",
    ]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a//b", "field 'x' of City: at('a//b'): '//' stands only at the beginning (column 3)"),
        ("text()", "field 'x' of City: at('text()'): text() is a step of XML paths (column 1)"),
        ("y", "fields 'x' and 'y' of City claim the same value: 'y' and 'y'"),
        ("y/a", "fields 'x' and 'y' of City claim the same value: 'y/a' and 'y'"),
    ],
)
def test_paths_that_are_refused(path: str, reason: str) -> None:
    fields = [("x", Annotated[int, penstock.at(path)]), ("y", int)]
    assert refused(dataclasses.make_dataclass("City", fields)) == reason


# The cache.


@pytest.mark.parametrize("kind", ["class", "list", "kept by the class"])
def test_a_planned_class_can_be_collected(kind: str) -> None:
    def planned() -> weakref.ref[type]:
        class Kind(enum.Enum):
            A = "a"

        @dataclass
        class City:
            x: Annotated[int, "x"]
            kind: Kind
            y: list[int] = field(default_factory=lambda: [City] and [])

        cls = City
        if kind == "kept by the class":
            City.plan = Plan(City, namespace=locals())  # type: ignore[attr-defined]
        else:
            City.__annotations__["kind"] = Kind
            City.__dataclass_fields__["kind"].type = Kind  # type: ignore[attr-defined]
            Plan(cls if kind == "class" else list[cls])  # type: ignore[valid-type]
        return weakref.ref(cls)

    reference = planned()
    gc.collect()
    assert reference() is None


def test_planning_writes_nothing_onto_the_class() -> None:
    @dataclass
    class City:
        x: int

    class Plain(City): ...

    before = dict(vars(City)), dict(vars(Plain))
    Plan(City)
    Plan(Plain)
    assert (dict(vars(City)), dict(vars(Plain))) == before


def test_a_plan_error_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        Plan(int | str)
    assert issubclass(PlanError, penstock.PenstockError)


# What was decided must not be told from calling the class.


def test_decoding_by_every_way_of_making() -> None:
    made = []

    @dataclass(slots=True)
    class Slots:
        a: int
        b: list[int] = field(default_factory=list)
        c: int = field(default=4, init=False)

        def __post_init__(self) -> None:
            made.append(self.a)

    @dataclass
    class Called:
        a: int
        b: int = 2

        def __init__(self, a: int, b: int = 5) -> None:
            self.a, self.b = -a, b

    class Plain:
        a: int
        b: int = 7

    decode = penstock.json.decode
    names = {"Slots": Slots}
    assert decode(b'{"a": 1, "c": 9}', Plan(Slots, namespace=names)) == Slots(1)
    assert made == [1, 1]
    called = decode(b'{"a": 1}', Called)
    assert (called.a, called.b) == (-1, 5)
    plain = decode(b'{"a": 1}', Plain)
    assert (plain.a, plain.b, vars(plain)) == (1, 7, {"a": 1})
    assert decode(b'{"a": 1, "b": {"a": 2}}', Pair) == Pair(1, Pair(2))
    assert decode(b'{"title": "x"}', Movie) == {"title": "x"}
    assert decode(b'{"value": 1, "children": [{"value": 2}]}', Node) == Node(1, [Node(2)])
