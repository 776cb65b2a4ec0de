"""How an object of a class is made, and how long a plan lives."""

from __future__ import annotations

import abc
import collections
import enum
import functools
import gc
import json
import typing
import weakref
from dataclasses import KW_ONLY, InitVar, dataclass, field
from itertools import takewhile
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NotRequired,
    Protocol,
    TypedDict,
    TypeVar,
)

import pytest

import penstock
from penstock import Plan, PlanError

Item = TypeVar("Item")


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
    parent: Node | None = None


def way(cls: object) -> str:
    """How objects of the class are made."""
    return repr(Plan(cls)).splitlines()[1].split(", ", 1)[1]


def shown(cls: object, **namespace: object) -> list[str]:
    """The fields of the class, as its plan shows them."""
    lines = repr(Plan(cls, namespace=namespace or None)).splitlines()[2:]
    return [line.strip() for line in takewhile(lambda line: line.startswith(" "), lines)]


def refused(cls: object, **options: Any) -> str:
    """The message for a type that is refused."""
    with pytest.raises(PlanError) as caught:
        Plan(cls, **options)
    return str(caught.value)


def attributes(value: object) -> dict[str, object]:
    """All attributes of an object itself, in slots or not."""
    names = [slot for base in type(value).__mro__ for slot in vars(base).get("__slots__", ())]
    kept = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return kept | getattr(value, "__dict__", {})


def as_if_called(cls: type, **values: object) -> bool:
    """Whether an object decoded from the values equals one made by calling the class with them."""
    decoded = penstock.json.decode(json.dumps(values), cls)
    called = cls(**values)
    same_type = type(decoded) is type(called)
    # The order of `__dict__` is visible, through `vars` and `pickle`.
    return same_type and list(attributes(decoded).items()) == list(attributes(called).items())


# How objects are made: if a program can tell the difference from calling the class, it is called.


def test_slots_dataclasses_are_fast() -> None:
    assert way(Point) == "fast: slots by offset"
    assert as_if_called(Point, x=1, y=2)


def test_frozen_dataclasses_are_fast() -> None:
    @dataclass(frozen=True)
    class Frozen:
        x: int
        y: list[int] = field(default_factory=list)

    assert way(Frozen) == "fast: attributes"
    assert way(Hashable) == "fast: slots by offset"
    assert as_if_called(Frozen, x=1)
    assert as_if_called(Frozen, x=1, y=[2])
    assert as_if_called(Hashable, x=1)


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
    assert as_if_called(frozen, a=1)
    empty = dataclass(type("Empty", (), {}))
    assert way(empty) == "fast: slots by offset"
    assert as_if_called(empty)
    # A field called `self` must not clash with a helper's own parameters.
    decoded = penstock.json.decode(b'{"g": 7, "self": 2, "d": 1, "a": 1, "f": 1}', Slots)
    called = Slots(1, 2, g=7)
    assert attributes(decoded) == attributes(called)


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
    assert as_if_called(Derived, x=1, z=5)
    assert as_if_called(Undecorated, z=5, x=1)


def test_custom_init() -> None:
    @dataclass
    class City:
        x: int
        y: int = 2
        z: int = 3

        def __init__(self, x: int, z: int = 4) -> None:
            self.x, self.z = -x, z

    assert way(City) == "called: City has its own __init__"
    # Only the parameters can be passed, and the constructor handles absent ones.
    assert shown(City) == ["x: int", "z: int, may be absent"]
    assert as_if_called(City, x=1)
    assert as_if_called(City, x=1, z=2)


def test_inherited_custom_init() -> None:
    class Base:
        def __init__(self, x: int, **others: int) -> None:
            self.both = (x, others)

    @dataclass(init=False)
    class City(Base):
        x: int
        y: int

    assert way(City) == "called: Base has its own __init__"
    assert as_if_called(City, x=1, y=2)


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
    assert as_if_called(City, x=1)
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

        def __new__(cls, *_: object, **__: object) -> typing.Self:
            made = super().__new__(cls)
            made.marked = True  # type: ignore[attr-defined]
            return made

    assert way(City) == "called: City has its own __new__"
    assert as_if_called(City, x=1)


def test_custom_setattr() -> None:
    @dataclass
    class City:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, (value, "set"))

    assert way(City) == "called: City overrides __setattr__"
    assert as_if_called(City, x=1)


def test_inherited_setattr() -> None:
    class Base:
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, (value, "set"))

    @dataclass
    class City(Base):
        x: int

    assert way(City) == "called: City overrides __setattr__"
    assert as_if_called(City, x=1)


def test_metaclass_call() -> None:
    class Meta(type):
        def __call__(cls, *args: object, **kwargs: object) -> object:
            made = super().__call__(*args, **kwargs)
            made.marked = True
            return made

    @dataclass
    class City(metaclass=Meta):
        x: int

    assert way(City) == "called: City's metaclass Meta has its own __call__"
    assert as_if_called(City, x=1)


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

        def __set__(self, owner: object, value: object) -> None:
            vars(owner)["checked"] = value

    @dataclass
    class City:
        x: int = Checked()  # type: ignore[assignment]

    assert way(City) == "called: City has a Checked for 'x'"
    assert as_if_called(City, x=1)


def test_property() -> None:
    @dataclass
    class City:
        x: int

    City.x = property(lambda _: 3, lambda self, x: vars(self).update(kept=x))  # type: ignore[assignment]
    assert way(City) == "called: City has a property for 'x'"
    assert as_if_called(City, x=1)


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
    assert as_if_called(City, x=1, y=2)
    assert as_if_called(WithDict, x=1, y=2)


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
    assert as_if_called(City, x=1)


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
    assert as_if_called(City, x=1)
    # A `Plan` object follows changes of its class too.
    assert penstock.json.decode(b'{"x": 1}', plan).x == -1


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
        def __new__(cls, a: int) -> typing.Self:
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


def test_classes_that_are_called_and_then_filled() -> None:
    class New:
        x: int

        def __new__(cls) -> typing.Self:
            made = super().__new__(cls)
            made.marked = True  # type: ignore[attr-defined]
            return made

    assert way(New) == "called, then filled: New has its own __new__"
    assert vars(penstock.json.decode('{"x": 1}', New)) == {"marked": True, "x": 1}

    class Init:
        x: int
        y: str = "y"

        def __init__(self) -> None:
            self.marked = True

    assert way(Init) == "called, then filled: Init has its own __init__"
    assert vars(penstock.json.decode('{"x": 1}', Init)) == {"marked": True, "x": 1}

    class SetAttr:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, (value, "set"))

    assert way(SetAttr) == "called, then filled: SetAttr overrides __setattr__"
    assert vars(penstock.json.decode('{"x": 1}', SetAttr)) == {"x": (1, "set")}


def test_what_setting_an_attribute_raises() -> None:
    class Checked:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            raise ValueError(f"{name} is not {value}")

    with pytest.raises(penstock.ValidationError, match="ValueError: x is not 1") as caught:
        penstock.json.decode('[{"x": 1}]', list[Checked])
    assert caught.value.path == "0"


def test_parameters_without_annotations_have_those_of_the_class() -> None:
    class City:
        x: int
        y: list[int]

        def __init__(self, x, more=2):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
            self.x, self.more = x, more

    assert way(City) == "called: City has its own __init__"
    assert shown(City) == ["x: int"]
    assert vars(penstock.json.decode('{"x": 1, "more": 3}', City)) == {"x": 1, "more": 2}

    class Other:
        x: int

        def __init__(self, y): ...  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204

    assert refused(Other) == (
        "Other: Other has its own __init__, whose parameter 'y' is not a field"
    )

    class Optional:
        x: int

        def __init__(self, y=1): ...  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204

    assert refused(Optional) == (
        "Optional: Optional has its own __init__, which takes none of its attributes"
    )


# Classes whose `__init__` is annotated.


class Stored:
    ignored: str

    def __init__(self, x: int, y: list[int] | None = None, *, z: str = "z") -> None:
        """Store the arguments."""
        self.x = x
        self._y = y
        self.z: str = z


def test_an_init_that_only_stores_its_parameters_is_not_called() -> None:
    assert way(Stored) == "fast: attributes"
    assert shown(Stored) == ["x: int", "_y: list[int] | None at 'y' = None", "z: str = 'z'"]
    assert as_if_called(Stored, x=1)
    assert as_if_called(Stored, z="a", y=[1], x=1)

    class Slots:
        __slots__ = ("x", "y")

        def __init__(self, x: int, y: int = 2, /) -> None:
            self.y = y
            self.x = x

    assert way(Slots) == "fast: slots by offset"
    assert penstock.json.decode('{"x": 1}', Slots).y == 2


def test_an_init_that_does_more_is_called() -> None:
    class More(Stored):
        def __init__(self, x: int, rest, /, last: float = 1, *args: int, **others: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
            super().__init__(x)
            self.all = (rest, last, args, others)

    assert way(More) == "called: More has its own __init__"
    assert shown(More) == ["x: int", "rest: Any", "last: float, may be absent"]
    made = penstock.json.decode('{"rest": [1], "x": 1, "others": 2, "z": "no"}', More)
    assert made.all == ([1], 1, (), {})
    assert vars(made) == vars(More(1, [1]))

    def changed(source: str) -> str:
        names: dict[str, Any] = {}
        exec(f"class C:\n def __init__({source}", names)
        return way(names["C"])

    assert changed("self, x: int): self.x = x") == "fast: attributes"
    called = "called: C has its own __init__"
    assert changed("self, x: int): self.x = x; self.y = x") == called
    assert changed("self, x: int): self.x = -x") == called
    assert changed("self, x: int): self.y = x") == called
    assert changed("self, x: int, y: int): self.x = y; self.y = x") == called
    assert changed("self, x: int, y: int): self.x = x") == called
    assert changed("self, x: int, **more): self.x = x") == called
    assert changed("self, x: int): x.self = x") == called
    assert changed("self, x: int):\n  if x: self.x = x") == called
    assert changed("self, x: int): self.x = x; return self.x") == called
    assert changed("self, x: int):\n  def f(): x\n  self.x = x") == called


def test_defaults_of_parameters_by_position_only() -> None:
    class City:
        def __init__(self, a: int, b: int = 2, c: int = 3, /) -> None:
            self.all = (a, b, c)

    assert shown(City) == ["a: int", "b: int = 2", "c: int = 3"]
    assert penstock.json.decode('{"c": 9, "a": 1}', City).all == (1, 2, 9)


def test_an_annotated_new() -> None:
    class City:
        def __new__(cls, x: int, y: str = "y") -> typing.Self:
            made = super().__new__(cls)
            made.all = (x, y)  # type: ignore[attr-defined]
            return made

    assert way(City) == "called: City has its own __new__"
    assert vars(penstock.json.decode('{"x": 1}', City)) == {"all": (1, "y")}


def test_an_init_behind_a_decorator() -> None:
    def decorated(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(self: object, **values: Any) -> None:
            function(self, **values)

        return wrapper

    class City:
        @decorated
        def __init__(self, x: int, y: int = 2) -> None:
            self.x, self.y = x, y

    assert shown(City) == ["x: int", "y: int, may be absent"]
    assert as_if_called(City, x=1)


def test_an_inherited_init_speaks_of_the_names_of_its_module() -> None:
    names: dict[str, Any] = {"__name__": "elsewhere"}
    exec(
        "class Inner:\n def __init__(self, x: int): self.x = x\n"
        "class Outer:\n def __init__(self, inner: 'Inner'): self.inner = inner\n",
        names,
    )

    class City(names["Outer"]):  # type: ignore[misc]
        pass

    assert shown(City) == ["inner: Inner"]
    assert penstock.json.decode('{"inner": {"x": 1}}', City).inner.x == 1


def test_names_of_a_function_in_parameters() -> None:
    class Inner:
        def __init__(self, x: int) -> None:
            self.x = x

    class City:
        def __init__(self, inner: Inner, others: list[City] | None = None) -> None:
            self.inner, self.others = inner, others

    with pytest.raises(PlanError, match=r"cannot resolve the annotation 'Inner'; pass Plan\("):
        Plan(City)
    plan = Plan(City, namespace=locals())
    made = penstock.json.decode('{"inner": {"x": 1}, "others": [{"inner": {"x": 2}}]}', plan)
    assert made.others is not None
    assert made.others[0].inner.x == 2


def test_what_is_derived_from_a_protocol() -> None:
    class Spoken(Protocol):
        x: int

    class Real(Spoken):
        y: str

    assert way(Real) == "fast: attributes"
    assert vars(penstock.json.decode('{"x": 1, "y": "a"}', Real)) == {"x": 1, "y": "a"}


def test_words_beside_parameters() -> None:
    class City:
        def __init__(self, x: Annotated[int, penstock.at("a/b")]) -> None:
            self.x = x

    assert penstock.json.decode('{"a": {"b": 1}}', City).x == 1


def test_classes_that_say_nothing_of_what_they_take() -> None:
    class City:
        def __init__(self, x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
            self.x = x

    assert refused(City).endswith("City is not supported yet")

    class Spoken(Protocol):
        x: int

    assert refused(Spoken) == "Spoken is a protocol, so no object of it can be made"


# Parameters that are not attributes.


def test_init_vars() -> None:
    @dataclass
    class City:
        x: int
        scale: InitVar[int]
        names: InitVar[list[str] | None] = None
        y: int = 0

        def __post_init__(self, scale: int, names: list[str] | None) -> None:
            self.x *= scale
            self.seen = names

    assert way(City) == "called: City has the InitVar 'scale'"
    assert shown(City) == [
        "x: int",
        "scale: int",
        "names: list[str] | None, may be absent",
        "y: int, may be absent",
    ]
    assert as_if_called(City, x=2, scale=3)
    assert as_if_called(City, x=2, scale=3, y=1, names=["a"])
    with pytest.raises(penstock.ValidationError, match='City lacks the required key "scale"'):
        penstock.json.decode('{"x": 1}', City)


def test_words_in_metadata() -> None:
    @dataclass
    class City:
        x: int = field(metadata={"penstock": penstock.at("a/b")})
        y: bytes = field(
            default=b"",
            metadata={"penstock": (penstock.Hex, penstock.at("c")), "other": penstock.at("d")},
        )

    assert shown(City) == ["x: int at 'a/b'", "y: bytes at 'c' = b''"]
    assert penstock.json.decode('{"a": {"b": 1}, "c": "ff"}', City) == City(1, b"\xff")


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
            y: list[int] = field(default_factory=lambda: [City][1:])

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
        Plan(list[3])  # type: ignore[valid-type]
    assert issubclass(PlanError, penstock.PenstockError)


# No way of making an object may be distinguishable from calling the class.


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
