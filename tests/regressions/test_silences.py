"""Silent misreadings that were fixed, as numbered tests. Each docstring describes the fault."""

# ruff: noqa: UP044 - `Unpack` is one of the spellings

from dataclasses import dataclass, make_dataclass
from typing import Any, Generic, NotRequired, TypeVar, TypeVarTuple, Unpack

import pydantic
import pytest
import typing_extensions

from penstock import Plan, PlanError, ValidationError, decode

T = TypeVar("T")
U = TypeVar("U")
Ts = TypeVarTuple("Ts")


def refused(into: Any) -> str:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    return str(caught.value)


def test_280_an_unpacked_tuple_is_no_tuple_of_its_own() -> None:
    """`tuple[int, *tuple[str, float]]` was read as `tuple[int, tuple[str, float]]`."""
    assert decode('[1, "a", 2]', tuple[int, *tuple[str, float]]) == (1, "a", 2.0)
    assert decode('[1, "a", 2]', tuple[int, Unpack[tuple[str, float]]]) == (1, "a", 2.0)
    assert decode("[1, 2]", tuple[*tuple[int, ...]]) == (1, 2)
    with pytest.raises(ValidationError):
        decode('[1, ["a", 2]]', tuple[int, *tuple[str, float]])
    between = tuple[int, *tuple[str, ...], float]
    assert refused(between) == "tuple[int, *tuple[str, ...], float] is not supported yet"
    assert refused(list[*tuple[int]]) == "*tuple[int] is only allowed in a tuple"


def test_281_variables_after_one_that_takes_any_number_of_arguments() -> None:
    """They got the argument of their own place from the front: here `last` was a `str`."""

    @dataclass
    class Ends(Generic[T, *Ts, U]):
        first: T
        last: U

    assert decode('{"first": 1, "last": 2}', Ends[int, str, bytes, float]) == Ends(1, 2.0)
    with pytest.raises(ValidationError, match="expected float, got a string"):
        decode('{"first": 1, "last": "a"}', Ends[int, str, bytes, float])
    many = typing_extensions.TypeAliasType("many", tuple[*Ts], type_params=(Ts,))
    # This was `tuple[int]`.
    assert refused(many[int, str]) == "Ts is not supported yet"


def test_282_a_key_that_may_be_absent_in_a_class_that_has_no_such() -> None:
    """`NotRequired` in a dataclass was dropped, and its key was required."""

    @dataclass
    class Point:
        x: int
        y: NotRequired[int]

    assert refused(Point) == "field 'y' of Point: NotRequired is only for a TypedDict"


class Closed(typing_extensions.TypedDict):
    x: int


class ClosedBelow(Closed, total=False):
    y: int


@dataclass
class Named:
    name: str


@dataclass
class NamedBelow(Named):
    size: int = 0


@dataclass
class Aliased:
    name: str = pydantic.Field(alias="N")


pydantic.with_config(extra="forbid", title="a title", strict=True)(Closed)
pydantic.with_config(extra="forbid")(Named)


@pytest.mark.parametrize(
    ("into", "text", "made", "unknown"),
    [
        (Closed, '{"x": 1}', {"x": 1}, '{"x": 1, "q": 2}'),
        (ClosedBelow, '{"x": 1, "y": 2}', {"x": 1, "y": 2}, '{"x": 1, "q": 2}'),
        (Named, '{"name": "a"}', Named("a"), '{"name": "a", "q": 2}'),
        (NamedBelow, '{"name": "a"}', NamedBelow("a"), '{"name": "a", "q": 2}'),
    ],
)
def test_283_a_class_that_pydantic_shall_close(
    into: Any, text: str, made: object, unknown: str
) -> None:
    """`with_config(extra="forbid")` had no effect, except in a class of pydantic."""
    assert decode(text, into) == made
    with pytest.raises(ValidationError, match=f'{into.__name__} has no field for the key "q"'):
        decode(unknown, into)
    # Pydantic got the dict without the key, so it did not see it either.
    around = pydantic.create_model("around", a=into)
    assert decode(f'{{"a": {text}}}', around).a == made
    with pytest.raises(ValidationError, match=r' for the key "q" \(at a/q\)'):
        decode(f'{{"a": {unknown}}}', around)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"alias_generator": str.upper}, "alias_generator"),
        ({"extra": "allow"}, "extra"),
        ({"str_strip_whitespace": True}, "str_strip_whitespace"),
        ({"str_max_length": 0}, "str_max_length"),
        ({"coerce_numbers_to_str": True}, "coerce_numbers_to_str"),
        ({"allow_inf_nan": False}, "allow_inf_nan"),
        ({"title": "a", "use_enum_values": True}, "use_enum_values"),
        ({"a_setting_of_tomorrow": 1}, "a_setting_of_tomorrow"),
    ],
)
def test_283_settings_that_only_pydantic_obeys(settings: Any, name: str) -> None:
    """They had no effect."""
    kinds: list[Any] = [
        typing_extensions.TypedDict("C", {"x": str}),
        make_dataclass("C", [("x", str)]),
    ]
    for kind in kinds:
        configured = pydantic.with_config(settings)(kind)
        assert refused(configured) == (
            f"C has with_config({name}=...), which only works in a class of pydantic"
        )


def test_283_settings_without_an_effect() -> None:
    settings: Any = {"extra": "ignore", "str_to_lower": False, "alias_generator": None}
    closed = pydantic.with_config(settings)(make_dataclass("C", [("x", str)]))
    assert decode('{"x": "A", "y": 1}', closed) == closed("A")


def test_283_a_class_of_pydantic_obeys_them() -> None:
    """Pydantic got what Penstock had made without the settings."""
    upper = pydantic.with_config(alias_generator=str.upper)
    keys: Any = upper(typing_extensions.TypedDict("keys", {"x": str}))
    named: Any = upper(make_dataclass("named", [("x", int)]))
    around = pydantic.create_model("around", a=keys, b=named, c=Aliased)
    made: Any = decode('{"a": {"X": "x"}, "b": {"X": 1}, "c": {"N": "n"}}', around)
    assert (made.a, made.b, made.c) == ({"x": "x"}, named(1), Aliased("n"))


def test_284_a_default_that_is_for_pydantic() -> None:
    """The object of `Field(...)` became the field's value."""
    assert refused(Aliased) == (
        "the default of 'name' of Aliased is a Field(...), which only works in a class of pydantic"
    )
    assert refused(list[Aliased]) == refused(Aliased)
