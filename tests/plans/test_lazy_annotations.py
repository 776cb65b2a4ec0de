"""Annotations are read as the interpreter has them: evaluated when they are asked for, from 3.14 on.

No class loses its types in silence: annotations that cannot be read are a `PlanError`.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import attrs
import msgspec
import pytest

import penstock
from penstock import PlanError

T = TypeVar("T")
lazy = pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once")


class Typed(TypedDict):
    number: int
    text: str


class Derived(Typed, total=False):
    more: list[int]


class Pair(NamedTuple, Generic[T]):
    number: int
    value: T


class Keys(dict[str, Any]):
    number: int


def test_a_typed_dict_keeps_its_types():
    assert penstock.json.decode(b'{"number": 1, "text": "a"}', Typed) == {"number": 1, "text": "a"}
    assert penstock.json.decode(b'{"number": 1, "text": "a", "more": [2]}', Derived) == {
        "number": 1,
        "text": "a",
        "more": [2],
    }
    with pytest.raises(penstock.ValidationError, match="expected int"):
        penstock.json.decode(b'{"number": "1", "text": "a"}', Typed)
    with pytest.raises(penstock.ValidationError, match='Derived lacks the required key "text"'):
        penstock.json.decode(b'{"number": 1}', Derived)


def test_a_generic_named_tuple_keeps_its_types():
    assert penstock.json.decode(b"[1, 2]", Pair[int]) == Pair(1, 2)
    with pytest.raises(penstock.ValidationError, match="expected int"):
        penstock.json.decode(b'["1", 2]', Pair[int])
    with pytest.raises(penstock.ValidationError, match="expected str"):
        penstock.json.decode(b"[1, 2]", Pair[str])


def test_a_dict_class_keeps_its_keys():
    with pytest.raises(penstock.ValidationError, match="expected int"):
        penstock.json.decode(b'{"number": "1"}', Keys)


def kinds_around_a_later_class() -> list[type]:
    """Each has a field of a class that its function defines after it."""

    @dataclass(slots=True)
    class Data:
        inner: "Later"
        several: "list[Later] | None" = None

    class Bare:
        inner: "Later"
        several: "list[Later] | None" = None

    @attrs.define
    class Attrs:
        inner: "Later"
        several: "list[Later] | None" = None

    class Struct(msgspec.Struct):
        inner: "Later"
        several: "list[Later] | None" = None

    class Tuple(NamedTuple):
        inner: "Later"
        several: "list[Later] | None" = None

    @dataclass
    class Later:
        number: int

    globals()["Later"] = Later
    return [Data, Bare, Attrs, Struct, Tuple]


@pytest.mark.parametrize("kind", kinds_around_a_later_class(), ids=lambda kind: kind.__name__)
def test_text_means_a_later_class(kind: Any):
    made = penstock.json.decode(b'{"inner": {"number": 1}, "several": [{"number": 2}]}', kind)
    assert (made.inner.number, [one.number for one in made.several]) == (1, [2])


# Code as it is written for 3.14, where names need not be known yet.
LATER = """
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict
import attrs, msgspec

def make():
    @dataclass(slots=True)
    class Data:
        inner: Later
        several: list[Later] | None = None
        either: Annotated[Later, "note"] | int = 0

    @dataclass
    class Frozen:
        inner: Later
        several: list[Later] | None = None
        either: Annotated[Later, "note"] | int = 0

    class Bare:
        inner: Later
        several: list[Later] | None = None
        either: Annotated[Later, "note"] | int = 0

    class Init:
        def __init__(self, inner: Later, several: list[Later] | None = None, either: Later | int = 0) -> None:
            self.inner, self.several, self.either = inner, several, either

    @attrs.define
    class Attrs:
        inner: Later
        several: list[Later] | None = None
        either: Annotated[Later, "note"] | int = 0

    class Tuple(NamedTuple):
        inner: Later
        several: list[Later] | None = None
        either: Annotated[Later, "note"] | int = 0

    class Typed(TypedDict):
        inner: Later
        several: list[Later] | None
        either: Annotated[Later, "note"] | int

    {between}
    @dataclass
    class Later:
        number: int

    return [Data, Frozen, Bare, Init, Attrs, Tuple, Typed]
"""


def later_kinds(between: str = "") -> list[Any]:
    names: dict[str, Any] = {"__name__": "later"}
    exec(LATER.replace("{between}", between), names)
    return names["make"]()


@lazy
@pytest.mark.parametrize("at", range(7))
def test_a_name_means_a_later_class(at: int):
    kind = later_kinds()[at]
    made = penstock.json.decode(
        b'{"inner": {"number": 1}, "several": [{"number": 2}], "either": {"number": 3}}', kind
    )
    values = (
        made
        if isinstance(made, dict)
        else {n: getattr(made, n) for n in ("inner", "several", "either")}
    )
    assert values["inner"].number == 1
    assert [one.number for one in values["several"]] == [2]
    assert values["either"].number == 3


@lazy
@pytest.mark.parametrize("at", range(7))
def test_a_name_that_is_unknown_is_said(at: int):
    kind = later_kinds("return [Data, Frozen, Bare, Init, Attrs, Tuple, Typed]")[at]
    with pytest.raises(PlanError, match="Later"):
        penstock.json.decode(b"{}", kind)


@lazy
@pytest.mark.parametrize("at", range(7))
def test_a_name_that_only_the_plan_knows(at: int):
    @dataclass
    class Later:
        number: int

    kind = later_kinds("return [Data, Frozen, Bare, Init, Attrs, Tuple, Typed]")[at]
    plan = penstock.Plan(kind, namespace={"Later": Later})
    made: Any = penstock.json.decode(b'{"inner": {"number": 1}, "several": [], "either": 4}', plan)
    inner = made["inner"] if isinstance(made, dict) else made.inner
    assert inner == Later(1)


def test_reading_a_class_writes_nothing_to_it():
    class Empty:
        number: int

    before = dict(vars(Empty))
    penstock.json.decode(b'{"number": 1}', Empty)
    assert dict(vars(Empty)) == before


def raising(error: BaseException) -> Callable[[int], dict[str, Any]]:
    def annotate(_format: int) -> dict[str, Any]:
        raise error

    return annotate


@lazy
@pytest.mark.parametrize(
    "annotate",
    [raising(ZeroDivisionError("no")), lambda _: 7, 7],
    ids=["raises", "number", "uncallable"],
)
@pytest.mark.parametrize("base", [object, dict, tuple])
def test_annotations_that_cannot_be_read_are_an_error(base: type, annotate: object):
    fields = {"_fields": ("x",)} if base is tuple else {}
    kind = type("Kind", (base,), {"__annotate_func__": annotate, **fields})
    with pytest.raises(PlanError, match=r"Kind: its annotations cannot be read: "):
        penstock.json.decode(b"{}", kind)


@lazy
def test_why_they_cannot_be_read():
    class Kind:
        __annotate_func__ = raising(ZeroDivisionError("no"))

    with pytest.raises(PlanError) as caught:
        penstock.json.decode(b"{}", Kind)
    assert str(caught.value).endswith("Kind: its annotations cannot be read: ZeroDivisionError: no")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_annotations_that_are_no_dict_are_an_error():
    kind = type("Kind", (), {"__annotations__": 7})
    with pytest.raises(PlanError, match=r"Kind: its annotations cannot be read: 7 is not a dict"):
        penstock.json.decode(b"{}", kind)


@lazy
@pytest.mark.parametrize("kind", ["plain", "dataclass", "tuple", "dict", "inner"])
def test_a_mark_whose_name_is_not_known_is_an_error(kind: str):
    """It was left out, and the field was read by its own name."""
    code = {
        "plain": "class C:\n    x: Annotated[int, late('y')]",
        "dataclass": "@dataclass\nclass C:\n    x: Annotated[int, late('y')]",
        "tuple": "class C(NamedTuple):\n    x: Annotated[int, late('y')]",
        "dict": "class C(TypedDict):\n    x: Annotated[int, late('y')]",
        "inner": "class C:\n    x: list[Annotated[int, late]]",
    }
    names: dict[str, Any] = dict(globals())
    exec(code[kind], names)
    with pytest.raises(PlanError, match="field 'x' of C: cannot resolve the annotation 'late"):
        penstock.json.decode(b'{"x": 1, "y": 2}', names["C"])
    # What is known by then counts.
    if kind != "inner":
        names["late"] = penstock.at
        made = penstock.json.decode(b'{"x": 1, "y": 2}', names["C"])
        assert (made["x"] if kind == "dict" else made.x) == 2


@lazy
def test_annotations_that_were_set_count():
    class Kind:
        number: str

    Kind.__annotations__ = {"number": int}
    assert penstock.json.decode(b'{"number": 1}', Kind).number == 1  # type: ignore[comparison-overlap]


def test_made_dataclasses():
    made = make_dataclass("Made", [("number", int), ("text", Annotated[str, "note"], "x")])
    assert penstock.json.decode(b'{"number": 1}', made) == made(1)
