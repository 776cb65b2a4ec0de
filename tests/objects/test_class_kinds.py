"""Classes of every kind are made as their own constructors make them.

These are classes of attrs, msgspec and pydantic, and those whose `__init__` is annotated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from typing import Any, Generic, Self, TypeVar
from xml.sax.saxutils import escape

import attr
import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock

Item = TypeVar("Item")

# A default whose identity can be seen.
SHARED: tuple[int, ...] = (1000, 2000)


class Stored:
    def __init__(
        self, number: int, text: str = "t", *, flags: list[bool] | None = None, pair: Any = None
    ) -> None:
        self.number = number
        self._text = text
        self.flags = flags
        self.pair = pair


class StoredSlots:
    __slots__ = ("flags", "number", "pair", "text")

    def __init__(
        self,
        number: int,
        text: str = "t",
        flags: list[bool] | None = None,
        pair: tuple[int, ...] = SHARED,
        /,
    ) -> None:
        self.pair = pair
        self.number = number
        self.text = text
        self.flags = flags


class Worked:
    def __init__(
        self, number: int, /, text: str = "t", *more: object, flags: list[bool] | None = None
    ) -> None:
        self.twice = number * 2
        self.text, self.more, self.flags = text, more, list(flags or ())


class New:
    def __new__(cls, number: int, text: str = "t") -> Self:
        made = super().__new__(cls)
        made.all = (number, text)  # type: ignore[attr-defined]
        return made


class Generics(Generic[Item]):
    def __init__(self, number: Item, flags: list[bool] | None = None) -> None:
        self.number, self.flags = [number], flags


@dataclass
class Passing:
    number: int
    text: InitVar[str] = "t"
    flags: list[bool] | None = None

    def __post_init__(self, text: str) -> None:
        self.seen = text.upper()


@attrs.define
class Defined:
    number: int
    text: str = "t"
    flags: list[bool] = attrs.Factory(list)
    pair: tuple[int, ...] = SHARED
    constant: int = attrs.field(default=3, init=False)
    made: dict[str, int] = attrs.field(factory=dict, init=False)
    never: int = attrs.field(init=False, eq=False)


@attrs.frozen(slots=False)
class Frozen:
    number: int
    text: str = attrs.field(default="t", kw_only=True)
    _flags: list[bool] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.__dict__["twice"] = self.number * 2


@attr.s(auto_attribs=True, frozen=True, slots=True)
class Old:
    number: int
    pair: tuple[int, ...] = SHARED
    text: str = attr.ib(default="t")


@attrs.define
class Derived(Old):
    flags: list[bool] = attrs.Factory(list)


@attrs.define
class Converted:
    number: int = attrs.field(converter=float)
    text: str = attrs.field(default="t", validator=attrs.validators.max_len(1000))
    flags: list[bool] = attrs.field()

    @flags.default
    def _(self) -> list[bool]:
        return [self.number > 0]


class Struct(msgspec.Struct):
    number: int
    text: str = "t"
    flags: list[bool] = []
    pair: tuple[int, ...] = SHARED


class Keywords(msgspec.Struct, kw_only=True, frozen=True, tag="keywords"):
    text: str = "t"
    number: int
    flags: list[bool] | msgspec.UnsetType = msgspec.UNSET


class More(Keywords, rename=None):
    pair: tuple[int, ...] = SHARED


class Model(pydantic.BaseModel):
    number: int
    text: str = "t"
    flags: list[bool] = []
    pair: tuple[int, ...] = SHARED


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, frozen=True, extra="forbid")
    number: int
    text: str | None = None
    pair: tuple[int, ...] = pydantic.Field(default=SHARED, max_length=100)
    _private: int = 3

    def model_post_init(self, _: object, /) -> None:
        self._private = self.number


class Before(pydantic.BaseModel):
    number: int
    text: str = "t"

    @pydantic.field_validator("number", mode="before")
    @classmethod
    def negated(cls, value: object) -> object:
        return -int(value)  # type: ignore[call-overload]


class Boxed(pydantic.BaseModel, Generic[Item]):
    number: Item
    flags: list[bool] | None = None


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    number: int
    text: str = "t"
    flags: list[bool] = pydantic.Field(default_factory=list)


def by_position(values: dict[str, Any]) -> Any:
    order = {"number": None, "text": "t", "flags": None, "pair": SHARED}
    return StoredSlots(*(order | values).values())


KINDS: dict[str, tuple[Any, Callable[[dict[str, Any]], Any], str]] = {
    # How it is called, and which fields get values.
    "stored": (Stored, lambda values: Stored(**values), "text flags"),
    "stored in slots": (StoredSlots, by_position, "text flags pair"),
    "worked": (Worked, lambda values: Worked(values.pop("number"), **values), "text flags"),
    "new": (New, lambda values: New(**values), "text"),
    "generic": (Generics[int], lambda values: Generics(**values), "flags"),
    "init var": (Passing, lambda values: Passing(**values), "text flags"),
    "attrs": (Defined, lambda values: Defined(**values), "text flags pair"),
    "frozen attrs": (Frozen, lambda values: Frozen(**values), "text flags"),
    "old attrs": (Old, lambda values: Old(**values), "text pair"),
    "derived attrs": (Derived, lambda values: Derived(**values), "text flags pair"),
    "attrs with converters": (Converted, lambda values: Converted(**values), "text flags"),
    "struct": (Struct, lambda values: Struct(**values), "text flags pair"),
    "struct of keywords": (Keywords, lambda values: Keywords(**values), "text flags"),
    "derived struct": (More, lambda values: More(**values), "text flags pair"),
    "model": (Model, lambda values: Model(**values), "text flags pair"),
    "strict model": (Strict, lambda values: Strict(**values), "text pair"),
    "model with a validator": (Before, lambda values: Before(**values), "text"),
    "generic model": (Boxed[int], lambda values: Boxed[int](**values), "flags"),
    "dataclass of pydantic": (
        PydanticDataclass,
        lambda values: PydanticDataclass(**values),
        "text flags",
    ),
}

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-(2**60), 2**60),
    "text": st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], min_codepoint=32))
    .map(lambda text: text.replace("\ufffe", "").replace("\uffff", ""))
    .filter(lambda text: not text or text.strip() == text),
    "flags": st.lists(st.booleans(), min_size=1, max_size=3),
    "pair": st.lists(st.integers(-9, 9), min_size=1, max_size=3).map(tuple),
}


def state(value: Any) -> list[tuple[str, Any]]:
    """Everything that an object holds, in the order in which a program can see it."""
    slots = [name for base in type(value).__mro__ for name in vars(base).get("__slots__", ())]
    slots += getattr(type(value), "__struct_fields__", ())
    kept = [
        (name, getattr(value, name))
        for name in slots
        if not name.startswith("__") and hasattr(value, name)
    ]
    kept += list(getattr(value, "__dict__", {}).items())
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        if hasattr(value, name):
            kept.append((name, getattr(value, name)))
    return [(name, item, type(item)) for name, item in kept]  # type: ignore[misc]


@st.composite
def values_of(draw: st.DrawFn, optional: str) -> dict[str, Any]:
    chosen = draw(st.sets(st.sampled_from(optional.split())))
    return {name: draw(VALUES[name]) for name in ["number", *sorted(chosen)]}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(data=st.data())
def test_as_calling_the_class_from_json(kind: str, data: st.DataObject) -> None:
    cls, call, optional = KINDS[kind]
    values = data.draw(values_of(optional))
    members = data.draw(st.permutations(list(values.items())))
    document = json.dumps(dict(members), ensure_ascii=data.draw(st.booleans()))
    expected = call(dict(values))
    made = penstock.json.decode(document, cls)
    assert type(made) is type(expected)
    assert state(made) == state(expected)
    for (_, value, _), (_, wanted, _) in zip(state(made), state(expected), strict=True):  # type: ignore[misc]
        # A default is the same object.
        assert (value is SHARED) == (wanted is SHARED)
    if type(made).__eq__ is not object.__eq__:
        assert made == expected
    pieces = [document.encode()[at : at + 1] for at in range(len(document.encode()))]
    (row,) = penstock.ndjson.read(iter(pieces), cls)
    assert state(row) == state(expected)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(data=st.data())
def test_as_calling_the_class_from_xml(kind: str, data: st.DataObject) -> None:
    cls, call, optional = KINDS[kind]
    values = data.draw(values_of(optional))
    elements = []
    for name, value in data.draw(st.permutations(list(values.items()))):
        items = value if isinstance(value, (list, tuple)) else [value]
        texts = [escape(str(item).lower() if name == "flags" else str(item)) for item in items]
        elements += [f"<{name}>{text}</{name}>" for text in texts]
    expected = call(dict(values))
    made = penstock.xml.decode(f"<r>{''.join(elements)}</r>", cls)
    assert type(made) is type(expected)
    assert state(made) == state(expected)
    # A value that fits one element may also be an attribute.
    scalars = {name: value for name, value in values.items() if name in ("number", "text")}
    attributes = [f'{name}="{escape(str(v), {chr(34): "&quot;"})}"' for name, v in scalars.items()]
    if set(scalars) == set(values):
        made = penstock.xml.decode(f"<r {' '.join(attributes)}/>", cls)
        assert state(made) == state(expected)
