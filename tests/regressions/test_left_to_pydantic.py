"""What pydantic makes of plain values: what had no effect there, and what was read back as another value."""

import dataclasses
import datetime
import functools
from collections import deque
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
from annotated_types import Gt
from pydantic import BaseModel, BeforeValidator, Field, RootModel

import penstock
from penstock import (
    Base64Url,
    EncodeError,
    Hex,
    Plan,
    PlanError,
    ValidationError,
    at,
    cells,
    csv,
    json,
    plist,
    separated,
    times,
    unix,
    via,
    xml,
)

NOON = datetime.datetime(2024, 2, 1, 12, 2, 3, tzinfo=datetime.UTC)
Millis = Annotated[datetime.datetime, unix("ms")]
AsItIs = BeforeValidator(lambda value: value)


class Own:
    """A class that pydantic alone can make."""

    def __init__(self, value: object) -> None:
        self.value = value

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(cls)


class Inner(BaseModel):
    some_day: datetime.datetime
    number: int = 0


class Whole(BaseModel):
    inner: Inner

    @pydantic.model_validator(mode="before")
    @classmethod
    def as_it_is(cls, value: Any) -> Any:
        return value


class Early(BaseModel):
    k: int
    t: Millis


class Late(BaseModel):
    k: str
    t: Millis


@pytest.mark.parametrize(
    ("of", "what"),
    [
        (list[Annotated[Millis, AsItIs]], "unix('ms')"),
        (Annotated[list[Millis], AsItIs], "unix('ms')"),
        (Annotated[dict[str, Annotated[bytes, Hex]], AsItIs], "Hex"),
        (Annotated[dict[str, Early], AsItIs], "unix('ms')"),
        (list[Annotated[str, penstock.pattern("x"), AsItIs]], "pattern('x')"),
        (Millis | Own, "unix('ms')"),
        (list[Millis | Own], "unix('ms')"),
        (Early | Late, "unix('ms')"),
        (pydantic.Json[list[Millis]], "unix('ms')"),
    ],
)
def test_783_annotations_in_what_pydantic_makes(of: Any, what: str) -> None:
    """They were passed over: a number of milliseconds became a day of 1970, hex digits became bytes."""
    model = pydantic.create_model("M", d=(of, ...))
    with pytest.raises(PlanError) as caught:
        Plan(model)
    reason = f"pydantic makes this value of plain values itself, where {what} has no effect"
    assert str(caught.value) == f"field 'd' of M: {reason}"


def test_783_annotations_in_a_model_with_a_validator_of_its_own() -> None:
    for of, what in (
        (Millis, "unix('ms')"),
        (Annotated[int, at("a/b")], "at('a/b')"),
        (Annotated[bytes, Base64Url], "Base64Url"),
    ):
        class_ = pydantic.create_model("M", __base__=Whole, d=(of, ...))
        with pytest.raises(PlanError) as caught:
            json.decode(b"{}", class_)
        reason = f"pydantic makes M of plain values itself, where {what} has no effect"
        assert str(caught.value) == reason


def test_783_a_mark_that_the_fallback_would_lose() -> None:
    """The type was refused, and then pydantic made it, without the mark."""
    of = dict[str, Annotated[list[Inner], separated("|")]]
    with pytest.raises(PlanError, match=r"field 'd' of M: separated\(\.\.\.\) takes items"):
        Plan(pydantic.create_model("M", d=(of, ...)))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"unix": "ms"}, "unix="),
        ({"times": "iso"}, "times="),
        ({"types": {datetime.datetime: str}}, "the function of types= for datetime"),
    ],
)
def test_784_options_in_what_pydantic_makes(options: Any, what: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(Whole, **options)
    reason = f"pydantic makes Whole of plain values itself, where {what} has no effect"
    assert str(caught.value) == reason
    model = pydantic.create_model("M", d=(Annotated[Inner, AsItIs], ...))
    with pytest.raises(PlanError, match=r"^field 'd' of M: pydantic makes .* has no effect$"):
        Plan(model, **options)


def test_784_renamed_keys_in_what_pydantic_makes() -> None:
    """A key that was not renamed was an absent one, and its default counted."""
    with pytest.raises(PlanError, match=r"makes Whole of plain values itself, where rename= has"):
        Plan(Whole, rename="camel")
    model = pydantic.create_model("M", d=(Annotated[Inner, AsItIs], ...))
    with pytest.raises(PlanError, match=r"where rename= for Inner has no effect$"):
        Plan(model, rename="camel")


def test_784_options_that_concern_nothing_there() -> None:
    plain = pydantic.create_model("M", d=(Annotated[int, AsItIs], ...), day=(datetime.datetime, 0))
    plan = Plan(plain, unix="s", rename="upper", types={Decimal: str})
    made = json.decode(b'{"D": 5, "DAY": 7}', plan)
    assert (made.d, made.day.timestamp()) == (5, 7)


@pytest.mark.parametrize(
    ("of", "text", "value"),
    [
        (Millis, b'{"d":1706788923000}', NOON),
        (Annotated[datetime.date, times("%d.%m.%Y")], b'{"d":"01.02.2024"}', NOON.date()),
        (Annotated[bytes, Hex], b'{"d":"abcd"}', b"\xab\xcd"),
        (Annotated[bytes, Base64Url], b'{"d":"-_8"}', b"\xfb\xff"),
        (Annotated[bytes, Hex] | None, b'{"d":"abcd"}', b"\xab\xcd"),
        (
            Annotated[int, via(lambda it: int(it[1:]), encode=lambda it: f"k{it}")],
            b'{"d":"k5"}',
            5,
        ),
    ],
)
def test_785_forms_in_models_and_root_models_both_ways(of: Any, text: bytes, value: object) -> None:
    """A root model passed over the words beside its type; `Hex` in a model was read and not written."""
    model = pydantic.create_model("M", d=(of, ...))
    root = RootModel[of]  # type: ignore[valid-type]
    assert json.decode(text, model) == model(d=value)
    assert json.encode(model(d=value)) == text
    bare = text.removeprefix(b'{"d":').removesuffix(b"}")
    assert json.decode(bare, root).root == value
    assert json.encode(root(value)) == bare
    for form in (xml, csv):
        written = (
            form.encode([model(d=value)], model) if form is csv else form.encode(model(d=value))
        )  # type: ignore[operator]
        back: Any = form.decode(written, model)  # type: ignore[operator]
        assert back == ([model(d=value)] if form is csv else model(d=value))


def test_785_cells_of_a_root_model() -> None:
    german = Annotated[Decimal, cells(decimal=",", thousands=".")]
    model = pydantic.create_model("M", d=(RootModel[german], ...))
    [made] = csv.decode(b'd\n"1.234,5"\n', model)
    assert made.d.root == Decimal("1234.5")
    assert csv.encode([made]) == b'd\n"1234,5"\n'


def test_786_all_errors_of_what_pydantic_makes() -> None:
    """Each problem is one of its own, at the value of its field."""

    class Sized(BaseModel):
        n: Annotated[int, Gt(5), AsItIs]
        of: list[Annotated[int, Field(lt=3), AsItIs]]
        x: int

    with pytest.raises(ValidationError) as caught:
        json.decode(b'{"n": 1, "of": [1, 4, "a"], "x": 0}', Sized, all_errors=True)
    assert [(problem.path, problem.column) for problem in caught.value.problems] == [
        ("n", 7),
        ("of/1", 20),
        ("of/2", 23),
    ]


def test_786_types_beside_what_pydantic_makes() -> None:
    model = pydantic.create_model("M", d=(Own, ...), e=(Annotated[int, AsItIs], ...))
    made = json.decode(b'{"d": 5, "e": 6}', model, types={Own: via(lambda it: Own(it + 1))})
    assert (made.d.value.value, made.e) == (6, 6)


def test_786_constraints_of_others_in_a_model() -> None:
    """`Meta` at the field itself was passed over, and inside of a list it was obeyed."""
    for of, text in ((Annotated[int, msgspec.Meta(gt=5)], b'{"d":1}'),):
        model = pydantic.create_model("M", d=(of, ...))
        with pytest.raises(ValidationError, match="expected int > 5, got 1"):
            json.decode(text, model)


@dataclasses.dataclass(frozen=True)
class Pair:
    a: int
    b: int | None = None


One = pydantic.create_model("One", a=(int, ...))


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (functools.partial(plist.encode, form="xml"), plist.decode),
        (functools.partial(plist.encode, form="binary"), plist.decode),
        (functools.partial(plist.encode, form="gnustep"), plist.decode),
        (functools.partial(json.encode, omit="none"), json.decode),
        (functools.partial(penstock.plain, omit="defaults"), penstock.make),
        (lambda it: penstock.plain(it, type(it), omit="none"), penstock.make),
    ],
)
def test_787_none_that_is_left_out_decides_for_another_member(write: Any, read: Any) -> None:
    """A property list leaves out None, as `omit=` does, and pydantic made a dict of the rest."""
    of = Pair | dict[Literal["a"] | int, int]
    model = pydantic.create_model("M", d=(of, ...))
    assert json.decode(json.encode(model(d=Pair(1))), model) == model(d=Pair(1))
    assert penstock.make(penstock.plain(model(d=Pair(1))), model) == model(d=Pair(1))
    with pytest.raises(EncodeError, match=r"^d: pydantic would make {'a': 1} of it$"):
        write(model(d=Pair(1)))
    assert read(write(model(d=Pair(1, 2))), model) == model(d=Pair(1, 2))
    both = pydantic.create_model("Both", d=(Pair | One, ...))
    with pytest.raises(EncodeError, match=r"^d: pydantic would make Pair\(a=1, b=None\) of it$"):
        write(both(d=One(a=1)))


def test_788_unions_with_a_validator_that_sees_the_value_first() -> None:
    """What such a field would make of the written text was not asked."""
    model = pydantic.create_model("M", d=(str | Annotated[int, AsItIs], ...))
    assert json.decode(json.encode(model(d=5)), model) == model(d=5)
    with pytest.raises(EncodeError, match="pydantic would make '5' of it"):
        plist.encode(model(d=5), form="openstep")
    with pytest.raises(EncodeError, match="pydantic would make '5' of it"):
        csv.encode([model(d=5)])
    assert plist.decode(plist.encode(model(d="a"), form="openstep"), model) == model(d="a")


def no_three(value: Any) -> Any:
    if value in {3, "c"}:
        raise ValueError("three")
    return value


Checked = Annotated[int, pydantic.AfterValidator(no_three)]
CheckedText = Annotated[str, pydantic.AfterValidator(no_three)]


@pytest.mark.parametrize(
    ("of", "text", "place", "path"),
    [
        (list[Checked], "[1,\n 3 ]", (2, 2), "x/1"),
        (list[CheckedText], '["a",\n "c" ]', (2, 2), "x/1"),
        (Sequence[Checked], "[1,\n 3 ]", (2, 2), "x/1"),
        (deque[Checked], "[1,\n 3 ]", (2, 2), "x/1"),
        (list[Checked] | None, "[1,\n 3 ]", (2, 2), "x/1"),
        (list[Checked | None], "[null,\n 3 ]", (2, 2), "x/1"),
        (list[Checked | datetime.date | None], "[null,\n 3 ]", (2, 2), "x/1/function-after"),
        (dict[str, Checked], '{"a": 1,\n "b": 3 }', (2, 7), "x/b"),
        # Of a key that is no text, its dict is blamed.
        (dict[int, Checked], '{"1": 1,\n "2": 3 }', None, "x/2"),
        (tuple[Checked, ...], "[1,\n 3 ]", (2, 2), "x/1"),
        (tuple[str, Checked], '["a",\n 3 ]', (2, 2), "x/1"),
        (tuple[Checked, str, list[Checked]], '[1, "a",\n [1, 3]]', (2, 6), "x/2/1"),
        (list[list[Checked]], "[[1, 2],\n [1, 3]]", (2, 6), "x/1/1"),
        (list[tuple[str, Checked]], '[["a", 1],\n ["b", 3]]', (2, 8), "x/1/1"),
        (dict[str, list[Checked]], '{"a": [1,\n 3]}', (2, 2), "x/a/1"),
        (dict[str, dict[str, Checked]], '{"a": {"b": 1},\n "c": {"d": 3}}', (2, 13), "x/c/d"),
        (Annotated[list[Checked], pydantic.Field(min_length=1)], "[1,\n 3 ]", (2, 2), "x/1"),
        # Of a set, nobody knows which one it was.
        (set[Checked], "[1,\n 3 ]", (2, 4), "x"),
    ],
)
def test_810_the_place_of_an_item(
    of: Any, text: str, place: tuple[int, int] | None, path: str
) -> None:
    """The item was blamed at the end of its list, and in a set another one."""
    made = pydantic.create_model("made", x=(of, ...), y=(list[Checked], []))
    for before in ('{"y": [1, 2], "x":', '{"x":'):
        for all_errors in (False, True):
            with pytest.raises(ValidationError) as caught:
                json.decode(f"{before}{text}}}", made, all_errors=all_errors)
            error = caught.value
            assert (error.line, error.column) == (place or (1, len(before) + 1))
            # Of a union, pydantic also names the member.
            assert str(error.path).partition("[")[0] == path
            assert error.reason.startswith("Value error, three")
    good = text.replace("3", "4").replace('"c" ]', '"d" ]')
    found = json.decode(f'{{"x":{good}}}', made)
    assert found == made.model_validate_json(f'{{"x":{good}}}')


def test_810_several_items() -> None:
    """Each has its own place, also behind records that were good."""
    made = pydantic.create_model("made", x=(list[Checked], ...), y=(dict[str, CheckedText], {}))
    lines = b'{"x": [1]}\n{"x": [3, 1, 3], "y": {"a": "c", "b": "b"}}\n{"x": [3]}\n'
    reader = penstock.ndjson.read([lines], made, all_errors=True, errors="collect")
    with pytest.raises(ExceptionGroup) as caught:
        list(reader)
    told = [
        (problem.line, problem.column, str(problem.path))
        for error in caught.value.exceptions
        for problem in error.problems  # type: ignore[attr-defined]
    ]
    assert told == [(2, 8, "x/0"), (2, 14, "x/2"), (2, 29, "y/a"), (3, 8, "x/0")]
