"""If calling the class does more than store its fields, decoding does so too: one test a rule."""

from __future__ import annotations

import abc
import gc
import json
import weakref
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

import penstock
from penstock import PlanError


def decode(cls: type, **values: object) -> Any:
    return penstock.json.decode(json.dumps(values), cls)


def state(value: object) -> list[tuple[str, object]]:
    """Everything that an object holds, in the order in which a program can see it."""
    slots = [name for base in type(value).__mro__ for name in vars(base).get("__slots__", ())]
    kept = [
        (name, getattr(value, name))
        for name in slots
        if name != "__weakref__" and hasattr(value, name)
    ]
    return kept + list(getattr(value, "__dict__", {}).items())


def check(cls: type, **values: object) -> Any:
    """Decode the values; the object must equal one made by calling the class."""
    made, called = decode(cls, **values), cls(**values)
    assert type(made) is type(called)
    assert state(made) == state(called)
    return made


# How an object is made.


def test_an_own_init() -> None:
    @dataclass(slots=True)
    class Scaled:
        x: int
        y: int = 2

        def __init__(self, x: int, y: int = 30) -> None:
            self.x = x * 10
            self.y = y

    assert state(check(Scaled, x=1)) == [("x", 10), ("y", 30)]
    assert state(check(Scaled, y=4, x=1)) == [("x", 10), ("y", 4)]


def test_an_inherited_own_init() -> None:
    @dataclass
    class Base:
        x: int

        def __init__(self, x: int) -> None:
            self.x = -x

    @dataclass(init=False)
    class Child(Base):
        y: int = 3

    assert vars(decode(Child, x=1)) == {"x": -1} == vars(Child(1))


def test_an_own_new() -> None:
    made: list[str] = []

    @dataclass
    class Counted:
        x: int

        def __new__(cls, *_: object, **__: object) -> Counted:  # noqa: PYI034 - the class itself
            made.append(cls.__name__)
            return super().__new__(cls)

    assert check(Counted, x=1).x == 1
    assert made == ["Counted", "Counted"]


def test_a_new_that_returns_another_object() -> None:
    @dataclass
    class Only:
        x: int

        def __new__(cls, x: int) -> Only:  # noqa: PYI034 - the class itself
            return kept.setdefault(x, super().__new__(cls))

    kept: dict[int, Only] = {}
    assert decode(Only, x=1) is decode(Only, x=1)
    assert decode(Only, x=2) is Only(2)


def test_a_new_that_takes_keywords_only() -> None:
    @dataclass
    class Keywords:
        x: int
        y: int = 2

        def __new__(cls, **values: int) -> Keywords:  # noqa: PYI034 - the class itself
            made = super().__new__(cls)
            made.given = sorted(values)
            return made

    assert vars(decode(Keywords, x=1)) == {"given": ["x"], "x": 1, "y": 2}


def test_an_own_setattr() -> None:
    stored: list[tuple[str, object]] = []

    @dataclass
    class Watched:
        x: int
        y: int = 2

        def __setattr__(self, name: str, value: object) -> None:
            stored.append((name, value))
            super().__setattr__(name, value)

    assert vars(decode(Watched, x=1)) == {"x": 1, "y": 2}
    assert stored == [("x", 1), ("y", 2)]


def test_an_own_setattr_of_a_slots_class() -> None:
    @dataclass(slots=True)
    class Doubled:
        x: int

        def __setattr__(self, name: str, value: int) -> None:
            object.__setattr__(self, name, value * 2)

    assert check(Doubled, x=2).x == 4


def test_an_inherited_setattr() -> None:
    class Watcher:
        __slots__ = ()

        def __setattr__(self, name: str, value: int) -> None:
            object.__setattr__(self, name, value + 1)

    @dataclass(slots=True)
    class Child(Watcher):
        x: int

    assert check(Child, x=1).x == 2


def test_a_metaclass_with_a_call() -> None:
    class Singletons(type):
        kept: dict[tuple[type, str], object] = {}  # noqa: RUF012 - filled on purpose

        def __call__(cls, **values: object) -> object:
            key = (cls, repr(values))
            return Singletons.kept.setdefault(key, super().__call__(**values))

    @dataclass
    class Kept(metaclass=Singletons):
        x: int

    assert decode(Kept, x=1) is decode(Kept, x=1)
    assert decode(Kept, x=1) is Kept(x=1)
    assert decode(Kept, x=1) is not decode(Kept, x=2)


def test_an_abstract_class() -> None:
    @dataclass
    class Shape(abc.ABC):
        x: int

        @abc.abstractmethod
        def area(self) -> int: ...

    with pytest.raises(PlanError, match="Shape is abstract, so no object of it can be made"):
        decode(Shape, x=1)

    @dataclass
    class Square(Shape):
        def area(self) -> int:
            return self.x**2

    assert check(Square, x=3).area() == 9


# Where a value goes.


def test_a_descriptor() -> None:
    class Celsius:
        def __set_name__(self, owner: type, name: str) -> None:
            self.name = f"_{name}"

        def __get__(self, instance: Any, owner: type) -> Any:
            if instance is None:
                return 20
            return getattr(instance, self.name)

        def __set__(self, instance: object, value: int) -> None:
            setattr(instance, self.name, value + 273)

    @dataclass
    class Weather:
        temperature: int = Celsius()  # type: ignore[assignment]

    assert vars(check(Weather, temperature=7)) == {"_temperature": 280}
    assert check(Weather).temperature == 293


def test_a_property() -> None:
    @dataclass
    class Base:
        x: int

    def halve(self: Any, value: int) -> None:
        self.__dict__["half"] = value // 2

    @dataclass(init=False)
    class Halved(Base): ...

    Halved.x = property(lambda self: self.half * 2, halve)  # type: ignore[assignment]
    assert vars(check(Halved, x=9)) == {"half": 4}
    assert check(Halved, x=9).x == 8


def test_a_property_of_a_plain_class() -> None:
    class Upper:
        name: str

    Upper.name = property(  # type: ignore[assignment]
        lambda self: vars(self)["kept"], lambda self, value: vars(self).update(kept=value.upper())
    )

    assert vars(decode(Upper, name="a")) == {"kept": "A"}


def test_inherited_slots() -> None:
    @dataclass(slots=True)
    class Base:
        x: int
        y: int = 2

    @dataclass(slots=True)
    class Child(Base):
        z: int = 3

    class Open(Child): ...

    assert state(check(Child, x=1)) == [("z", 3), ("x", 1), ("y", 2)]
    made = check(Open, z=5, x=1)
    made.anything = 1
    assert vars(made) == {"anything": 1}
    assert (made.x, made.y, made.z) == (1, 2, 5)


def test_a_slot_that_a_subclass_declares_again() -> None:
    @dataclass(slots=True)
    class Base:
        x: int

    @dataclass
    class Again(Base):
        __slots__ = ("x",)
        x: int

    made = check(Again, x=1)
    assert (Again.x.__get__(made), Again.x is Base.x) == (1, False)
    with pytest.raises(AttributeError):
        Base.x.__get__(made)


def test_slots_that_are_no_fields() -> None:
    @dataclass
    class Cached:
        __slots__ = ("cache", "x")
        x: int

    made = check(Cached, x=1)
    assert made.x == 1
    assert not hasattr(made, "cache")
    kept = []
    for row in penstock.ndjson.read([b'{"x": 1}\n{"x": 2}\n{"x": 3}\n{"x": 4}\n'], Cached):
        assert not hasattr(row, "cache")
        row.cache = row.x
        kept.append(row.cache)
    assert kept == [1, 2, 3, 4]


def test_fields_with_init_false() -> None:
    counter = iter(range(100))

    @dataclass(slots=True)
    class Filled:
        x: int
        a: int = field(default=5, init=False)
        b: list[int] = field(default_factory=list, init=False)
        c: int = field(default_factory=lambda: next(counter), init=False)
        d: int = field(init=False)

    namespace = {"counter": counter}
    made = penstock.json.decode(
        '{"x": 1, "a": 9, "b": [9], "c": 9, "d": 9}', penstock.Plan(Filled, namespace=namespace)
    )
    assert (made.x, made.a, made.b, made.c, hasattr(made, "d")) == (1, 5, [], 0, False)
    assert Filled(1).c == 1


def test_fields_with_init_false_in_attributes() -> None:
    @dataclass
    class Filled:
        x: int
        a: int = field(default=5, init=False)
        b: list[int] = field(default_factory=list, init=False)
        d: int = field(init=False)

    made = check(Filled, x=1)
    # As in the generated `__init__`, a default that is the class's own attribute is not stored.
    assert vars(made) == vars(Filled(1))


def test_post_init() -> None:
    @dataclass(frozen=True, slots=True)
    class Sorted:
        low: int
        high: int

        def __post_init__(self) -> None:
            if self.low > self.high:
                low, high = self.high, self.low
                object.__setattr__(self, "low", low)
                object.__setattr__(self, "high", high)

    assert check(Sorted, low=2, high=1) == Sorted(1, 2)


def test_an_inherited_post_init() -> None:
    @dataclass
    class Base:
        x: int

        def __post_init__(self) -> None:
            self.seen = type(self).__name__

    @dataclass
    class Child(Base):
        y: int = 2

    assert vars(check(Child, x=1)) == {"x": 1, "y": 2, "seen": "Child"}


def test_own_getattribute_is_asked_for_post_init() -> None:
    asked: list[str] = []

    @dataclass
    class Asking:
        x: int

        def __getattribute__(self, name: str) -> Any:
            asked.append(name)
            return super().__getattribute__(name)

        def __post_init__(self) -> None: ...

    decode(Asking, x=1)
    assert asked == ["__post_init__"]


# Classes that change.


@pytest.mark.parametrize("held", [False, True], ids=["class", "held plan"])
def test_a_new_init_after_planning(held: bool) -> None:
    @dataclass(slots=True)
    class Patched:
        x: int

    into: Any = penstock.Plan(Patched) if held else Patched
    assert decode(into, x=1).x == 1

    def init(self: Any, x: int) -> None:
        self.x = x + 100

    Patched.__init__ = init  # type: ignore[method-assign, assignment]
    assert decode(into, x=1).x == 101
    assert penstock.json.decode('[{"x": 1}]', list[Patched])[0].x == 101


@pytest.mark.parametrize("held", [False, True], ids=["class", "held plan"])
def test_a_new_setattr_after_planning(held: bool) -> None:
    @dataclass
    class Patched:
        x: int

    into: Any = penstock.Plan(list[Patched]) if held else list[Patched]
    assert penstock.json.decode('[{"x": 1}]', into)[0].x == 1
    Patched.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value + 1)  # type: ignore[method-assign, assignment]
    assert penstock.json.decode('[{"x": 1}]', into)[0].x == 2
    del Patched.__setattr__
    assert penstock.json.decode('[{"x": 1}]', into)[0].x == 1


def test_a_post_init_added_after_planning() -> None:
    @dataclass(slots=True)
    class Patched:
        x: int

    assert decode(Patched, x=1).x == 1

    def post_init(self: Any) -> None:
        self.x += 10

    # The generated `__init__` does not call it, so calling the class does not run it either.
    Patched.__post_init__ = post_init  # type: ignore[attr-defined]
    assert Patched(1).x == 1
    assert decode(Patched, x=1).x == 1


def test_a_post_init_changed_after_planning() -> None:
    @dataclass(slots=True)
    class Patched:
        x: int

        def __post_init__(self) -> None:
            self.x += 1

    assert check(Patched, x=1).x == 2

    def post_init(self: Any) -> None:
        self.x += 10

    Patched.__post_init__ = post_init  # type: ignore[method-assign]
    assert check(Patched, x=1).x == 11


def test_a_post_init_removed_after_planning() -> None:
    @dataclass(slots=True)
    class Patched:
        x: int

        def __post_init__(self) -> None: ...

    assert decode(Patched, x=1).x == 1
    del Patched.__post_init__
    with pytest.raises(AttributeError):
        Patched(1)
    with pytest.raises(AttributeError):
        decode(Patched, x=1)


def test_a_base_patched_after_planning() -> None:
    class Base: ...

    @dataclass
    class Child(Base):
        x: int

    assert check(Child, x=1).x == 1
    Base.__setattr__ = lambda self, name, value: object.__setattr__(self, name, -value)  # type: ignore[method-assign, assignment]
    assert check(Child, x=1).x == -1
    del Base.__setattr__
    Base.x = property(lambda _: "from the base", lambda *_: None)  # type: ignore[attr-defined]
    assert check(Child, x=1).x == "from the base"


def test_bases_replaced_after_planning() -> None:
    class Quiet: ...

    class Loud:
        def __setattr__(self, name: str, value: int) -> None:
            object.__setattr__(self, name, value * 1000)

    @dataclass
    class Child(Quiet):
        x: int

    assert check(Child, x=1).x == 1
    Child.__bases__ = (Loud,)
    assert check(Child, x=1).x == 1000


def test_a_metaclass_patched_after_planning() -> None:
    class Meta(type): ...

    @dataclass
    class Patched(metaclass=Meta):
        x: int

    assert check(Patched, x=1).x == 1

    def call(cls: type, **values: Any) -> Any:
        made = type.__call__(cls, **values)
        made.called = True
        return made

    Meta.__call__ = call  # type: ignore[method-assign, assignment]
    assert vars(check(Patched, x=1)) == {"x": 1, "called": True}


def test_a_nested_class_patched_after_planning() -> None:
    @dataclass
    class Inner:
        x: int

    @dataclass
    class Outer:
        inner: Inner

    plan: Any = penstock.Plan(Outer, namespace={"Inner": Inner})
    assert penstock.json.decode('{"inner": {"x": 1}}', plan).inner.x == 1
    Inner.__new__ = lambda cls, **_: object.__new__(cls)  # type: ignore[method-assign, assignment]
    Inner.__init__ = lambda self, x: vars(self).update(x=-x)  # type: ignore[method-assign, assignment]
    assert penstock.json.decode('{"inner": {"x": 1}}', plan).inner.x == -1


def test_a_default_changed_on_a_plain_class() -> None:
    class Plain:
        x: int
        y: int = 2

    assert decode(Plain, x=1).y == 2
    Plain.y = 3
    assert decode(Plain, x=1).y == 3
    del Plain.y
    with pytest.raises(penstock.ValidationError, match='Plain lacks the required key "y"'):
        decode(Plain, x=1)


def test_a_default_changed_on_a_dataclass_changes_nothing() -> None:
    @dataclass
    class Settled:
        x: int = 2

    assert check(Settled).x == 2
    Settled.x = 3
    assert check(Settled).x == 2


def test_a_named_tuple_with_a_new_of_its_own() -> None:
    class Base(NamedTuple):
        x: int
        y: int = 2

    class Child(Base):
        def __new__(cls, x: int, y: int = 5) -> Child:  # noqa: PYI034 - the class itself
            return super().__new__(cls, x + 1, y)

    assert decode(Child, x=1) == (2, 5)
    assert type(decode(Child, x=1)) is Child
    assert decode(Base, x=1) == (1, 2)
    Base.__new__ = lambda cls, x, y=2: tuple.__new__(cls, (x * 3, y))  # type: ignore[method-assign, assignment]
    assert decode(Base, x=1) == (3, 2) == Base(1)


# The life of an object.


def test_finalizers_run_once_for_each_object() -> None:
    gone: list[int] = []

    @dataclass(slots=True)
    class Final:
        x: int

        def __del__(self) -> None:
            gone.append(self.x)

    plan: Any = penstock.Plan(Final, namespace={"gone": gone})
    assert gone == []
    made = penstock.json.decode('[{"x": 1}, {"x": 2}]', penstock.Plan(list[Final]))
    assert gone == []
    del made
    assert sorted(gone) == [1, 2]
    gone.clear()
    for row in penstock.ndjson.read([b'{"x": 1}\n{"x": 2}\n{"x": 3}\n{"x": 4}\n'], plan):
        assert row.x not in gone
    del row
    assert gone == [1, 2, 3, 4]


def test_finalizers_run_where_a_later_step_raises() -> None:
    gone: list[int] = []

    @dataclass
    class Final:
        x: int

        def __post_init__(self) -> None:
            if self.x == 2:
                raise ValueError("not two")

        def __del__(self) -> None:
            gone.append(self.x)

    with pytest.raises(penstock.ValidationError, match="ValueError: not two"):
        penstock.json.decode('[{"x": 1}, {"x": 2}, {"x": 3}]', list[Final])
    gc.collect()
    assert sorted(gone) == [1, 2]


def test_init_subclass_is_not_run_by_decoding() -> None:
    seen: list[type] = []

    class Registered:
        def __init_subclass__(cls, **options: object) -> None:
            seen.append(cls)

    @dataclass(slots=True)
    class Child(Registered):
        x: int

    before = list(seen)
    assert check(Child, x=1).x == 1
    assert seen == before


def test_a_weakref_slot() -> None:
    @dataclass(slots=True, weakref_slot=True)
    class Weak:
        x: int

    made = check(Weak, x=1)
    reference = weakref.ref(made)
    assert reference() is made
    del made
    assert reference() is None

    @dataclass(slots=True)
    class Strong:
        x: int

    with pytest.raises(TypeError):
        weakref.ref(decode(Strong, x=1))


def test_exceptions_of_the_constructor() -> None:
    @dataclass
    class Strict:
        x: int

        def __init__(self, x: int) -> None:
            if x < 0:
                raise ValueError(f"negative: {x}")
            if x == 0:
                raise LookupError("nothing")
            self.x = x

    assert decode(Strict, x=1).x == 1
    with pytest.raises(penstock.ValidationError, match="ValueError: negative: -1") as caught:
        decode(Strict, x=-1)
    assert type(caught.value.__cause__) is ValueError
    with pytest.raises(LookupError, match="nothing") as raised:
        decode(Strict, x=0)
    assert type(raised.value) is LookupError
    assert len(raised.value.__notes__) == 1
