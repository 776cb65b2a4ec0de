"""Silent misreadings that were fixed, as numbered tests. Each docstring describes the fault."""

# ruff: noqa: UP044 - `Unpack` is one of the spellings

from dataclasses import dataclass
from typing import Any, Generic, NotRequired, TypeVar, TypeVarTuple, Unpack

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
