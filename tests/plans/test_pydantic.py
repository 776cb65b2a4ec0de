"""Models of pydantic: made by pydantic, from values that are decoded as annotated."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel

import penstock
from penstock import Plan, PlanError

Item = TypeVar("Item")


class Node(BaseModel):
    name: str = Field(alias="Name")
    amounts: list[decimal.Decimal] = []
    child: Node | None = None


class Choices(BaseModel):
    width: int = Field(validation_alias=AliasChoices("w", "wide"))


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    long_name: int = Field(alias="longName")


class Forbid(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: int


class Allow(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: decimal.Decimal


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    when: dt.datetime
    ids: set[uuid.UUID] = set()
    kind: Literal["a", "b"] = "a"


class Validated(BaseModel):
    before: list[int]
    after: int = 1

    @pydantic.field_validator("before", mode="before")
    @classmethod
    def split(cls, value: object) -> object:
        return value.split(",") if isinstance(value, str) else value

    @pydantic.field_validator("after")
    @classmethod
    def positive(cls, value: int) -> int:
        if value < 0:
            raise ValueError("is negative")
        return value


class Whole(BaseModel):
    x: int

    @pydantic.model_validator(mode="before")
    @classmethod
    def unwrap(cls, value: Any) -> Any:
        return value["inner"] if isinstance(value, dict) else {"x": value}


class Rooted(RootModel[list[int]]):
    pass


class Tree(RootModel["dict[str, Tree] | int"]):
    pass


class Boxed(BaseModel, Generic[Item]):
    item: Item


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Owner(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    others: list[Cat | Dog] = []


def refused(document: str, cls: Any) -> penstock.ValidationError:
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(document, cls)
    return caught.value


def test_fields_and_aliases() -> None:
    assert repr(Plan(Node)).splitlines()[1:] == [
        "Node, called: Node is a pydantic model",
        "    Name: str",
        "    amounts: list[Decimal], may be absent",
        "    child: Node | None, may be absent",
    ]
    made = penstock.json.decode('{"Name": "a", "child": {"Name": "b"}}', Node)
    assert made == Node(Name="a", child=Node(Name="b"))
    assert made.model_fields_set == {"name", "child"}
    assert refused('{"name": "a"}', Node).reason == 'Node lacks the required key "Name"'


def test_decimals_are_exact() -> None:
    digits = "0.1234567890123456789012345678901234567890"
    made = penstock.json.decode(f'{{"Name": "", "amounts": [{digits}]}}', Node)
    assert made.amounts == [decimal.Decimal(digits)]


def test_choices_of_aliases() -> None:
    assert penstock.json.decode('{"w": 1}', Choices).width == 1
    assert penstock.json.decode('{"wide": 2, "w": 1}', Choices).width == 1
    assert penstock.json.decode('{"w": 1, "wide": 2}', Choices).width == 1
    error = refused("[{}]", list[Choices])
    assert (error.reason, error.path) == ('Field required: "w"', "0")
    assert (error.code, error.steps) == ("missing", (0, "w"))
    assert isinstance(error.__cause__, pydantic.ValidationError)


def test_names_beside_aliases() -> None:
    assert penstock.json.decode('{"longName": 1}', ByName).long_name == 1
    assert penstock.json.decode('{"long_name": 1}', ByName).long_name == 1


def test_paths_of_aliases() -> None:
    class Pathed(BaseModel):
        first: int = Field(validation_alias=AliasPath("values", 0))
        second: int = Field(validation_alias=AliasChoices("two", AliasPath("values", 1)))

    made = penstock.json.decode('{"values": [1, 2]}', Pathed)
    assert (made.first, made.second) == (1, 2)


def test_renaming() -> None:
    plan = Plan(Node, rename="upper")
    assert penstock.json.decode('{"NAME": "a", "Name": 3}', plan) == Node(Name="a")
    with pytest.raises(PlanError, match="rename names 'nam', and Node has no such field; did you"):
        Plan(Node, rename={"nam": "N"})


def test_more_keys() -> None:
    assert refused('{"x": 1, "y": 2}', Forbid).reason == 'Forbid has no field for the key "y"'
    made = penstock.json.decode('{"y": [1, {"z": 2}], "x": 1.10, "k": null}', Allow)
    assert made == Allow(x=decimal.Decimal("1.10"), y=[1, {"z": 2}], k=None)
    assert made.model_extra == {"y": [1, {"z": 2}], "k": None}
    twice = '{"x": 1, "y": 1, "y": 2}'
    assert penstock.json.decode(twice, Allow).model_extra == {"y": 2}
    assert penstock.json.decode(twice, Allow, duplicates="first").model_extra == {"y": 1}
    with pytest.raises(penstock.ValidationError, match="occurs more than once"):
        penstock.json.decode(twice, Allow, duplicates="error")


def test_strict_models_take_what_json_says_in_strings() -> None:
    one = "12345678-1234-5678-1234-567812345678"
    document = f'{{"when": "2026-03-01T00:00:00Z", "ids": ["{one}"], "kind": "b"}}'
    assert penstock.json.decode(document, Strict) == Strict(
        when=dt.datetime(2026, 3, 1, tzinfo=dt.UTC), ids={uuid.UUID(one)}, kind="b"
    )


def test_validators() -> None:
    assert penstock.json.decode('{"before": "1,2"}', Validated).before == [1, 2]
    assert penstock.json.decode('{"before": [1]}', Validated).before == [1]
    error = refused('{"a": [{"before": [], "after": -1}]}', dict[str, list[Validated]])
    assert (error.reason, error.path) == ("Value error, is negative", "a/0/after")
    error = refused('{"before": "1,x,y"}', Validated)
    assert error.reason == (
        "Input should be a valid integer, unable to parse string as an integer (and 1 more problem)"
    )
    assert error.path == "before/1"
    # Penstock reports the problems of values that it decodes, with their positions.
    error = refused('{"before": [], "after": "1"}', Validated)
    assert (error.reason, error.column) == ("expected int, got a string", 25)


def test_validators_of_the_whole() -> None:
    made = penstock.json.decode('[{"inner": {"x": 1}}, 2]', list[Whole])
    assert [each.x for each in made] == [1, 2]


def test_validators_in_annotations() -> None:
    class Own(BaseModel):
        halves: list[Annotated[float, pydantic.BeforeValidator(lambda value: value / 2)]]
        doubled: Annotated[int, pydantic.AfterValidator(lambda value: value * 2)] = 0
        text: pydantic.Json[list[int]] = []

    made = penstock.json.decode('{"halves": [1, 3], "doubled": 2, "text": "[1, 2]"}', Own)
    assert (made.halves, made.doubled, made.text) == ([0.5, 1.5], 4, [1, 2])


def test_constraints_are_the_models() -> None:
    class Own(BaseModel):
        x: int = Field(gt=3)

    error = refused('{"x": 3}', Own)
    assert (error.reason, error.path) == ("Input should be greater than 3", "x")


def test_root_models() -> None:
    assert penstock.json.decode("[1, 2]", Rooted) == Rooted([1, 2])
    assert refused('[1, "x"]', Rooted).path == "1"
    made = penstock.json.decode('{"a": 1, "b": {"c": 2}}', Tree)
    assert made == Tree({"a": Tree(1), "b": Tree({"c": Tree(2)})})


def test_generic_models() -> None:
    assert penstock.json.decode('{"item": [1]}', Boxed[list[int]]) == Boxed[list[int]](item=[1])
    assert refused('{"item": "1"}', Boxed[int]).reason == "expected int, got a string"


def test_unions_of_models() -> None:
    document = (
        '{"pet": {"tricks": ["sit"], "kind": "dog"}, "others": [{"kind": "cat", "lives": 9}]}'
    )
    made = penstock.json.decode(document, Owner)
    assert made == Owner(pet=Dog(kind="dog", tricks=["sit"]), others=[Cat(kind="cat", lives=9)])


def test_unions_that_only_the_model_decides() -> None:
    class One(BaseModel):
        x: int = 0

    class Two(BaseModel):
        x: str = ""

    class Own(BaseModel):
        either: One | Two
        several: list[One | Two | int] = []

    document = '{"either": {"x": "a"}, "several": [{"x": 1}, 2]}'
    made = penstock.json.decode(document, Own)
    assert made == Own(either=Two(x="a"), several=[One(x=1), 2])


def test_types_that_only_pydantic_knows() -> None:
    class Own(BaseModel):
        url: pydantic.HttpUrl
        secret: pydantic.SecretStr = pydantic.SecretStr("")

    made = penstock.json.decode('{"url": "http://a.b", "secret": "x"}', Own)
    assert made == Own(url="http://a.b", secret="x")  # type: ignore[arg-type]
    assert refused('{"url": "nowhere"}', Own).reason.startswith("Input should be a valid URL")

    @dataclass
    class Other:
        urls: list[pydantic.HttpUrl]

    plan = Plan(Other, namespace={"pydantic": pydantic})
    made_too = penstock.json.decode('{"urls": ["http://a.b"]}', plan)
    assert made_too == Other([pydantic.HttpUrl("http://a.b")])


def test_words_beside_fields() -> None:
    class Own(BaseModel):
        x: Annotated[int, penstock.at("a/b")]
        y: Annotated[bytes, penstock.Hex] = b""

    assert penstock.json.decode('{"a": {"b": 1}, "y": "ff"}', Own) == Own(x=1, y=b"\xff")


def test_a_constructor_of_its_own() -> None:
    class Own(BaseModel):
        x: int

        def __init__(self, **values: Any) -> None:
            super().__init__(x=values["x"] * 2)

    assert penstock.json.decode('{"x": 1}', Own).x == 2


def test_dataclasses_of_pydantic() -> None:
    @pydantic.dataclasses.dataclass
    class Own:
        x: int = Field(alias="X", gt=0)
        y: list[int] = Field(default_factory=list)

    assert "called: Own is a pydantic dataclass" in repr(Plan(Own))
    assert penstock.json.decode('{"X": 1}', Own) == Own(X=1)  # type: ignore[call-arg]
    assert refused('{"X": 0}', Own).path == "X"


def test_dataclasses_of_pydantic_keep_extra_keys() -> None:
    @pydantic.dataclasses.dataclass(config=ConfigDict(extra="allow"))
    class Own:
        x: decimal.Decimal
        w: dataclasses.InitVar[int] = 3
        y: list[int] = Field(default_factory=list)

        def __post_init__(self, w: int) -> None:
            self.seen = w

    made = penstock.json.decode('{"x": 1.10, "q": {"r": 1}, "w": 5}', Own)
    assert vars(made) == vars(Own(x=decimal.Decimal("1.10"), w=5, q={"r": 1}))  # type: ignore[call-arg]
    assert (str(made.x), made.seen) == ("1.10", 5)
    assert vars(penstock.xml.decode("<r><x>1</x><q>b</q></r>", Own))["q"] == "b"

    def own_init(self: object, x: int) -> None:
        vars(self).update(x=x + 1)

    Own.__init__ = own_init  # type: ignore[assignment,method-assign]
    assert vars(penstock.json.decode('{"x": 1, "q": 2}', Own)) == {"x": 2}


def test_decimals_are_exact_where_a_validator_sees_the_value_first() -> None:
    seen: list[object] = []

    def noted(value: object) -> object:
        seen.append(value)
        return value

    class Price(BaseModel):
        amount: decimal.Decimal
        ratio: float = 0.5
        following: Price | None = None

        @pydantic.field_validator("amount", "ratio", mode="before")
        @classmethod
        def note(cls, value: object) -> object:
            return noted(value)

    class Bill(BaseModel):
        prices: dict[str, list[Price]]
        weight: float

        @pydantic.model_validator(mode="before")
        @classmethod
        def note(cls, value: object) -> object:
            return noted(value)

    class Ratio(BaseModel):
        ratio: Annotated[float, pydantic.BeforeValidator(noted)]

    many = "0.1000000000000000000000000000000001"
    made = penstock.json.decode(
        f'{{"amount": {many}, "ratio": 1.10, "following": {{"amount": 1.10}}}}', Price
    )
    assert str(made.amount) == many
    assert made.following is not None
    assert str(made.following.amount) == "1.10"
    # Only values that become a decimal are passed to the validator as decimals.
    inner, outer, ratio = seen
    assert (inner, outer) == (decimal.Decimal("1.10"), decimal.Decimal(many))
    assert type(ratio) is float
    seen.clear()
    bill = penstock.json.decode(
        f'{{"prices": {{"a": [{{"amount": {many}}}]}}, "weight": 2.5, "x": [1, null, true, "s"]}}',
        Bill,
    )
    assert str(bill.prices["a"][0].amount) == many
    assert bill.weight == 2.5
    whole = {"a": [{"amount": decimal.Decimal(many)}]}
    plain = {"prices": whole, "weight": decimal.Decimal("2.5"), "x": [1, None, True, "s"]}
    assert seen == [plain, decimal.Decimal(many)]
    seen.clear()
    assert penstock.json.decode('{"ratio": 1.5}', Ratio).ratio == 1.5
    assert [type(value) for value in seen] == [float]
    seen.clear()
    read = penstock.xml.decode(f"<r><amount>{many}</amount></r>", Price)
    assert (str(read.amount), seen) == (many, [many])


def test_models_from_xml() -> None:
    document = "<r><Name>a</Name><amounts>1.5</amounts><child Name='b'/></r>"
    assert penstock.xml.decode(document, Node) == Node(
        Name="a", amounts=[decimal.Decimal("1.5")], child=Node(Name="b")
    )
    document = "<r x='1.5' y='2'><a><b>1</b></a><c>1</c><c>2</c><c>3</c></r>"
    made = penstock.xml.decode(document, Allow)
    assert made.x == decimal.Decimal("1.5")
    assert made.model_extra == {"@y": "2", "a": {"b": "1"}, "c": ["1", "2", "3"]}
    with pytest.raises(penstock.ValidationError, match="Forbid has no field for the element 'y'"):
        penstock.xml.decode("<r><x>1</x><y/></r>", Forbid)


def test_annotations_that_pydantic_cannot_resolve_yet() -> None:
    class Unresolved(BaseModel):
        x: Later  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(PlanError, match=r"cannot resolve the annotations of Unresolved: call"):
        Plan(Unresolved)
    plan = Plan(Unresolved, namespace={"Later": int})
    assert penstock.json.decode('{"x": 1}', plan).x == 1


class Defaults(BaseModel):
    count: int = 1
    note: int | str | None = None
    tags: list[str] = Field(default_factory=list)
    label: str = Field("a", alias="Label")


def test_defaults_are_left_out() -> None:
    """`omit="defaults"` had no effect in models."""
    for module in (penstock.json, penstock.xml, penstock.plist):
        whole = Defaults(count=2, note=5, tags=["x"], Label="b")
        assert module.decode(module.encode(whole, omit="defaults"), Defaults) == whole
    assert penstock.plain(Defaults(), omit="defaults") == {}
    assert penstock.plain(Defaults(tags=["x"], Label="b"), omit="defaults") == {
        "tags": ["x"],
        "Label": "b",
    }
    assert penstock.json.encode(Defaults(), omit="defaults") == b"{}"


def test_defaults_that_only_the_model_can_make_are_written() -> None:
    class Made(BaseModel):
        count: int = Field("1", validate_default=True)  # type: ignore[assignment]
        double: int = Field(default_factory=lambda data: 2 * data["count"])

    assert penstock.plain(Made(), omit="defaults") == {"count": 1, "double": 2}


def test_none_in_a_property_list_is_left_out_if_it_is_the_default() -> None:
    """It was refused in models, and left out in dataclasses."""
    text = penstock.plist.encode(Defaults(), form="binary")
    assert penstock.plist.decode(text) == {"count": 1, "tags": [], "Label": "a"}
    assert penstock.plist.decode(text, Defaults) == Defaults()

    class Other(BaseModel):
        note: int | str | None = 5

    with pytest.raises(penstock.EncodeError, match=r"^note: a property list has no null$"):
        penstock.plist.encode(Other(note=None))
