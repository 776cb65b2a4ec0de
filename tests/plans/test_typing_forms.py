"""Every form that `typing` has is served, or refused by its name. None is taken for another."""

# ruff: noqa: UP044, SLOT001 - `Unpack` is one of the forms

import re
import sys
import typing
from collections import abc
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    NotRequired,
    ParamSpec,
    Required,
    TypedDict,
    TypeVar,
    TypeVarTuple,
    Unpack,
)

import attrs
import msgspec
import pytest
import typing_extensions as extensions

from penstock import Hex, Plan, PlanError, ValidationError, at, decode

T = TypeVar("T")
U = TypeVar("U")
P = ParamSpec("P")
Ts = TypeVarTuple("Ts")
Defaulted = extensions.TypeVar("Defaulted", default=int)
Names = extensions.TypeAliasType("Names", list[str])
Pair = extensions.TypeAliasType("Pair", tuple[T, Defaulted], type_params=(T, Defaulted))
Many = extensions.TypeAliasType("Many", tuple[Unpack[Ts]], type_params=(Ts,))
Around = extensions.TypeAliasType("Around", tuple[T, U], type_params=(T, Ts, U))
OfParameters = extensions.TypeAliasType("OfParameters", list[T], type_params=(P, T))

STARRED = next(iter(tuple[int, str]))

# A form, and its type as a plan shows it, or the reason after a `!`. A reason that begins with a
# space begins with the form.
FORMS: list[tuple[str, str]] = [
    # PEP 646.
    ("tuple[int, *tuple[str, float]]", "tuple[int, str, float]"),
    ("tuple[*tuple[int, str]]", "tuple[int, str]"),
    ("tuple[*tuple[int, ...]]", "tuple[int, ...]"),
    ("tuple[*tuple[*tuple[int, ...]]]", "tuple[int, ...]"),
    ("tuple[*tuple[()], int]", "tuple[int]"),
    ("Tuple[int, Unpack[Tuple[str, float]]]", "tuple[int, str, float]"),
    ("tuple[extensions.Unpack[tuple[int, str]]]", "tuple[int, str]"),
    ("tuple[Unpack['tuple[int, str]']]", "tuple[int, str]"),
    ("tuple[T, *Ts][int, str, float]", "tuple[int, str, float]"),
    ("tuple[int, *tuple[str, ...], float]", "! is not supported yet"),
    ("tuple[int, *tuple[str, ...]]", "! is not supported yet"),
    ("tuple[int, Unpack[tuple[str, ...]]]", "!tuple[int, *tuple[str, ...]] is not supported yet"),
    ("tuple[int, *tuple[*tuple[str, ...]]]", "! is not supported yet"),
    ("tuple[T, *Ts][int, *tuple[str, ...]]", "!tuple[int, *tuple[str, ...]] is not supported yet"),
    ("tuple[int, Unpack[Names]]", "!*Names is not supported yet"),
    ("list[*tuple[int]]", "!*tuple[int] is only allowed in a tuple"),
    ("set[Unpack[tuple[int]]]", "!*tuple[int] is only allowed in a tuple"),
    ("dict[str, *tuple[int]]", "!*tuple[int] is only allowed in a tuple"),
    ("int | Unpack[tuple[int]]", "!*tuple[int] is only allowed in a tuple"),
    ("STARRED", "!*tuple[int, str] is only allowed in a tuple"),
    ("Annotated[Unpack[tuple[int]], 1]", "!*tuple[int] is only allowed in a tuple"),
    ("Ts", "! is not supported yet"),
    ("tuple[*Ts]", "!Ts is not supported yet"),
    ("Union[int, Unpack[Ts]]", "!Ts is not supported yet"),
    ("tuple[..., int]", "!Ellipsis is not a type"),
    ("tuple[int, ..., str]", "!Ellipsis is not a type"),
    ("list[...]", "!Ellipsis is not a type"),
    # Functions and their parameters.
    ("P", "!~P is not supported yet"),
    ("P.args", "! is not supported yet"),
    ("P.kwargs", "! is not supported yet"),
    ("Callable", "! is abstract, so no object of it can be made"),
    ("Callable[[int], str]", "!Callable is abstract, so no object of it can be made"),
    ("Callable[..., int]", "!Callable is abstract, so no object of it can be made"),
    ("Callable[P, int]", "!~P is not supported yet"),
    ("Callable[Concatenate[int, P], str]", "!~P is not supported yet"),
    ("Concatenate[int, P]", "!~P is not supported yet"),
    ("abc.Callable[[int], str]", "!Callable is abstract, so no object of it can be made"),
    # What only a type checker uses.
    ("typing.TypeGuard[int]", "!TypeGuard[int] is not supported yet"),
    ("extensions.TypeIs[int]", "!typing_extensions.TypeIs[int] is not supported yet"),
    ("LiteralString", "str"),
    ("extensions.LiteralString", "str"),
    ("LiteralString | None", "str | None"),
    ("typing.Never", "!Never is not supported yet"),
    ("typing.NoReturn", "!NoReturn is not supported yet"),
    ("extensions.Never", "!Never is not supported yet"),
    ("Union[int, typing.NoReturn]", "!NoReturn is not supported yet"),
    ("typing.TypeAlias", "!TypeAlias is not supported yet"),
    ("Generic", "!typing.Generic is not supported yet"),
    ("Generic[T]", "!Generic[~T] is not supported yet"),
    ("Protocol", "!Protocol is a protocol, so no object of it can be made"),
    ("Protocol[T]", "!Protocol[~T] is not supported yet"),
    ("typing.Union", "!Union is not supported yet"),
    ("typing.Literal", "!Literal is not supported yet"),
    ("Annotated", "!typing.Annotated is not supported yet"),
    ("Unpack", "!Unpack is not supported yet"),
    ("Required", "!Required is not supported yet"),
    ("Concatenate", "!Concatenate is not supported yet"),
    ("Optional", "Any"),
    # Classes as values, and objects without a form in documents.
    ("type[int]", "!type is not supported yet"),
    ("typing.Type[int]", "!type is not supported yet"),
    ("type[Any]", "!type is not supported yet"),
    ("typing.ChainMap[str, int]", "!collections.ChainMap is not supported yet"),
    ("typing.Iterator[int]", "!Iterator is abstract, so no object of it can be made"),
    ("typing.Generator[int, None, None]", "!Generator is abstract, so no object of it can be made"),
    ("typing.Awaitable[int]", "!Awaitable is abstract, so no object of it can be made"),
    ("typing.KeysView[int]", "!collections.abc.KeysView is not supported yet"),
    ("typing.Hashable", "!Hashable is abstract, so no object of it can be made"),
    ("typing.SupportsInt", "!SupportsInt is a protocol, so no object of it can be made"),
    ("typing.IO[str]", "!typing.IO is not supported yet"),
    ("typing.Match[str]", "!re.Match is not supported yet"),
    ("typing.Pattern[str]", "Pattern"),
    ("typing.Text", "str"),
    # What belongs around the whole annotation of a field.
    ("Required[int]", "!Required[int] is not supported yet"),
    ("list[NotRequired[int]]", "!NotRequired[int] is not supported yet"),
    ("Optional[NotRequired[int]]", "!NotRequired[int] is not supported yet"),
    ("list[extensions.ReadOnly[int]]", "!typing_extensions.ReadOnly[int] is not supported yet"),
    ("list[ClassVar[int]]", "!ClassVar[int] is not supported yet"),
    ("list[InitVar[int]]", "!InitVar is not supported yet"),
    ("InitVar", "!dataclasses.InitVar is not supported yet"),
    ("KW_ONLY", "! is only for a dataclass"),
    ("list[KW_ONLY]", "!KW_ONLY is only for a dataclass"),
    ("Final[int]", "int"),
    ("list[Final[int]]", "list[int]"),
    # Annotations in annotations.
    ("Annotated[Annotated[int, 1], 2]", "int"),
    ("list[Annotated[Annotated[bytes, Hex], 1]]", "list[bytes]"),
    ("Annotated[Annotated[int, Hex], 2]", "!Hex is only for bytes"),
    # Aliases.
    ("Names", "list[str]"),
    ("Pair[str]", "tuple[str, int]"),
    ("Pair[str, float]", "tuple[str, float]"),
    ("Many[int, str]", "!Ts is not supported yet"),
    ("Many", "!*Ts is not supported yet"),
    ("Around[int, str]", "tuple[int, str]"),
    ("Around[int, float, bool, str]", "tuple[int, str]"),
    ("OfParameters[[int], str]", "list[str]"),
    ("list[1]", "!1 is not a type"),
    ("list[int, str]", "! is not a type"),
    ("dict[str]", "! is not a type"),
]


# Newer interpreters show some forms in other words.
NEWER: dict[str, list[tuple[tuple[int, int], str]]] = {
    "tuple[int, Unpack[tuple[str, ...]]]": [
        ((3, 12), "!tuple[int, Unpack[tuple[str, ...]]] is not supported yet")
    ],
    "tuple[int, Unpack[Names]]": [((3, 12), "!Unpack[Names] is not supported yet")],
    "set[Unpack[tuple[int]]]": [((3, 12), "!Unpack[tuple[int]] is only allowed in a tuple")],
    "int | Unpack[tuple[int]]": [((3, 12), "!Unpack[tuple[int]] is only allowed in a tuple")],
    "Annotated[Unpack[tuple[int]], 1]": [
        ((3, 12), "!Unpack[tuple[int]] is only allowed in a tuple")
    ],
    "extensions.TypeIs[int]": [((3, 13), "!TypeIs[int] is not supported yet")],
    "list[extensions.ReadOnly[int]]": [((3, 13), "!ReadOnly[int] is not supported yet")],
    "typing.Union": [((3, 14), "!typing.Union is not supported yet")],
    "Annotated": [((3, 13), "!Annotated is not supported yet")],
    "Many": [((3, 12), "!typing.Unpack[Ts] is not supported yet")],
}


def as_shown(reason: str) -> str:
    """Write a type variable tuple as the interpreter does: from 3.15 on, as it writes others."""
    return re.sub(r"\bTs\b", "~Ts", reason) if sys.version_info >= (3, 15) else reason


@pytest.mark.parametrize(("form", "expected"), FORMS)
def test_a_form_is_served_or_refused_by_its_name(form: str, expected: str) -> None:
    for since, newer in NEWER.get(form, ()):
        if sys.version_info >= since:
            expected = newer
    names = {"abc": abc, "typing": typing, "Hex": Hex, "STARRED": STARRED}
    annotation = eval(form, {**vars(typing), **globals(), **names})
    if not expected.startswith("!"):
        assert repr(Plan(annotation)) == f"Plan({expected})"
        return
    reason = form + expected[1:] if expected.startswith("! ") else expected[1:]
    with pytest.raises(PlanError, match=f"^{re.escape(as_shown(reason))}$"):
        Plan(annotation)


def of_dataclass(annotation: Any) -> Any:
    return dataclass(type("C", (), {"__annotations__": {"x": annotation}}))


def of_attrs(annotation: Any) -> Any:
    return attrs.define(type("C", (), {"__annotations__": {"x": annotation}}))


def of_struct(annotation: Any) -> Any:
    return msgspec.defstruct("C", [("x", annotation)])


def of_plain(annotation: Any) -> Any:
    return type("C", (), {"__annotations__": {"x": annotation}})


def of_init(annotation: Any) -> Any:
    def init(self: Any, x: Any) -> None:
        self.x = x

    init.__annotations__ = {"x": annotation}
    return type("C", (), {"__init__": init})


def of_tuple(annotation: Any) -> Any:
    return NamedTuple("C", [("x", annotation)])  # type: ignore[misc]


def of_keys(annotation: Any) -> Any:
    return TypedDict("C", {"x": annotation})  # type: ignore[misc]


def of_open_keys(annotation: Any) -> Any:
    return TypedDict("C", {"x": annotation}, total=False)  # type: ignore[misc]


CLASSES = [of_dataclass, of_attrs, of_struct, of_plain, of_init, of_tuple]
KEYS = [of_keys, of_open_keys]


@pytest.mark.parametrize("make", CLASSES)
@pytest.mark.parametrize(
    ("annotation", "wrapper"),
    [
        (Required[int], "Required"),
        (NotRequired[int], "NotRequired"),
        ("NotRequired[int]", "NotRequired"),
        (Annotated[NotRequired[int], at("q")], "NotRequired"),
        (extensions.ReadOnly[NotRequired[int]], "NotRequired"),
    ],
)
def test_only_a_dict_type_has_keys_that_may_be_absent(
    make: Any, annotation: Any, wrapper: str
) -> None:
    made = make(annotation)
    reason = f"field 'x' of C: {wrapper} is only for a TypedDict"
    with pytest.raises(PlanError, match=f"^{re.escape(reason)}$"):
        Plan(made, namespace={"NotRequired": NotRequired})


@pytest.mark.parametrize(
    ("annotation", "closed", "open_"),
    [
        (int, True, False),
        (Required[int], True, True),
        (NotRequired[int], False, False),
        (NotRequired[Annotated[int, 1]], False, False),
        (Annotated[NotRequired[int], 1], False, False),
        (extensions.ReadOnly[int], True, False),
        (extensions.ReadOnly[NotRequired[int]], False, False),
        (Required[extensions.ReadOnly[int]], True, True),
    ],
)
def test_the_keys_of_dict_types(annotation: Any, closed: bool, open_: bool) -> None:
    for make, required in zip(KEYS, (closed, open_), strict=True):
        made = make(annotation)
        assert decode('{"x": 1}', made) == {"x": 1}
        if required:
            with pytest.raises(ValidationError):
                decode("{}", made)
        else:
            assert decode("{}", made) == {}


@pytest.mark.parametrize("make", KEYS)
def test_required_and_not_required_exclude_each_other(make: Any) -> None:
    reason = "field 'x' of C: Required and NotRequired exclude each other"
    with pytest.raises(PlanError, match=f"^{reason}$"):
        Plan(make(Required[NotRequired[int]]))


@pytest.mark.parametrize("make", [*CLASSES[1:], *KEYS])
def test_what_only_a_dataclass_has(make: Any) -> None:
    for annotation, name in ((InitVar[int], "InitVar"), (KW_ONLY, "KW_ONLY")):
        with pytest.raises(PlanError, match=f"^field 'x' of C: {name} is only for a dataclass$"):
            Plan(make(annotation))


def test_a_dataclass_has_them() -> None:
    @dataclass
    class C:
        x: InitVar[int]
        _: KW_ONLY
        y: int = 0
        z: ClassVar[int] = 1

        def __post_init__(self, x: int) -> None:
            self.y += x

    assert decode('{"x": 2, "y": 3}', C).y == 5
    assert repr(Plan(C)).splitlines()[2:] == ["    x: int", "    y: int, may be absent"]


@dataclass
class Ends(Generic[T, Unpack[Ts], U]):
    first: T
    last: U


@dataclass
class OfEnds(Ends[int, Unpack[Ts], U], Generic[Unpack[Ts], U]):
    more: U


@dataclass
class Middle(Generic[T, Unpack[Ts]]):
    first: T
    rest: tuple[Unpack[Ts]]


class Items(tuple[Unpack[Ts]], Generic[Unpack[Ts]]):
    pass


@dataclass
class AfterParameters(Generic[P, T]):
    x: T


class Keys(TypedDict, Generic[T], total=False):
    x: T
    y: Required[int]


@pytest.mark.parametrize(
    ("into", "fields"),
    [
        (Ends[int, str, float, bytes], ["first: int", "last: bytes"]),
        (Ends[int, str], ["first: int", "last: str"]),
        (Ends[int, Unpack[tuple[str, ...]], float], ["first: int", "last: float"]),
        (Ends, ["first: Any", "last: Any"]),
        (OfEnds[bool, float, str], ["first: int", "last: str", "more: str"]),
        (OfEnds[str], ["first: int", "last: str", "more: str"]),
        (AfterParameters[[int], str], ["x: str"]),
        (Keys[str], ["x: str, may be absent", "y: int"]),
    ],
)
def test_arguments_of_a_class_that_takes_any_number(into: Any, fields: list[str]) -> None:
    assert [line.strip() for line in repr(Plan(into)).splitlines()[2:]] == fields


@pytest.mark.parametrize(
    ("into", "reason"),
    [
        (Middle[int, str], "field 'rest' of Middle[int, str]: Ts is not supported yet"),
        (Middle, "field 'rest' of Middle: Ts is not supported yet"),
        (Items[int, str], "Ts is not supported yet"),
    ],
)
def test_a_type_that_depends_on_any_number_of_arguments_is_refused(into: Any, reason: str) -> None:
    with pytest.raises(PlanError, match=f"^{re.escape(as_shown(reason))}$"):
        Plan(into)


def test_a_tuple_in_a_tuple_is_read_flat() -> None:
    into = tuple[int, Unpack[tuple[str, float]]]
    assert decode('[1, "a", 2]', into) == (1, "a", 2.0)
    with pytest.raises(ValidationError):
        decode('[1, ["a", 2]]', into)
