"""Classes of attrs: how they are made, which keys they have, and when they are called."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import attr
import attrs
import pytest

import penstock
from penstock import Plan, PlanError


def way(cls: Any) -> str:
    """How objects of the class are made."""
    return repr(Plan(cls)).splitlines()[1].split(", ", 1)[1]


def shown(cls: Any, **options: Any) -> list[str]:
    """The fields of the class, as its plan shows them."""
    return [line.strip() for line in repr(Plan(cls, **options)).splitlines()[2:]]


def joined(words: list[str]) -> str:
    return "-".join(words)


@attrs.define
class Private:
    _secret: int
    shown: str = attrs.field(default="s", alias="display")


def test_keys_are_aliases() -> None:
    assert shown(Private) == ["_secret: int at 'secret'", "shown: str at 'display' = 's'"]
    assert way(Private) == "fast: slots by offset"
    assert penstock.json.decode('{"secret": 1, "display": "d"}', Private) == Private(1, "d")
    with pytest.raises(penstock.ValidationError, match='lacks the required key "secret"'):
        penstock.json.decode('{"_secret": 1}', Private)


def test_aliases_are_renamed() -> None:
    assert shown(Private, rename="upper") == [
        "_secret: int at 'SECRET'",
        "shown: str at 'DISPLAY' = 's'",
    ]
    assert shown(Private, rename={"secret": "key"})[0] == "_secret: int at 'key'"
    with pytest.raises(PlanError, match="rename names '_secret', and Private has no such field"):
        Plan(Private, rename={"_secret": "key"})


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("post", [True, False])
@pytest.mark.parametrize("kw_only", [True, False])
def test_a_generated_init_is_not_called(
    slots: bool, frozen: bool, post: bool, kw_only: bool
) -> None:
    body: dict[str, Any] = {
        "__annotations__": {"a": "int", "_b": "list[int]", "c": "int", "d": "int", "e": "object"},
        "_b": attrs.field(factory=list),
        "c": 7,
        "d": attrs.field(default=4, init=False),
        "e": attrs.field(factory=dict, init=False),
    }
    if post:
        body["__attrs_post_init__"] = lambda self: self.e.update(a=self.a)
    cls: Any = attrs.define(slots=slots, frozen=frozen, kw_only=kw_only)(type("C", (), body))
    assert way(cls) == ("fast: slots by offset" if slots else "fast: attributes")
    for values in ({"a": 1}, {"c": 2, "b": [3], "a": 4}):
        made = penstock.json.decode(json.dumps(values), cls)
        called = cls(**values)
        assert made == called
        assert getattr(made, "__dict__", {}) == getattr(called, "__dict__", {})
        assert list(getattr(made, "__dict__", {})) == list(getattr(called, "__dict__", {}))


def test_nothing_to_store() -> None:
    @attrs.define
    class Empty:
        never: int = attrs.field(init=False)

    assert way(Empty) == "fast: slots by offset"
    assert not hasattr(penstock.json.decode('{"never": 1}', Empty), "never")


def test_what_makes_a_class_be_called() -> None:
    @attrs.define
    class Converter:
        x: int = attrs.field(converter=int)

    assert way(Converter) == "called: Converter has a converter for 'x'"

    @attrs.define
    class Validator:
        x: int = attrs.field(validator=attrs.validators.gt(0))

    assert way(Validator) == "called: Validator has a validator for 'x'"

    @attrs.define
    class OfSelf:
        x: int
        y: int = attrs.field(default=attrs.Factory(lambda self: self.x, takes_self=True))

    assert way(OfSelf) == "called: OfSelf has a factory that takes the object for 'y'"
    assert penstock.json.decode('{"x": 3}', OfSelf) == OfSelf(3)

    @attrs.define
    class PreInit:
        x: int

        def __attrs_pre_init__(self) -> None:
            self.x = 0

    more = "has an __init__ that does more than store its fields"
    assert way(PreInit) == f"called: PreInit {more}"

    @attrs.define(cache_hash=True, frozen=True)
    class Hashing:
        x: int

    assert way(Hashing) == f"called: Hashing {more}"
    assert hash(penstock.json.decode('{"x": 3}', Hashing)) == hash(Hashing(3))

    @attrs.define
    class Own:
        x: int
        y: int = 3

        def __init__(self, x: int) -> None:
            self.__attrs_init__(-x)  # type: ignore[attr-defined]

    assert way(Own) == "called: Own has its own __init__"
    assert penstock.json.decode('{"x": 3, "y": 4}', Own) == Own(3)

    @attrs.define
    class Failing(Exception):
        x: int

    assert way(Failing) == f"called: Failing {more}"
    assert penstock.json.decode('{"x": 3}', Failing).args == (3,)

    @attrs.define(slots=False)
    class SetAttr:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            object.__setattr__(self, name, (value, "set"))

    assert way(SetAttr) == "called: SetAttr overrides __setattr__"
    assert penstock.json.decode('{"x": 3}', SetAttr).x == (3, "set")


def test_setters_hold_for_what_is_set_later() -> None:
    @attrs.define(on_setattr=attrs.setters.frozen)
    class Frozen:
        x: int

    made = penstock.json.decode('{"x": 3}', Frozen)
    assert made == Frozen(3)
    with pytest.raises(attrs.exceptions.FrozenAttributeError):
        made.x = 4


def test_an_init_that_was_replaced() -> None:
    @attrs.define
    class Other:
        x: int
        y: int = 5

    @attrs.define(slots=False)
    class Swapped:
        x: int
        y: int = 6

    Swapped.__init__ = Other.__init__  # type: ignore[method-assign, assignment]
    assert way(Swapped).startswith("called: ")
    assert penstock.json.decode('{"x": 3}', Swapped).y == 5


def test_converters_say_what_the_document_has() -> None:
    @attrs.define
    class Converted:
        words: str = attrs.field(converter=joined)
        plain: float = attrs.field(converter=float, default=0)
        maybe: int | None = attrs.field(converter=attrs.converters.optional(int), default=None)
        piped: str = attrs.field(converter=[joined, str.upper], default=())
        owned: str = attrs.field(
            converter=attrs.Converter(lambda value, self: (value, self.words), takes_self=True),
            default="",
        )

    assert shown(Converted)[:2] == ["words: list[str]", "plain: Any, may be absent"]
    document = '{"words": ["a", "b"], "plain": "1.5", "maybe": "3", "piped": ["x", "y"]}'
    made = penstock.json.decode(document, Converted)
    assert made == Converted(["a", "b"], "1.5", "3", ["x", "y"])
    with pytest.raises(penstock.ValidationError, match="expected str, got the integer 1") as caught:
        penstock.json.decode('{"words": [1]}', Converted)
    assert caught.value.path == "words/0"
    with pytest.raises(penstock.ValidationError, match="ValueError: could not convert") as caught:
        penstock.json.decode('[{"words": [], "plain": "x"}]', list[Converted])
    assert caught.value.path == "0"
    assert isinstance(caught.value.__cause__, ValueError)
    made = penstock.xml.decode("<c><words>a</words><words>b</words><maybe>3</maybe></c>", Converted)
    assert made == Converted(["a", "b"], maybe=3)


def test_words_in_metadata() -> None:
    @attrs.define
    class City:
        x: int = attrs.field(metadata={"penstock": penstock.at("a/b")})
        y: bytes = attrs.field(default=b"", metadata={"penstock": (penstock.Hex,)})

    assert penstock.json.decode('{"a": {"b": 1}, "y": "ff"}', City) == City(1, b"\xff")


def test_types_by_any_of_the_ways_to_say_them() -> None:
    @attr.s
    class Old:
        typed = attr.ib(type="list[int]")
        annotated: set[int] = attr.ib(factory=set)
        untyped = attr.ib(default=None)

    assert shown(Old) == ["typed: list[int]", "annotated: set[int] = set()", "untyped: Any = None"]

    @attrs.define
    class New(Old):
        child: New | None = None

    assert shown(New)[-1] == "child: New | None = None"
    assert get_type_hints(attrs.define) is not None
    made = penstock.json.decode('{"typed": [], "child": {"typed": [1]}}', New)
    assert made == New([], child=New([1]))


def test_no_init_at_all() -> None:
    @attrs.define(init=False)
    class City:
        x: int

    with pytest.raises(PlanError, match="City has no __init__ that takes its fields"):
        Plan(City)


def test_two_fields_of_one_key() -> None:
    with pytest.raises(PlanError, match="claim the same value: 'key' and 'key'"):
        Plan(Private, rename={"secret": "key", "display": "key"})
