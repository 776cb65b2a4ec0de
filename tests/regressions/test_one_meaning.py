"""Types that were read in one way and written in another, as numbered tests. Each docstring describes the fault."""

# ruff: noqa: UP007, PYI051 - both orders of a union; a Literal beside a str is a case

import collections
import dataclasses
import datetime
import enum
import fractions
import io
import ipaddress
import itertools
import pathlib
import typing
import uuid
import zoneinfo
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeVar, Union

import attrs
import msgspec
import pyarrow
import pydantic
import pytest

import penstock
from penstock import (
    Base64Url,
    EncodeError,
    Hex,
    PlanError,
    at,
    cells,
    csv,
    json,
    ndjson,
    plist,
    separated,
    tag,
    times,
    unix,
    xml,
)

GERMAN = cells(decimal=",", thousands=".")
DAY = datetime.date(2024, 2, 1)
NOON = datetime.datetime(2024, 2, 1, 12, tzinfo=datetime.UTC)
SEMICOLON = csv.Dialect(";")
MEMBERS: list[tuple[Any, dict[str, Any]]] = [
    (penstock.json, {}),
    (plist, {"form": "xml"}),
    (plist, {"form": "binary"}),
    (plist, {"form": "gnustep"}),
]


def row(of: Any, *default: Any) -> Any:
    return dataclasses.make_dataclass(
        "Row", [("v", of, *default), ("w", int, dataclasses.field(default=1))]
    )


def refused(write: Any) -> str:
    with pytest.raises(EncodeError) as caught:
        write()
    return str(caught.value)


def unplanned(into: Any) -> str:
    with pytest.raises(PlanError) as caught:
        penstock.Plan(into)
    return str(caught.value)


@pytest.mark.parametrize(
    "of",
    [
        Annotated[Decimal, GERMAN] | Literal["n/a"],
        Annotated[Decimal, GERMAN] | Literal["n/a"] | None,
        Annotated[Decimal | Literal["n/a"], GERMAN],
        Annotated[Decimal, GERMAN] | str,
    ],
)
def test_600_cells_on_a_member_and_around_a_union(of: Any) -> None:
    """The mark of a member was dropped in reading, that of the union in writing: 1.234 was read as 1.234."""
    cls = row(of)
    for value in (Decimal(1234), Decimal("1.5")):
        assert csv.decode(csv.encode([cls(value)], dialect=SEMICOLON), cls, dialect=SEMICOLON) == [
            cls(value)
        ]
        assert xml.decode(xml.encode(cls(value)), cls) == cls(value)
    assert csv.decode("v;w\n1.234;1\n", cls, dialect=SEMICOLON)[0].v == Decimal(1234)
    assert csv.decode("v;w\nn/a;1\n", cls, dialect=SEMICOLON)[0].v == "n/a"


@pytest.mark.parametrize(
    ("of", "value", "text"),
    [
        (Annotated[datetime.date | Literal["never"], times("%d.%m.%Y")], DAY, b"01.02.2024"),
        (Annotated[datetime.datetime | Literal["never"], unix("s")], NOON, b"1706788800"),
        (Annotated[bytes | int, Hex], b"\xab", b"ab"),
    ],
)
def test_601_other_marks_around_a_union(of: Any, value: Any, text: bytes) -> None:
    """`times`, `unix` and `Hex` were refused around a union, or had no effect in one direction."""
    cls = row(of)
    written = penstock.json.encode(cls(value))
    assert text in written
    assert penstock.json.decode(written, cls) == cls(value)


def test_601_a_mark_that_fits_no_member_is_refused() -> None:
    assert unplanned(Annotated[int | str, Hex]) == "Hex is only for bytes"
    assert unplanned(Annotated[int | str, unix("s")]) == "unix(...) is only for a datetime"


class Old(enum.StrEnum):
    OPEN = "open"
    NEW_YEAR = "2024-01-01"


class New(enum.StrEnum):
    OPEN = "open"


European = Annotated[datetime.date, times("%d/%m/%Y")]
American = Annotated[datetime.date, times("%m/%d/%Y")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (European, American),
        (Annotated[datetime.date, times("iso")], Annotated[datetime.datetime, times("iso")]),
        (Old, New),
        (Literal["open"], New),
        (ipaddress.IPv4Address, ipaddress.IPv4Network),
        (ipaddress.IPv6Address, ipaddress.IPv6Interface),
        (fractions.Fraction, complex),
    ],
)
def test_602_members_that_take_the_same_text(one: Any, other: Any) -> None:
    """The order of the members decided, and for equal unions the one that the process had planned first."""
    for pair in itertools.permutations((one, other)):
        assert "nothing tells them apart in a string, both take" in unplanned(row(Union[pair]))


@pytest.mark.parametrize("pair", list(itertools.permutations((Old, datetime.date))))
def test_602_values_come_before_forms(pair: Any) -> None:
    of = Union[pair]
    assert penstock.decode('"2024-01-01"', of) is Old.NEW_YEAR
    assert penstock.decode('"2024-01-02"', of) == datetime.date(2024, 1, 2)
    day = datetime.date(2024, 1, 1)
    assert (
        refused(lambda: penstock.json.encode([day], list[of]))
        == "[0]: its text would be read back as Old"
    )


class Person(TypedDict):
    name: str


class Firm(TypedDict):
    firm: str


class CatKeys(TypedDict):
    kind: Literal["cat"]
    lives: int


class DogKeys(TypedDict):
    kind: Literal["dog"]
    tricks: int


@pytest.mark.parametrize(("module", "options"), MEMBERS)
def test_603_a_union_of_typed_dicts(module: Any, options: Any) -> None:
    """One of them was taken for every dict, and only its keys were written."""
    rows: list[Any] = [{"name": "Ada"}, {"firm": "XY"}]
    assert (
        module.decode(module.encode(rows, list[Person | Firm], **options), list[Person | Firm])
        == rows
    )
    pets: list[Any] = [{"kind": "cat", "lives": 9}, {"kind": "dog", "tricks": 2}]
    assert (
        module.decode(
            module.encode(pets, list[CatKeys | DogKeys], **options), list[CatKeys | DogKeys]
        )
        == pets
    )
    for wrong in ({}, {"name": "Ada", "firm": "XY"}, {"name": "Ada", "x": 1}):
        with pytest.raises(EncodeError, match="expected Person"):
            module.encode([wrong], list[Person | Firm], **options)


def test_603_a_dict_without_a_required_key_or_with_another_one() -> None:
    assert (
        refused(lambda: penstock.json.encode({}, Person))
        == "name: the dict lacks the key, which the class requires"
    )
    wrong = {"name": "Ada", "age": 1}
    assert refused(lambda: penstock.json.encode(wrong, Person)) == "Person has no key 'age'"
    of = list[Person | Firm | dict[str, Any]]
    assert refused(lambda: penstock.json.encode([{"firm": 1, "x": 1}], of)) == (
        "[0]: the dict would be read back as Firm"
    )
    assert penstock.json.encode([{"x": 1}], of) == b'[{"x":1}]'


@dataclasses.dataclass
class Deposit:
    amount: int
    kind: Literal["deposit"] = "deposit"


@dataclasses.dataclass
class Withdrawal:
    amount: int
    kind: Literal["withdrawal"] = "withdrawal"


@attrs.define
class Cat:
    lives: int
    kind: Literal["cat"] = "cat"


@attrs.define
class Dog:
    name: str
    kind: Literal["dog"] = "dog"


@pytest.mark.parametrize(("module", "options"), [*MEMBERS, (ndjson, {})])
@pytest.mark.parametrize(
    ("values", "of"),
    [
        ([Deposit(5), Withdrawal(5)], Deposit | Withdrawal),
        ([Deposit(5)], Deposit | Withdrawal | dict),
        ([Cat(9), Dog("Rex")], Cat | Dog),
    ],
)
def test_604_defaults_that_tell_the_class(module: Any, options: Any, values: Any, of: Any) -> None:
    """`omit="defaults"` left out the Literal by which the classes are told apart."""
    into = of if module is ndjson else list[of]
    text = module.encode(values, into, omit="defaults", **options)
    assert module.decode(text, into) == values


def test_605_keys_of_dicts() -> None:
    """The marks of a key held in reading alone, and `"5"` of a `str | int` was read back as 5."""
    for of, value in (
        (European, DAY),
        (Annotated[datetime.datetime, unix("s")], NOON),
        (Annotated[bytes, Hex], b"\xab"),
        (Annotated[bytes, Base64Url], b"\xfb\xff"),
        (bytes, b"\xfb\xff"),
        (str | int, 5),
        (str | int, "a"),
        (Old, Old.NEW_YEAR),
    ):
        for module in (penstock.json, plist, xml):
            into = row(dict[of, int])
            try:
                text = module.encode(into({value: 1}))
            except EncodeError:
                assert module is xml  # no name of an element
                continue
            back = module.decode(text, into).v
            assert back == {value: 1}
            assert [type(key) for key in back] == [type(value)]
    assert refused(lambda: penstock.json.encode({"5": 1}, dict[str | int, int])) == (
        "['5']: its text would be read back as int"
    )
    assert (
        refused(lambda: penstock.json.encode({"5": 1}, dict[int, int]))
        == "['5']: expected int, got str"
    )


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Place:
    name: str


@pytest.mark.parametrize(("module", "options"), MEMBERS)
def test_606_a_named_tuple_beside_a_class(module: Any, options: Any) -> None:
    """It was written as an array, and only read as an object."""
    for of, value in (
        (Point | Place, Point(1, 2)),
        (Point | list[int], Point(1, 2)),
        (Point | list[int], [1, 2]),
    ):
        into = row(of)
        back = module.decode(module.encode(into(value), **options), into)
        assert back == into(value)
        assert type(back.v) is type(value)


def test_607_paths_and_root_models_in_unions() -> None:
    """They could be read, and not written: the value of a `Path | int` is a `PosixPath`."""

    class Root(pydantic.RootModel[int]):
        pass

    class Model(pydantic.BaseModel):
        value: str

    for of, value in (
        (pathlib.Path | int, pathlib.Path("/x")),
        (Model | Root, Root(1)),
        (fractions.Fraction | int, fractions.Fraction(1, 2)),
    ):
        into = row(of)
        assert penstock.json.decode(penstock.json.encode(into(value)), into) == into(value)


def test_608_an_enum_with_values_of_other_types() -> None:
    """It was read, and "expected Ratio, got Ratio" when it was written."""

    class Ratio(enum.Enum):
        HALF = 0.5
        ONE = 1

    class Day(enum.Enum):
        NEW_YEAR = datetime.date(2026, 1, 1)

    for value, text in ((Ratio.HALF, b"0.5"), (Ratio.ONE, b"1"), (Day.NEW_YEAR, b'"2026-01-01"')):
        assert penstock.json.encode(value, type(value)) == text
        assert penstock.json.decode(text, type(value)) is value


@pytest.mark.parametrize(
    ("value", "of"),
    [
        ("10.0.0.1", ipaddress.IPv4Address | str),
        ("1", fractions.Fraction | str),
        (pathlib.PurePath("2026-03-01"), datetime.date | pathlib.PurePath),
        (Decimal(1), Decimal | Literal[1, 2]),
        (datetime.date(2026, 3, 1), Literal["2026-03-01"] | datetime.date),
    ],
)
@pytest.mark.parametrize(("module", "options"), MEMBERS)
def test_609_a_value_that_is_read_as_another_member(
    module: Any, options: Any, value: Any, of: Any
) -> None:
    """Only a `str` before a date was refused."""
    assert "its text would be read back as" in refused(
        lambda: module.encode([value], list[of], **options)
    )


def test_609_bytes() -> None:
    of = list[Literal["YWJj"] | bytes]
    assert refused(lambda: penstock.json.encode([b"abc"], of)) == (
        "[0]: its text would be read back as Literal['YWJj']"
    )
    # A property list has a type for them.
    assert plist.decode(plist.encode([b"abc"], of), of) == [b"abc"]


def test_609_numbers_that_an_option_writes_as_text() -> None:
    assert refused(
        lambda: penstock.json.encode([Decimal("1.5")], list[Decimal | str], decimals="text")
    ) == ("[0]: its text would be read back as str")
    assert refused(lambda: penstock.json.encode([2**60], list[int | str], large_ints="text")) == (
        "[0]: its text would be read back as str"
    )
    assert (
        penstock.json.encode([2**50], list[int | str], large_ints="text") == b"[1125899906842624]"
    )


@pytest.mark.parametrize(
    ("form", "value", "of"),
    [
        ("gnustep", "007", int | str),
        ("gnustep", "NaN", float | str),
        ("openstep", 1, Literal[1, "1"]),
        ("openstep", "true", bool | str),
    ],
)
def test_610_the_text_forms_of_property_lists(form: str, value: Any, of: Any) -> None:
    """Text became a number or a bool."""
    assert "its text would be read back as" in refused(
        lambda: plist.encode({"v": value}, dict[str, of], form=form)
    )


def test_611_null_words() -> None:
    """A value whose text is one of its own null words was read back as None, or as the default."""
    for of, value, *default in (
        (Annotated[int | None, cells(null=("-999",))], -999),
        (Annotated[float | None, cells(null=("NaN",))], float("nan")),
        (Annotated[bool | None, cells(null=("false",))], False),
        (Annotated[int, cells(null=("-1",))], -1, dataclasses.field(default=5)),
        (Annotated[str, cells(null=("NA",))], "NA", dataclasses.field(default="x")),
        (Annotated[list[int | None], separated(";"), cells(null=("0",))], [0, 1]),
    ):
        cls = row(of, *default)
        for write in (
            lambda cls=cls, value=value: csv.encode([cls(value)]),
            lambda cls=cls, value=value: xml.encode(cls(value)),
        ):
            assert "would be read" in refused(write)
    required = row(Annotated[int, cells(null=("-1",))])
    assert csv.decode(csv.encode([required(-1)]), required) == [required(-1)]


def test_612_decimals_in_separated() -> None:
    """They were written with an exponent, which no reader takes."""
    cls = row(Annotated[list[Decimal], separated(" ")])
    for value in ("1E+3", "-2.50E-9", "0E+2", "1.25E+1", "-0.5"):
        whole = cls([Decimal(value)])
        assert csv.decode(csv.encode([whole]), cls) == [whole]
        assert xml.decode(xml.encode(whole), cls) == whole


def test_613_none_of_a_literal_in_xml() -> None:
    """It was written as an empty element, which is another value."""
    for of in (Literal["a", None], Literal["a", None] | int, Literal["a", None] | str):
        cls = row(of)
        assert xml.decode(xml.encode(cls(None)), cls) == cls(None)


def test_614_a_part_of_which_all_is_none() -> None:
    """In CSV, it was read back as None, or as the default of its field."""

    @dataclasses.dataclass
    class Size:
        width: int | None = None
        height: int | None = None

    optional, with_default = (
        row(Size | None),
        row(Size, dataclasses.field(default_factory=lambda: Size(5))),
    )
    for cls in (optional, with_default):
        assert refused(lambda cls=cls: csv.encode([cls(Size())])) == (
            "v.height: 'v' has no value in any of its columns: it would be read back as no object (record 1)"
        )
        whole = cls(Size(None, 3))
        assert csv.decode(csv.encode([whole]), cls) == [whole]
    assert csv.decode(csv.encode([optional(None)]), optional) == [optional(None)]


def test_615_objects_with_more_state_than_is_written() -> None:
    """A `time` lost its zone; a class derived from `datetime` is written by the fields of that."""

    class Never(datetime.datetime):
        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = datetime.datetime.__hash__

    never = Never(1, 1, 1)
    for write in (
        lambda: penstock.json.encode([never]),
        lambda: penstock.json.encode([never], list[datetime.datetime | None]),
        lambda: plist.encode([never]),
        lambda: penstock.json.encode({never: 1}),
    ):
        assert "would be read back as another value" in refused(write)

    class Same(datetime.datetime):
        pass

    assert penstock.json.encode([Same(2024, 1, 1)]) == b'["2024-01-01T00:00:00"]'
    zoned = datetime.time(12, tzinfo=zoneinfo.ZoneInfo("Asia/Shanghai"))
    assert "has no offset without a date" in refused(lambda: penstock.json.encode([zoned]))


def test_616_objects_of_a_derived_class() -> None:
    """They were written with all fields, and read back as the base."""

    class Wider(Place):
        pass

    for module in (penstock.json, xml, plist):
        assert refused(
            lambda module=module: module.encode({"a": Wider("x")}, dict[str, Place])
        ) == ("['a']: expected Place, got Wider, which would be read back as Place")
    assert penstock.json.encode([Wider("x")]) == b'[{"name":"x"}]'


def test_617_what_pydantic_writes_in_another_way() -> None:
    """Encoded text was written decoded, secrets as stars, and some serializers were ignored."""

    class Encoded(pydantic.BaseModel):
        s: pydantic.Base64Str

    class Text(pydantic.BaseModel):
        j: pydantic.Json[list[int]]

    class Secret(pydantic.BaseModel):
        p: pydantic.SecretStr

    with pytest.deprecated_call():

        class Encoders(pydantic.BaseModel):
            model_config = pydantic.ConfigDict(json_encoders={Decimal: str})
            v: Decimal

    @dataclasses.dataclass
    class Decorated:
        x: int

        @pydantic.field_serializer("x")
        def twice(self, value: int) -> int:
            return 2 * value

    for value in (
        Encoded(s="SGVsbG8="),
        Text(j="[1]"),
        Secret(p="hunter2"),
        Encoders(v=Decimal(1)),
        Decorated(1),
    ):
        assert refused(lambda value=value: penstock.json.encode(value)).startswith(
            f"{type(value).__name__} has "
        )

    class Row(NamedTuple):
        n: Annotated[int, pydantic.PlainSerializer(hex)]

    assert "nothing says how the value is written" in refused(
        lambda: penstock.json.encode(Row(255))
    )


def test_617_models_that_pydantic_tells_apart() -> None:
    class Metre(pydantic.BaseModel):
        x: int

    class Foot(pydantic.BaseModel):
        x: int

    class Ruler(pydantic.BaseModel):
        length: Metre | Foot

    assert penstock.json.decode(penstock.json.encode(Ruler(length=Metre(x=1))), Ruler) == Ruler(
        length=Metre(x=1)
    )
    assert "pydantic would make a Metre of it" in refused(
        lambda: penstock.json.encode(Ruler(length=Foot(x=1)))
    )


def test_618_a_model_with_a_validator_of_its_whole_value_in_xml() -> None:
    """Its element was missing."""

    class City(pydantic.BaseModel):
        name: str
        canton: str = ""

        @pydantic.model_validator(mode="before")
        @classmethod
        def check(cls, value: Any) -> Any:
            return value

    text = xml.encode(City(name="Bern", canton="BE"), declaration=False)
    assert text == b"<City><name>Bern</name><canton>BE</canton></City>"
    assert xml.decode(text, City) == City(name="Bern", canton="BE")
    cities = [City(name="Bern", canton="BE"), City(name="Chur", canton="GR")]
    assert xml.decode(xml.encode(cities, list[City]), list[City]) == cities


def test_619_a_callable_discriminator_over_an_alias() -> None:
    """It was called with the object, and not with its plain value."""

    class Foo(pydantic.BaseModel):
        type: Literal["foo"]

    class Bar(pydantic.BaseModel):
        type: Literal["bar"]

    import typing_extensions

    both = typing_extensions.TypeAliasType(
        "both", Union[Annotated[Foo, pydantic.Tag("foo")], Annotated[Bar, pydantic.Tag("bar")]]
    )

    class Main(pydantic.BaseModel):
        f: both = pydantic.Field(discriminator=pydantic.Discriminator(lambda value: value["type"]))  # type: ignore[valid-type]

    assert penstock.json.decode('{"f": {"type": "foo"}}', Main) == Main.model_validate(
        {"f": {"type": "foo"}}
    )


K = TypeVar("K")
V = TypeVar("V")


def test_620_classes_derived_from_those_that_are_not_made_of_their_base() -> None:
    """A subclass of `UUID` raised an AttributeError, one of `defaultdict` a TypeError about right data."""

    class Id(uuid.UUID):
        pass

    class Span(datetime.timedelta):
        pass

    class Counts(collections.defaultdict[K, V]):
        pass

    assert "is not supported yet" in unplanned(Id)
    assert "is not supported yet" in unplanned(Span)
    made = penstock.decode('{"a": 1}', Counts[str, int])
    assert (type(made), dict(made)) == (Counts, {"a": 1})


def test_621_a_row_of_a_union_of_arrays() -> None:
    """It was written with a header, and not read."""

    class A(msgspec.Struct, tag=True, array_like=True):
        a: int

    class B(msgspec.Struct, tag=True, array_like=True):
        b: int

    assert (
        refused(lambda: csv.encode([A(1)], A | B))
        == "a row is no array, by which A | B are told apart (record 1)"
    )
    assert typing.get_args(A | B) == (A, B)


def test_622_dates_that_a_binary_property_list_rounds() -> None:
    """The last digits of the microseconds were lost."""
    last = datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=datetime.UTC)
    assert "has no microseconds for" in refused(lambda: plist.encode([last], form="binary"))
    now = NOON.replace(microsecond=123456)
    assert plist.decode(plist.encode([now], form="binary")) == [now]


XSI = "http://www.w3.org/2001/XMLSchema-instance"
WITH_XSI: Any = {"namespaces": {"xsi": XSI}}
TYPED = f'<a xmlns:xsi="{XSI}"><c xsi:type="B"><n>x</n></c></a>'


def told(paths: tuple[str, ...]) -> Any:
    """A document whose part is of one of two classes, which a `Literal` at these paths tells apart."""

    def member(name: str, path: str) -> Any:
        kind = Annotated[Literal[name], at(path)]
        return dataclasses.make_dataclass(name, [("kind", kind), ("n", str)])

    one, more = map(member, "AB", paths)
    part = Annotated[one | more, at("c")]
    return dataclasses.make_dataclass("Told", [("c", part)]), more


@pytest.mark.parametrize(
    "paths",
    [
        ("@xsi:type",) * 2,
        (f"@{{{XSI}}}type",) * 2,
        ("@*:type",) * 2,
        ("@xsi:type", "@*:type"),
        ("@*:type", f"@{{{XSI}}}type"),
    ],
)
def test_623_an_attribute_in_a_namespace_tells_classes_apart(paths: tuple[str, str]) -> None:
    document, more = told(paths)
    made = document(more("B", "x"))
    assert xml.decode(TYPED, document, **WITH_XSI) == made
    for prefix in ("xsi", "i", "other"):
        text = TYPED.replace("xsi", prefix)
        assert xml.decode(text, document, **WITH_XSI) == made
        assert xml.decode(text, document, unknown="error", **WITH_XSI) == made
    # The same name in another namespace, or in none, tells nothing.
    for lost in (TYPED.replace(XSI, "urn:other"), TYPED.replace("xsi:type", "type")):
        if "@*:type" not in paths:
            with pytest.raises(penstock.ValidationError, match="without the attribute 'type'"):
                xml.decode(lost, document, **WITH_XSI)
    if paths[0] == paths[1] != "@*:type":
        written = xml.encode(made, root="a", **WITH_XSI)
        assert b'xsi:type="B"' in written
        assert xml.decode(written, document, **WITH_XSI) == made


@pytest.mark.parametrize("key", ["xsi:type", "@xsi:type", f"{{{XSI}}}type", "*:type"])
def test_623_a_tag_in_a_namespace(key: str) -> None:
    @dataclasses.dataclass
    class One:
        n: str

    @dataclasses.dataclass
    class More:
        n: str

    part = Annotated[One | More, tag(key, {"A": One, "B": More}), at("c")]
    document: Any = dataclasses.make_dataclass("Tagged", [("c", part)])
    made = document(More("x"))
    assert xml.decode(TYPED, document, unknown="error", **WITH_XSI) == made
    written = xml.encode(made, root="a", **WITH_XSI)
    assert xml.decode(written, document, **WITH_XSI) == made
    assert (b'xsi:type="B"' in written) == (key != "*:type")
    if key.endswith("xsi:type"):
        with pytest.raises(
            penstock.PlanError, match="the prefix 'xsi' is not among the namespaces"
        ):
            xml.decode(TYPED, document)
        # Where prefixes are part of the names, it is one of them.
        assert xml.decode(TYPED, document, namespaces=False) == made


def test_624_an_attribute_that_tells_classes_apart_is_not_left_out() -> None:
    """As `omit="defaults"` left out the key in formats of members."""

    @dataclasses.dataclass
    class One:
        kind: Annotated[Literal["one"], at("@kind")] = "one"

    @dataclasses.dataclass
    class More:
        kind: Annotated[Literal["more"], at("@kind")] = "more"

    document: Any = dataclasses.make_dataclass("Part", [("part", One | More)])
    written = xml.encode(document(More()), root="a", omit="defaults")
    assert xml.decode(written, document) == document(More())
    # Outside of a union nothing needs it.
    assert b"kind" not in xml.encode(More(), root="a", omit="defaults")


def test_625_an_item_of_one_of_several_types_has_the_form_of_its_own() -> None:
    """`Decimal("1.234")` was written without it, and read as 1234."""
    german = Annotated[Decimal, GERMAN]
    day = Annotated[datetime.date, times("%d.%m.%Y")]
    for of in (german | day, day | german, german | day | None):
        row = dataclasses.make_dataclass("Row", [("items", Annotated[list[of], separated("|")])])  # type: ignore[valid-type]
        made = row([Decimal("1.234"), datetime.date(2024, 2, 1)])
        written = csv.encode([made], row)
        assert written == b'items\n"1,234|01.02.2024"\n'
        assert csv.decode(written, row) == [made]
        assert xml.decode(xml.encode(made, row), row) == made
    # And that of the plan, if it has none.
    row = dataclasses.make_dataclass(
        "Row", [("items", Annotated[list[Decimal | datetime.date], separated("|")])]
    )
    made = row([Decimal("1.234"), datetime.date(2024, 2, 1)])
    plan = penstock.Plan(row, cells=GERMAN)
    assert csv.decode(csv.encode([made], plan), plan) == [made]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize(
    ("members", "value", "why"),
    [
        ((str, pathlib.Path), pathlib.Path("a/b"), "would make 'a/b' of it"),
        ((str, bytes), b"ab", "would make 'YWI=' of it"),
    ],
)
def test_626_what_pydantic_makes_of_a_union_is_checked(
    order: int, members: tuple[Any, Any], value: Any, why: str
) -> None:
    """It was written, and read back as another member. In columns it was kept as JSON text."""
    of: Any = Union[members] if order else Union[members[::-1]]
    for type_, held in ((of, value), (list[of], [value]), (dict[str, of], {"k": value})):
        model = pydantic.create_model("M", x=(type_, ...))
        with pytest.raises(penstock.EncodeError, match="pydantic would"):
            json.encode(model(x=held))
    model = pydantic.create_model("M", x=(of, ...))
    for form in (json, ndjson, csv, xml):
        with pytest.raises(penstock.EncodeError, match=why):
            form.encode([model(x=value)] if form in {ndjson, csv} else model(x=value))  # type: ignore[arg-type]
        kept: Any = model(x="plain")
        if form in {ndjson, csv}:
            kept = [kept]
        assert form.decode(form.encode(kept), model) == kept
    lines = io.BytesIO(b'{"x": "a/b"}')
    with pytest.raises(penstock.PlanError, match="pydantic decides of which of several types"):
        penstock.columns(lines, model, format="ndjson")
    texts = pyarrow.table(penstock.columns(lines, model, format="ndjson", unions="json"))
    assert texts["x"].to_pylist() == ['"a/b"']


@pytest.mark.parametrize("tag_", [None, True])
def test_627_a_row_is_no_array(tag_: bool | None) -> None:
    """A Struct that is an array was written into CSV beside another class, and read as that."""
    array = msgspec.defstruct("Array", [("c", int)], array_like=True, tag=tag_)
    for other in (
        dataclasses.make_dataclass("Other", [("a", int)]),
        msgspec.defstruct("Other", [("a", int)], tag=tag_),
    ):
        either: Any = array | other
        with pytest.raises(EncodeError, match=r"a row is no array, by which .* are told apart"):
            csv.encode([array(1)], either)
        assert csv.decode(csv.encode([other(1)], either), either) == [other(1)]
    with pytest.raises(EncodeError, match="a row is no array"):
        csv.encode([array(1)], array | dict[str, int])
    assert csv.decode(csv.encode([array(1)], array), array) == [array(1)]


def test_628_a_part_that_is_none_where_its_class_makes_something_else_of_nothing() -> None:
    """A pydantic model whose part has a default was written without it, and read back with the default."""
    part: Any = dataclasses.make_dataclass("Part", [("x", int)], frozen=True)

    def model(default: Any, **config: Any) -> Any:
        config_ = pydantic.ConfigDict(**config)
        return pydantic.create_model("M", __config__=config_, n=(int, 1), p=(part | None, default))

    def typed(name: str, **keys: Any) -> Any:
        return TypedDict(name, keys)  # type: ignore[operator]

    class Plain:
        def __init__(self, n: int = 1, p: part | None = None) -> None:  # type: ignore[valid-type]
            self.n, self.p = n, p

    field = pydantic.Field
    refusing = [
        model(part(5))(p=None),
        model(field(default_factory=lambda: part(5)))(p=None),
        model(field(alias="P"), populate_by_name=True)(P=None),
        dataclasses.make_dataclass("C", [("n", int), ("p", part | None, part(5))])(1, None),
    ]
    for value in refusing:
        with pytest.raises(EncodeError, match="x: None is left out here, and would not be read as"):
            csv.encode([value], type(value))
    for value in (
        model(None)(p=None),
        model(...)(p=None),
        model(field(None, alias="P"), populate_by_name=True)(P=None),
        model(field(alias="P"), populate_by_name=True)(P=part(1)),
        attrs.make_class(
            "A", {"n": attrs.field(type=int), "p": attrs.field(default=None, type=part | None)}
        )(1),
    ):
        assert csv.decode(csv.encode([value], type(value)), type(value)) == [value]

    class Keywords:
        n: int
        p: part | None = None  # type: ignore[valid-type]

        def __init__(self, **said: Any) -> None:
            self.__dict__.update(said)

    class Attributes:
        n: int = 1
        p: part | None = None  # type: ignore[valid-type]

    class Liar(Plain):
        __signature__ = "none"

    class Other:
        n: int = 1
        p: part | None = part(5)  # type: ignore[valid-type]

    keywords: Any = Keywords(n=1, p=None)
    for value in (Plain(1), keywords, Attributes(), Liar(1)):
        [back] = csv.decode(csv.encode([value], type(value)), type(value))
        assert (back.n, back.p) == (1, None)
    other = Other()
    other.p = None
    with pytest.raises(EncodeError, match="x: None is left out here"):
        csv.encode([other], Other)
    keys = typed("Keys", n=int, p=typing.NotRequired[part | None])
    assert csv.decode(csv.encode([{"n": 1}], keys), keys) == [{"n": 1}]
    with pytest.raises(
        EncodeError, match="x: None is left out here, and would not be read as None"
    ):
        csv.encode([{"n": 1, "p": None}], keys)


def test_629_keys_that_pydantic_does_not_make_again() -> None:
    """A pydantic model had a dict by an Enum of several kinds: it was written, and refused when read."""

    class Mixed(enum.Enum):
        ONE = 1
        B = "b"
        NOTHING = None

    of: Any = dict[Mixed, int]
    model = pydantic.create_model("M", d=(of, ...))
    for form in (json, ndjson, plist):
        with pytest.raises(EncodeError, match=r"d: .*pydantic would refuse what is written"):
            form.encode([model(d={Mixed.ONE: 1})])
        kept = model(d={Mixed.B: 1})
        assert json.decode(json.encode(kept), model) == kept


def test_630_what_pydantic_makes_of_a_union_where_all_is_text() -> None:
    """A number was written into a property list of OpenStep, and read back as text."""
    of: Any = Union[str, Annotated[int, pydantic.BeforeValidator(lambda value: value)]]
    for type_, held, kept in ((of, 5, "a"), (list[of], ["a", 5], ["a"])):
        model = pydantic.create_model("M", x=(type_, ...))
        for form in ("xml", "binary", "gnustep"):
            assert plist.decode(plist.encode(model(x=held), form=form), model) == model(x=held)
        with pytest.raises(EncodeError, match=r"x: .*pydantic would make .*'5'.* of it"):
            plist.encode(model(x=held), form="openstep")
        text = plist.encode(model(x=kept), form="openstep")
        assert plist.decode(text, model) == model(x=kept)
