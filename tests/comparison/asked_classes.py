"""The questions about classes: every kind of class, and what a class does when it is created."""

import abc
import datetime
import decimal
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Protocol, Self

import asked_later
import attrs
import msgspec
import pydantic
from asking import (
    AS_DICT,
    ATTRS_CONVERTERS,
    BY_ALIAS,
    REFUSED,
    RENAMED,
    TAGGED,
    Row,
    converted,
    converter,
    plan,
)
from cattrs.gen import make_dict_structure_fn, override
from mashumaro import field_options
from mashumaro.types import Discriminator
from typing_extensions import TypedDict

import penstock

POINT = b'{"x":1,"y":2}'


@dataclass
class Plain:
    x: int
    y: int


@dataclass(slots=True)
class Slots:
    x: int
    y: int


@dataclass(frozen=True)
class Frozen:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class FrozenSlots:
    x: int
    y: int


@dataclass(kw_only=True)
class KeywordOnly:
    x: int = 0
    y: int


@dataclass
class Marked:
    x: int
    _: KW_ONLY
    y: int


@dataclass
class Derived(Plain):
    z: int = 3


@dataclass
class Defaults:
    x: int = 1
    tags: list[str] = field(default_factory=list)


@dataclass
class Constants:
    x: int
    unit: ClassVar[str] = "m"
    limit: Final[int] = 5


@attrs.define
class Attrs:
    x: int
    y: int


@attrs.define(slots=False)
class AttrsDict:
    x: int
    y: int


@attrs.frozen
class AttrsFrozen:
    x: int
    y: int


class Named(NamedTuple):
    x: int
    y: int = 2


class Typed(TypedDict):
    x: int
    y: int


class Annotations:
    x: int
    y: int


class OwnInit:
    def __init__(self, x: int, y: int = 5) -> None:
        self.sum = x + y


class OwnSlots:
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y


class Model(pydantic.BaseModel):
    x: int
    y: int


class AliasModel(pydantic.BaseModel):
    width: int = pydantic.Field(alias="x")

    @pydantic.field_validator("width")
    @classmethod
    def double(cls, value: int) -> int:
        return 2 * value


@pydantic.dataclasses.dataclass
class ModelDataclass:
    x: int
    y: int


class Struct(msgspec.Struct):
    x: int
    y: int


class CamelStruct(msgspec.Struct, rename="camel"):
    first_name: str


class TaggedA(msgspec.Struct, tag="a"):
    x: int


class TaggedB(msgspec.Struct, tag="b"):
    x: int


class Shape(abc.ABC):
    x: int

    @abc.abstractmethod
    def area(self) -> float: ...


class Sized(Protocol):
    x: int


@dataclass
class Nested:
    points: list[Plain]
    by_name: dict[str, Slots]


def made() -> Any:
    """Return a dataclass made in a function, whose annotation is a name of that function."""

    @dataclass
    class Inner:
        x: int

    @dataclass
    class Outer:
        inner: "Inner"

    Outer.scope = {"Inner": Inner}  # type: ignore[attr-defined]
    return Outer


Local = made()

KINDS = [
    Row("a dataclass", Plain, POINT, Plain(1, 2)),
    Row("`slots=True`", Slots, POINT, Slots(1, 2)),
    Row("`frozen=True`", Frozen, POINT, Frozen(1, 2)),
    Row("`frozen=True, slots=True`", FrozenSlots, POINT, FrozenSlots(1, 2)),
    Row("`kw_only=True`", KeywordOnly, POINT, KeywordOnly(x=1, y=2)),
    Row("`KW_ONLY`", Marked, POINT, Marked(1, y=2)),
    Row("a dataclass that inherits", Derived, POINT, Derived(1, 2)),
    Row("defaults and factories", Defaults, b"{}", Defaults()),
    Row("`ClassVar`, `Final`", Constants, b'{"x":1,"unit":"k"}', Constants(1)),
    Row(
        "classes in classes",
        Nested,
        b'{"points":[%b],"by_name":{"a":%b}}' % (POINT, POINT),
        Nested([Plain(1, 2)], {"a": Slots(1, 2)}),
    ),
    Row("attrs", Attrs, POINT, Attrs(1, 2)),
    Row("attrs, `slots=False`", AttrsDict, POINT, AttrsDict(1, 2)),
    Row("attrs, frozen", AttrsFrozen, POINT, AttrsFrozen(1, 2)),
    Row("`NamedTuple` from an object", Named, POINT, Named(1, 2), AS_DICT),
    Row("`NamedTuple` from an array", Named, b"[1,3]", Named(1, 3)),
    Row("`TypedDict`", Typed, POINT, {"x": 1, "y": 2}),
    Row(
        "a class that only has annotations",
        Annotations,
        POINT,
        (1, 2),
        look=lambda it: (it.x, it.y),
    ),
    Row("a class with an annotated `__init__`", OwnInit, b'{"x":1}', 6, look=lambda it: it.sum),
    Row("the same with `__slots__`", OwnSlots, POINT, (1, 2), look=lambda it: (it.x, it.y)),
    Row("msgspec `Struct`", Struct, POINT, Struct(1, 2)),
    Row("msgspec `Struct`, renamed", CamelStruct, b'{"firstName":"a"}', CamelStruct("a")),
    Row("a union of msgspec `Struct`s", TaggedA | TaggedB, b'{"x":1,"type":"b"}', TaggedB(1)),
    Row("pydantic `BaseModel`", Model, POINT, Model(x=1, y=2)),
    Row("pydantic model with alias and validator", AliasModel, b'{"x":1}', AliasModel(x=1)),
    Row("pydantic dataclass", ModelDataclass, POINT, ModelDataclass(1, 2)),
    Row(
        "annotations as strings, of a class further down",
        asked_later.Item,
        b'{"id":1,"made":"2026-03-01","parent":{"name":"a"}}',
        asked_later.Item(1, datetime.date(2026, 3, 1), asked_later.Group("a")),
    ),
    Row(
        "the same inherited from another module",
        type("Here", (asked_later.Derived,), {}),
        b'{"id":1,"made":"2026-03-01","label":"b"}',
        "b",
        look=lambda it: it.label,
    ),
    Row(
        "a class inside a function, named by a string",
        Local,
        b'{"inner":{"x":1}}',
        1,
        {"Penstock": plan("`namespace=`", namespace=Local.scope)},
        look=lambda it: it.inner.x,
    ),
]


@dataclass
class Computed:
    x: int
    double: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.double = 2 * self.x


@dataclass
class NotTaken:
    x: int
    secret: str = field(init=False, default="kept")


@dataclass
class WithInitVar:
    x: int
    scale: InitVar[int]
    scaled: int = field(init=False, default=0)

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.x * scale


@dataclass(init=False)
class CustomInit:
    x: int

    def __init__(self, x: int) -> None:
        self.x = x + 100


@dataclass
class CustomSet:
    x: int

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value + 100)


@dataclass
class CustomNew:
    x: int

    def __new__(cls, *_args: Any, **_named: Any) -> Self:
        made = super().__new__(cls)
        made.marked = True  # type: ignore[attr-defined]
        return made


class Hidden:
    """A descriptor that stores its value under another name."""

    def __get__(self, instance: Any, owner: Any) -> int:
        return 0 if instance is None else instance.__dict__["kept"]

    def __set__(self, instance: Any, value: int) -> None:
        instance.__dict__["kept"] = value + 100


@dataclass
class WithDescriptor:
    x: int = Hidden()  # type: ignore[assignment]


@attrs.define
class Converting:
    x: int = attrs.field(converter=lambda value: value + 100)


@attrs.define
class Validating:
    x: int = attrs.field(validator=attrs.validators.gt(0))


@attrs.define
class TakingSelf:
    x: int
    y: int = attrs.Factory(lambda self: self.x + 100, takes_self=True)


@attrs.define
class Private:
    _x: int


@attrs.define
class Aliased:
    x: int = attrs.field(alias="ex")


@attrs.define
class AttrsNotTaken:
    x: int
    secret: str = attrs.field(init=False, default="kept")


@attrs.define
class AttrsPost:
    x: int
    double: int = 0

    def __attrs_post_init__(self) -> None:
        self.double = 2 * self.x


@dataclass
class Checked:
    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("negative")


def singleton() -> type:
    """Return a class whose metaclass makes one object only."""

    class Once(type):
        def __call__(cls, *args: Any, **named: Any) -> Any:
            made = super().__call__(*args, **named)
            made.x += 100
            return made

    @dataclass
    class Only(metaclass=Once):
        x: int

    return Only


BEHAVIOUR = [
    Row("`__post_init__` runs", Computed, b'{"x":1}', (1, 2), look=lambda it: (it.x, it.double)),
    Row(
        "a field with `init=False` is not filled from the input",
        NotTaken,
        b'{"x":1,"secret":"stolen"}',
        NotTaken(1),
    ),
    Row(
        "`InitVar` reaches `__post_init__`",
        WithInitVar,
        b'{"x":2,"scale":3}',
        6,
        look=lambda it: it.scaled,
    ),
    Row(
        "a dataclass's own `__init__` is called", CustomInit, b'{"x":1}', 101, look=lambda it: it.x
    ),
    Row("its own `__new__` is called", CustomNew, b'{"x":1}', True, look=lambda it: it.marked),
    Row("its own `__setattr__` is called", CustomSet, b'{"x":1}', 101, look=lambda it: it.x),
    Row(
        "a descriptor in a field's place is set",
        WithDescriptor,
        b'{"x":1}',
        101,
        look=lambda it: it.x,
    ),
    Row("a metaclass's `__call__` is called", singleton(), b'{"x":1}', 101, look=lambda it: it.x),
    Row("attrs converter", Converting, b'{"x":1}', Converting(1), ATTRS_CONVERTERS),
    Row(
        "attrs validator refuses",
        Validating,
        b'{"x":-1}',
        REFUSED,
        sound=(b'{"x":1}', Validating(1)),
    ),
    Row("attrs factory with `takes_self`", TakingSelf, b'{"x":1}', TakingSelf(1)),
    Row("attrs private name, `_x` from `x`", Private, b'{"x":1}', Private(1), BY_ALIAS),
    Row("attrs `alias=`", Aliased, b'{"ex":1}', Aliased(1), BY_ALIAS),
    Row("attrs `init=False`", AttrsNotTaken, b'{"x":1,"secret":"stolen"}', AttrsNotTaken(1)),
    Row("`__attrs_post_init__` runs", AttrsPost, b'{"x":1}', AttrsPost(1)),
    Row(
        "an exception in `__post_init__` refuses the record",
        Checked,
        b'{"x":-1}',
        REFUSED,
        sound=(b'{"x":1}', Checked(1)),
    ),
    Row("a Protocol", Sized, b'{"x":1}', REFUSED),
    Row("an abstract class", Shape, b'{"x":1}', REFUSED),
]


@dataclass
class Person:
    first_name: str


class Money:
    """A type of the user's own."""

    def __init__(self, amount: decimal.Decimal) -> None:
        self.amount = amount

    @classmethod
    def parse(cls, text: str) -> "Money":
        return cls(decimal.Decimal(text))


@dataclass
class Order:
    price: Money


@dataclass
class OrderVia:
    price: Annotated[Money, penstock.via(Money.parse)]


@dataclass
class OrderValidated:
    price: Annotated[Money, pydantic.PlainValidator(Money.parse)]


@dataclass
class OrderOptions:
    price: Money = field(metadata=field_options(deserialize=Money.parse))


@dataclass
class Red:
    x: int


@dataclass
class Blue:
    x: int


WITHOUT_TOUCHING = [
    Row("camelCase keys", Person, b'{"firstName":"a"}', Person("a"), RENAMED),
    Row(
        "a union of two dataclasses by a key that neither has",
        Red | Blue,
        b'{"x":1,"type":"Blue"}',
        Blue(1),
        TAGGED,
        of={
            "pydantic": Annotated[
                Annotated[Red, pydantic.Tag("Red")] | Annotated[Blue, pydantic.Tag("Blue")],
                pydantic.Discriminator(lambda value: value["type"]),
            ],
            "mashumaro": Annotated[
                Red | Blue,
                Discriminator(
                    "type", include_supertypes=True, variant_tagger_fn=lambda it: it.__name__
                ),
            ],
        },
        remarks={
            "pydantic": "with `Discriminator` and `Tag` in the annotation",
            "mashumaro": "with `Discriminator` in the annotation",
        },
    ),
    Row(
        "a type of your own, by a function given to the call",
        Order,
        b'{"price":"1.10"}',
        decimal.Decimal("1.10"),
        converted(Money, Money.parse),
        look=lambda it: it.price.amount,
    ),
    Row(
        "the same, by a function at the field",
        Order,
        b'{"price":"1.10"}',
        decimal.Decimal("1.10"),
        {
            "cattrs": converter(
                "`override(struct_hook=...)`",
                lambda made, into: made.register_structure_hook(
                    into,
                    make_dict_structure_fn(
                        into, made, price=override(struct_hook=lambda text, _: Money.parse(text))
                    ),
                ),
            )
        },
        look=lambda it: it.price.amount,
        of={
            "Penstock": OrderVia,
            "pydantic": OrderValidated,
            "mashumaro": OrderOptions,
        },
    ),
]
