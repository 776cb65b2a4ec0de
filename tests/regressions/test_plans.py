"""Bugs in plans that were fixed, as numbered tests. Each docstring describes the bug."""

# ruff: noqa: PYI030, PYI051, UP007 - the unions are written as programs have them

import datetime
import enum
import functools
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NewType, Optional, Union

import annotated_types
import attrs
import msgspec
import pydantic
import pytest
import typing_extensions
from pydantic_core import core_schema

import penstock
from penstock import Plan, PlanError, ValidationError, decode, via

# More digits than a double has.
DIGITS = "0.10000000000000000000000001"

Money = NewType("Money", Decimal)
Fallible = Optional  # an alias, as a text says it


class Amount(Decimal):
    """A subclass, whose values are made as those of its base."""


def rounded(value):  # type: ignore[no-untyped-def] # noqa: ANN001 - it takes anything
    return Decimal(value) + 0


def anything(value: Any) -> "Decimal":
    return value + 0 if isinstance(value, Decimal) else type(value)()  # type: ignore[no-any-return]


def untyped(value):  # type: ignore[no-untyped-def] # noqa: ANN001 - it takes anything
    return value


@pytest.mark.parametrize(
    "converter",
    [
        Decimal,
        Amount,
        Fraction,
        attrs.converters.optional(Decimal),
        attrs.converters.pipe(untyped, Decimal),
        attrs.Converter(rounded),  # type: ignore[misc]
        functools.partial(Decimal, context=None),
        lambda value: Decimal(str(value)),
        rounded,
        anything,
    ],
)
def test_180_a_converter_gets_the_digits_as_they_are_written(converter: Any) -> None:
    """A converter without an annotation got a double, and made a decimal of its 53 bits."""

    @attrs.define
    class Item:
        price: object = attrs.field(converter=converter)

    made = decode(f'{{"price": {DIGITS}}}', Item).price
    assert made == (Fraction(DIGITS) if isinstance(made, Fraction) else Decimal(DIGITS))
    if converter is not attrs.converters.optional:
        assert not isinstance(made, float)


@pytest.mark.parametrize(
    "annotation",
    [Decimal, "Decimal", "Money", "Fallible[Money]", Decimal | None, list[Decimal], "Missing"],
)
def test_180_and_so_does_one_of_a_field_of_decimals(annotation: Any) -> None:
    """If the converter takes anything, the field says what it makes."""
    there: dict[str, Any] = {"price": attrs.field(converter=untyped)}
    cls: Any = type("Item", (), {**there, "__annotations__": {"price": annotation}})
    cls.__module__ = __name__
    made = decode(f'{{"price": {DIGITS}}}', attrs.define(cls)).price
    # A name that only type checkers know says nothing.
    assert made == (0.1 if annotation == "Missing" else Decimal(DIGITS))


@pytest.mark.parametrize("of", [Decimal, Amount, Fraction])
def test_180_the_same_of_via(of: Any) -> None:
    """`via(Decimal)` got a double, too."""
    expected = Fraction(DIGITS) if of is Fraction else Decimal(DIGITS)
    for into in (Annotated[of, via(of)], Annotated[Any, via(of)], Annotated[of, via(untyped)]):
        assert decode(DIGITS, into) == expected
    for make in (of, untyped):
        assert decode(f"[{DIGITS}]", list[of], types={of: make}) == [expected]
    # What is asked for is given.
    assert decode(DIGITS, Annotated[Decimal, via(untyped, float)]) == 0.1  # type: ignore[comparison-overlap]


def test_180_and_of_a_class_that_says_it_itself() -> None:
    """`__penstock__` without an annotation got a double."""

    class Price(Decimal):
        @classmethod
        def __penstock__(cls, value) -> "Price":  # type: ignore[no-untyped-def] # noqa: ANN001
            return cls(value)

    class Cost:
        def __init__(self, value: Decimal) -> None:
            self.value = value

        @classmethod
        def __get_pydantic_core_schema__(cls, *_: object) -> core_schema.CoreSchema:
            inner = core_schema.decimal_schema()
            return core_schema.no_info_after_validator_function(cls, inner)

    assert decode(DIGITS, Price) == Price(DIGITS)
    assert decode(DIGITS, Cost).value == Decimal(DIGITS)


def test_180_functions_of_other_values_get_doubles() -> None:
    """As before."""

    def double(value):  # type: ignore[no-untyped-def] # noqa: ANN001 - it takes anything
        return value * 2.0

    assert decode("0.5", Annotated[float, via(double)]) == 1.0


def test_181_a_member_of_a_union_keeps_its_function() -> None:
    """A function of values of several kinds was lost inside a union."""

    def twice(value: int | str) -> Any:
        return value * 2

    with pytest.raises(PlanError, match="made of values of several kinds, so it cannot be in a"):
        Plan(Annotated[object, via(twice)] | list[int])


class Missing(pydantic.BaseModel):
    pass


@dataclass
class Foreign:
    """An annotation of no library that Penstock knows."""

    text: str


class OfProtocol:
    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler(source)


HERE = "and only works in a class of pydantic; here use via"


@pytest.mark.parametrize(
    ("into", "reason"),
    [
        (Annotated[int, pydantic.AfterValidator(abs)], f"AfterValidator is for pydantic, {HERE}"),
        (Annotated[int, pydantic.BeforeValidator(abs)], f"BeforeValidator is for pydantic, {HERE}"),
        (Annotated[int, pydantic.PlainValidator(abs)], f"PlainValidator is for pydantic, {HERE}"),
        (
            Annotated[int, pydantic.WrapValidator(lambda value, inner: inner(value))],
            f"WrapValidator is for pydantic, {HERE}",
        ),
        (pydantic.UUID4, f"UuidVersion is for pydantic, {HERE}"),
        (pydantic.Base64Str, f"EncodedStr is for pydantic, {HERE}"),
        (pydantic.FilePath, f"PathType is for pydantic, {HERE}"),
        (pydantic.SkipValidation[int], f"SkipValidation is for pydantic, {HERE}"),
        (Annotated[int, pydantic.SkipValidation], f"SkipValidation is for pydantic, {HERE}"),
        (
            Annotated[int, pydantic.GetPydanticSchema(lambda source, inner: inner(source))],
            f"GetPydanticSchema is for pydantic, {HERE}",
        ),
        (Annotated[int, OfProtocol()], f"OfProtocol is for pydantic, {HERE}"),
        (Annotated[int, annotated_types.Gt], "is not known, so it cannot be checked"),
        (Annotated[int, msgspec.Raw()], "msgspec's Raw is not known, so it cannot be checked"),
        (Annotated[int, pydantic.Field(alias="X")], r"alias=\) .*; here use at\('X'\)"),
        (
            Annotated[int, pydantic.Field(validation_alias=pydantic.AliasPath("a", 0))],
            r"Field\(validation_alias=\) only works in a class of pydantic; here use at\(",
        ),
        (Annotated[int, pydantic.Field(default=3)], r"Field\(default=\) only works in a class of"),
        (Annotated[int, pydantic.Field(default_factory=int)], r"Field\(default=\) only works"),
    ],
)
def test_182_annotations_of_pydantics_are_not_ignored(into: Any, reason: str) -> None:
    """Outside of classes of pydantic they said nothing, so that any value was accepted."""
    for whole in (into, list[into], dict[str, into]):
        with pytest.raises(PlanError, match=reason):
            Plan(whole)
    for make in (dataclass, attrs.define):
        cls: Any = type("Item", (), {"__annotations__": {"value": into}})
        with pytest.raises(PlanError, match=f"field 'value' of Item: .*{reason}"):
            Plan(make(cls))


@pytest.mark.parametrize(
    "word",
    [
        Foreign("a"),
        Foreign,
        "a remark",
        7,
        pydantic.PlainSerializer(str),
        pydantic.WithJsonSchema({}),
        pydantic.Strict(),
        pydantic.Field(title="n", description="a number"),
        msgspec.Meta(title="n", description="a number"),
        annotated_types.Unit("m"),
    ],
)
def test_182_other_annotations_are(word: Any) -> None:
    """An annotation that says nothing of values, or that no known library reads, is ignored."""
    assert decode("[1]", list[Annotated[int, word]]) == [1]  # type: ignore[valid-type]


def test_182_classes_of_pydantic_obey_them_themselves() -> None:
    """In a model, pydantic applies them, and Penstock the constraints that it knows."""

    class Model(pydantic.BaseModel):
        doubled: list[
            Annotated[int, pydantic.AfterValidator(lambda value: value * 2), annotated_types.Gt(2)]
        ]
        small: list[Annotated[int, annotated_types.Lt(9)]] = []

    # The bound is for the doubled value.
    assert decode('{"doubled": [2, 3]}', Model).doubled == [4, 6]
    with pytest.raises(ValidationError, match="Input should be greater than 2") as caught:
        decode('{"doubled": [2, 1]}', Model)
    assert caught.value.path == "doubled/1"
    with pytest.raises(ValidationError, match="expected int, got a string"):
        decode('{"doubled": ["2"]}', Model)
    with pytest.raises(ValidationError, match="expected int < 9, got 9"):
        decode('{"doubled": [], "small": [9]}', Model)


BYTES = ["YWJj", "6162", "-_8=", "-_8", "+/8=", "é", "6G", ""]


@pytest.mark.parametrize("form", [None, "utf8", "hex", "base64"])
@pytest.mark.parametrize("text", BYTES)
def test_183_bytes_of_a_model_are_those_that_pydantic_makes(form: Any, text: str) -> None:
    """`val_json_bytes` was ignored: other bytes came out."""
    config = pydantic.ConfigDict() if form is None else pydantic.ConfigDict(val_json_bytes=form)

    class Model(pydantic.BaseModel):
        model_config = config
        one: bytes
        more: list[bytes | None] = []

    class Root(pydantic.RootModel[list[bytes]]):
        model_config = config

    @pydantic.dataclasses.dataclass(config=config)
    class Data:
        one: bytes

    def result(make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (ValidationError, pydantic.ValidationError):
            return None

    for into, data in [
        (Model, f'{{"one": "{text}", "more": ["{text}", null]}}'),
        (Root, f'["{text}"]'),
        (Data, f'{{"one": "{text}"}}'),
    ]:
        adapter = pydantic.TypeAdapter(into)
        expected = result(lambda: adapter.validate_json(data))  # noqa: B023 - called at once
        assert result(lambda: decode(data, into)) == expected  # noqa: B023 - called at once


def test_183_bytes_elsewhere_are_base64() -> None:
    """One annotation may stand in models of different settings, and outside of them."""
    several = list[bytes]

    class AsHex(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(val_json_bytes="hex")
        data: several  # type: ignore[valid-type]

    class AsText(pydantic.BaseModel):
        data: several  # type: ignore[valid-type]
        as_hex: Annotated[bytes, penstock.Hex] = b""

    @dataclass
    class All:
        data: several  # type: ignore[valid-type]
        as_hex: AsHex
        as_text: AsText
        root: pydantic.RootModel[several]  # type: ignore[valid-type]

    inner = '{"data": ["6162"], "as_hex": "6162"}'
    got = decode(
        f'{{"data": ["6162"], "as_hex": {inner}, "as_text": {inner}, "root": ["6162"]}}', All
    )
    assert got.data == [b"\xeb^\xb6"]
    assert got.as_hex.data == [b"ab"]
    assert (got.as_text.data, got.as_text.as_hex) == ([b"6162"], b"ab")
    assert got.root.root == [b"6162"]


@pytest.mark.parametrize("mode", ["before", "wrap", "plain"])
def test_184_a_pydantic_dataclass_with_a_validator_that_sees_the_value_first(mode: Any) -> None:
    """It raised `TypeError: string indices must be integers`."""

    def seen(value: Any) -> Any:
        return Decimal(str(value))

    def around(value: Any, inner: Any) -> Any:
        return inner(str(value))

    @pydantic.dataclasses.dataclass
    class Price:
        amount: Decimal
        count: int = 0
        checked = pydantic.field_validator("amount", mode=mode)(around if mode == "wrap" else seen)

    class Model(pydantic.BaseModel):
        price: Price

    data = f'{{"amount": {DIGITS}, "count": 2}}'
    assert decode(data, Price) == Price(Decimal(DIGITS), 2)
    assert decode(f'{{"price": {data}}}', Model).price == Price(Decimal(DIGITS), 2)


class Part(pydantic.BaseModel):
    count: int = pydantic.Field(gt=0)


class Whole(pydantic.BaseModel):
    name: str = pydantic.Field(max_length=1, alias="Name")
    size: int = pydantic.Field(default=1, gt=0)
    parts: list[Part] = []
    depth: Annotated[int, penstock.at("at/depth"), pydantic.Field(gt=0)] = 1


@pydantic.dataclasses.dataclass
class Pair:
    one: int = pydantic.Field(gt=0)
    two: int = pydantic.Field(gt=0)


POSITIVE = "Input should be greater than 0"
TWO_FAULTS: list[tuple[str, Any, list[tuple[int, int, str, str]]]] = [
    (
        '{"size": 0, "at": {"depth": 0},\n "Name": "ab"}',
        Whole,
        [
            (1, 10, "size", POSITIVE),
            (1, 29, "at/depth", POSITIVE),
            (2, 10, "Name", "String should have at most 1 character"),
        ],
    ),
    (
        '{"Name": "a",\n "parts": [{"count": 0}, {"count": 1}, {"count": 0}]}',
        Whole,
        [(2, 22, "parts/0/count", POSITIVE), (2, 50, "parts/2/count", POSITIVE)],
    ),
    (
        '[{"one": 0, "two": 0},\n {"one": 1, "two": 1}, {"two": 0, "one": 1}]',
        list[Pair],
        [
            (1, 10, "0/one", POSITIVE),
            (1, 20, "0/two", POSITIVE),
            (2, 32, "2/two", POSITIVE),
        ],
    ),
    (
        "[[0, 1],\n [0]]",
        list[pydantic.RootModel[list[Annotated[int, pydantic.Field(gt=0)]]]],
        [(1, 3, "0/0", "expected int > 0, got 0"), (2, 3, "1/0", "expected int > 0, got 0")],
    ),
]


@pytest.mark.parametrize(("data", "into", "expected"), TWO_FAULTS)
def test_185_each_fault_of_a_model_has_its_own_place(data: str, into: Any, expected: Any) -> None:
    """They were one problem, at the end of the object, with "(and 1 more problem)"."""
    plan = Plan(into)
    for given in (lambda: data, lambda: [bytes([byte]) for byte in data.encode()]):
        way = penstock.json.load if isinstance(given(), list) else decode
        with pytest.raises(ValidationError) as caught:
            way(given(), plan, all_errors=True)  # type: ignore[operator]
        found = [(p.line, p.column, p.path, p.reason) for p in caught.value.problems]
        assert found == expected
    # Without the option, the first one is at its value, too.
    with pytest.raises(ValidationError) as caught:
        decode(data, plan)
    assert (caught.value.line, caught.value.column, caught.value.path) == expected[0][:3]


def test_185_a_fault_of_no_single_value_is_one_of_the_object() -> None:
    """It is at the end of the object, and so is a field that pydantic alone requires."""

    class Range(pydantic.BaseModel):
        first: int
        last: int = pydantic.Field(validation_alias=pydantic.AliasChoices("last", "end"))

        @pydantic.model_validator(mode="after")
        def ordered(self) -> "Range":
            if self.last < self.first:
                raise ValueError("it ends before it begins")
            return self

    # The one before has the value, and the next one has none in its place.
    data = '[{"first": 1, "end": 2},\n {"first": 2, "last": 1},\n {"first": 2}]'
    with pytest.raises(ValidationError) as caught:
        decode(data, list[Range], all_errors=True)
    assert [(p.line, p.column, p.path, p.reason) for p in caught.value.problems] == [
        (2, 24, "1", "Value error, it ends before it begins"),
        (3, 13, "2", 'Field required: "last"'),
    ]


def test_185_a_value_of_a_model_that_sees_it_first_has_several_faults() -> None:
    """They are told one by one, where the value stands."""

    class Model(pydantic.BaseModel):
        one: int
        two: int

        @pydantic.model_validator(mode="before")
        @classmethod
        def seen(cls, value: Any) -> Any:
            return value

    with pytest.raises(ValidationError) as caught:
        decode('[{"one": "a", "two": []}]', list[Model], all_errors=True)
    assert [(p.path, p.reason.partition(",")[0]) for p in caught.value.problems] == [
        ("0/one", "Input should be a valid integer"),
        ("0/two", "Input should be a valid integer"),
    ]


def test_185_the_same_of_elements() -> None:
    """In XML, each problem is at its element or attribute."""
    data = "<w Name='ab'>\n<size>0</size><parts><count>0</count></parts></w>"

    class Element(pydantic.BaseModel):
        name: Annotated[str, penstock.at("@Name"), pydantic.Field(max_length=1)]
        size: int = pydantic.Field(gt=0)

    with pytest.raises(ValidationError) as caught:
        penstock.xml.decode(data, Element, all_errors=True)
    assert [(p.line, p.column, p.path) for p in caught.value.problems] == [
        (1, 9, "w/@Name"),
        (2, 1, "w/size"),
    ]


@pytest.mark.parametrize("strict", [False, True])
def test_186_json_inside_json(strict: bool) -> None:
    """A model with `Json` always failed, because the text was decoded twice."""

    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(strict=strict)
        plain: pydantic.Json
        typed: pydantic.Json[list[int]]
        several: list[pydantic.Json] = []

    made = decode(r'{"plain": "{\"a\": [1]}", "typed": "[1]", "several": ["1", "[]"]}', Model)
    assert (made.plain, made.typed, made.several) == ({"a": [1]}, [1], [1, []])


def test_186_and_outside_of_models() -> None:
    """`Json[list[int]]` was a list, and the text did not fit."""

    @dataclass
    class Row:
        data: pydantic.Json[list[int]]  # type: ignore[type-var]

    assert decode('["[1, 2]"]', list[pydantic.Json[list[int]]]) == [[1, 2]]
    assert decode('["[1, 2]"]', list[pydantic.Json]) == [[1, 2]]
    assert decode('{"data": "[3]"}', Row) == Row([3])
    with pytest.raises(ValidationError, match="Input should be a valid integer"):
        decode('"[null]"', pydantic.Json[list[int]])
    with pytest.raises(ValidationError, match="expected list"):
        decode("[1]", pydantic.Json[list[int]])


def test_186_a_type_of_a_model_is_made_once() -> None:
    """What only pydantic can make was made before the model saw it, and then once more."""

    class Cost:
        def __init__(self, value: Decimal) -> None:
            self.value = value

        @classmethod
        def __get_pydantic_core_schema__(cls, *_: object) -> core_schema.CoreSchema:
            inner = core_schema.decimal_schema()
            return core_schema.no_info_after_validator_function(cls, inner)

    class Model(pydantic.BaseModel):
        cost: Cost
        more: list[Cost] = []

    made = decode(f'{{"cost": {DIGITS}, "more": [1, {DIGITS}]}}', Model)
    assert made.cost.value == Decimal(DIGITS)
    assert [cost.value for cost in made.more] == [1, Decimal(DIGITS)]


class Mixed(enum.Enum):
    FLOAT = 1.5
    TEXT = "b"
    LARGE = 1 << 63
    NOTHING = None
    DAY = datetime.date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("1.5", Mixed.FLOAT),
        ('"b"', Mixed.TEXT),
        ("9223372036854775808", Mixed.LARGE),
        ("null", Mixed.NOTHING),
        ('"2026-03-01"', Mixed.DAY),
    ],
)
def test_187_an_enum_of_values_of_several_types(text: str, member: Mixed) -> None:
    """A float, or a large integer, among other values was a `PlanError`."""
    assert decode(text, Mixed) is member
    assert decode(f"[{text}]", list[Mixed]) == [member]


@pytest.mark.parametrize("text", ["2.5", '"c"', "1", "true", "[]", '"2026-03-02"'])
def test_187_and_no_other_values(text: str) -> None:
    """Only the values of members fit."""
    with pytest.raises(ValidationError, match="expected Mixed"):
        decode(text, Mixed)


def test_188_a_model_whose_init_takes_more_than_its_fields() -> None:
    """They were not passed."""

    class Model(pydantic.BaseModel):
        x: int
        _y: Any = pydantic.PrivateAttr(None)

        def __init__(self, x: int, y: "list[int]", z: int = 3, _hidden: int = 0) -> None:
            super().__init__(x=x)
            self._y = (y, z, _hidden)

    assert decode('{"x": 1, "y": [2], "_hidden": 9}', Model)._y == ([2], 3, 0)
    with pytest.raises(ValidationError, match="expected int, got a string"):
        decode('{"x": 1, "y": ["2"]}', Model)
    with pytest.raises(ValidationError, match='Model lacks the required key "y"'):
        decode('{"x": 1}', Model)


def test_188_paths_of_a_strict_model() -> None:
    """`os.PathLike` was refused."""

    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(strict=True)
        path: os.PathLike[str]

    data = '{"path": "a/b"}'
    assert decode(data, Model) == Model.model_validate_json(data)
    assert decode('["a/b"]', list[os.PathLike]) == [pathlib.PurePath("a/b")]  # type: ignore[type-arg, comparison-overlap]


def test_188_small_wrappers() -> None:
    """`Final[int]` and a bare `Optional` were `PlanError`s."""
    into: Any = Final[int]
    assert decode("1", into) == 1
    with pytest.raises(ValidationError, match="expected int"):
        decode('"1"', into)
    for anything in (Optional, Final):
        assert decode("[1, null]", list[anything]) == [1, None]  # type: ignore[valid-type]


def test_188_none_is_a_type_for_a_part() -> None:
    """`to(None)` gave plain values, where `decode` refuses them."""
    assert penstock.open(b"null").to(None) is None  # type: ignore[call-overload]
    with pytest.raises(ValidationError, match="expected None, got the integer 1"):
        penstock.open(b"1").to(None)  # type: ignore[call-overload]
    assert penstock.open(b"[1]").to() == [1]


def test_188_a_struct_that_is_not_complete() -> None:
    """Its plan was an `AttributeError` of msgspec's."""
    told = []

    class Base(msgspec.Struct):
        def __init_subclass__(cls, **settings: Any) -> None:
            with pytest.raises(PlanError) as caught:
                Plan(list[cls])  # type: ignore[valid-type]
            told.append(str(caught.value))

    class Inner(Base):
        size: int

    reason = "is not complete: msgspec tells its fields once __init_subclass__ has returned"
    assert told == [f"Inner {reason}"]
    assert decode('{"size": 1}', Inner) == Inner(1)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@pytest.mark.parametrize(
    ("into", "fits", "other"),
    [
        (Union[Literal[1], Literal[2]], [("1", 1), ("2", 2)], "3"),
        (
            Union[Literal[1, "a"], None, Literal[True]],
            [("1", 1), ("true", True), ("null", None)],
            "0",
        ),
        (Literal["a"] | Literal["b"] | int, [('"b"', "b"), ("7", 7)], '"c"'),
        (Literal[1] | int, [("1", 1), ("7", 7)], "1.5"),
        (int | Literal[1, "auto"], [("7", 7), ('"auto"', "auto")], '"other"'),
        (Literal[True] | bool | None, [("true", True), ("false", False), ("null", None)], "1"),
        (Level | int, [("1", Level.LOW), ("7", 7)], '"1"'),
        (int | Level | None, [("2", Level.HIGH), ("7", 7), ("null", None)], "1.5"),
    ],
)
def test_189_a_literal_or_an_enum_beside_others(into: Any, fits: Any, other: str) -> None:
    """Nothing told them apart, although the values themselves do."""
    for text, value in fits:
        got = decode(text, into)
        assert (got, type(got)) == (value, type(value))
    with pytest.raises(ValidationError):
        decode(other, into)


def test_189_a_union_of_literals_tells_classes_apart() -> None:
    """The field was no tag."""

    @dataclass
    class One:
        kind: Literal["a"] | Literal["b"]

    @dataclass
    class Two:
        kind: Literal["c"]

    assert decode('[{"kind": "b"}, {"kind": "c"}]', list[One | Two]) == [One("b"), Two("c")]


@dataclass
class Sparse:
    size: int | None
    name: str
    id: Annotated[str | None, penstock.at("@id")]
    inner: "Sparse | None"
    tags: list[str] | None = None
    last: int | None = 7


def test_190_an_absent_element_is_none() -> None:
    """A field of `int | None` was required in XML, so that it needed a default."""
    read = penstock.xml.decode
    assert read("<s><name>a</name></s>", Sparse) == Sparse(None, "a", None, None)
    full = "<s id='i'><size>1</size><name>a</name><inner><name>b</name></inner><last/></s>"
    with pytest.raises(ValidationError, match="expected int"):
        read(full, Sparse)
    inner = Sparse(None, "b", None, None)
    assert read(full.replace("<last/>", ""), Sparse) == Sparse(1, "a", "i", inner)
    with pytest.raises(ValidationError, match=r"lacks the required element or attribute .name."):
        read("<s/>", Sparse)
    # In JSON, a value that is not there is not null.
    with pytest.raises(ValidationError, match='lacks the required key "size"'):
        decode('{"name": "a", "@id": null, "inner": null}', Sparse)


def test_191_what_validators_of_attrs_say() -> None:
    """Their messages ended in the whole attribute."""

    @attrs.define
    class Item:
        size: int = attrs.field(validator=attrs.validators.instance_of(str))
        name: str = attrs.field(default="a", validator=attrs.validators.in_(["a"]))

    with pytest.raises(ValidationError) as caught:
        decode('{"size": 1}', Item)
    expected = "TypeError: 'size' must be <class 'str'> (got 1 that is a <class 'int'>)."
    assert caught.value.reason == expected


class Closed(typing_extensions.TypedDict, closed=True):
    a: int


class ClosedBelow(Closed):
    pass


class NoMore(typing_extensions.TypedDict, extra_items=typing_extensions.Never):
    a: int


class Extra(typing_extensions.TypedDict, extra_items=int):
    a: int


class ExtraBelow(Extra):
    b: int


class Open(typing_extensions.TypedDict, closed=False):
    a: int


def test_194_a_closed_dict_refuses_other_keys() -> None:
    """They were dropped, whatever the class says of them."""
    for closed in (Closed, ClosedBelow, NoMore):
        assert decode('{"a": 1}', closed) == {"a": 1}
        with pytest.raises(ValidationError, match='has no field for the key "b"') as caught:
            decode('{"a": 1, "b": 2}', closed)
        assert caught.value.column == 10
    assert decode('{"a": 1, "b": 2}', Open) == {"a": 1}
    for extra in (Extra, ExtraBelow):
        with pytest.raises(PlanError, match="extra_items=int is not supported yet"):
            Plan(extra)


@pytest.mark.parametrize(
    "into",
    [
        Annotated[int, annotated_types.Ge(0)] | float,
        float | Annotated[int, annotated_types.Ge(0)],
    ],
)
def test_195_a_constraint_of_a_number_in_text(into: Any) -> None:
    """Text with an integer that breaks the constraint of `int` became a `float`."""
    lax = Plan(into, strict=False)
    assert (decode('"1"', lax), type(decode('"1"', lax))) == (1, int)
    assert decode('"1.5"', lax) == 1.5
    for read in (lambda: decode('"-1"', lax), lambda: penstock.xml.decode("<x>-1</x>", into)):
        with pytest.raises(ValidationError, match="expected int >= 0, got -1"):
            read()
    # Text is what is left, in XML.
    either: Any = Annotated[int, annotated_types.Ge(0)] | str
    assert penstock.xml.decode("<x>-1</x>", either) == "-1"


def test_180_a_text_that_is_no_decimal_does_not_fit() -> None:
    """`Decimal` refuses it with an `ArithmeticError`, which left the call as it was."""
    with pytest.raises(ValidationError, match="InvalidOperation") as caught:
        decode('[1.5, "x"]', list[Annotated[Decimal, via(Decimal)]])
    assert (caught.value.path, caught.value.column) == ("1", 7)


def test_180_keys_for_a_function_are_text() -> None:
    """A key has all its digits already."""
    amount = Annotated[Decimal, via(Decimal)]
    assert decode(f'{{"{DIGITS}": {DIGITS}}}', dict[amount, amount]) == {  # type: ignore[valid-type]
        Decimal(DIGITS): Decimal(DIGITS)
    }
