"""Classes of other libraries that say more about writing than their fields: each bug by its number."""

from dataclasses import dataclass
from typing import Annotated, Any

import attrs
import msgspec
import pydantic
import pytest

import penstock

encode, decode = penstock.json.encode, penstock.json.decode


def refused(value: Any) -> str:
    with pytest.raises(penstock.EncodeError) as caught:
        encode(value)
    return str(caught.value)


def test_360_a_field_that_pydantic_excludes():
    """It was written, with whatever secret it held. Serializers in annotations were ignored."""

    class Account(pydantic.BaseModel):
        name: str
        password: str = pydantic.Field("", exclude=True)

    @pydantic.dataclasses.dataclass
    class Login:
        name: str
        password: str = pydantic.Field("", exclude=True)

    class Sometimes(pydantic.BaseModel):
        name: str = pydantic.Field(exclude_if=lambda name: not name)

    assert encode(Account(name="a", password="b")) == b'{"name":"a"}'
    assert encode([Login("a", "b")]) == b'[{"name":"a"}]'
    own = "has serializers of its own: write its model_dump()"
    assert refused(Sometimes(name="a")) == f"Sometimes {own}"

    class Plain(pydantic.BaseModel):
        x: Annotated[int, pydantic.PlainSerializer(lambda x: x + 1)]

    class Wrapped(pydantic.BaseModel):
        x: Annotated[int, pydantic.WrapSerializer(lambda x, handle: handle(x) + 1)]

    assert refused([Plain(x=1)]) == f"[0]: Plain {own}"
    assert refused(Wrapped(x=1)) == f"Wrapped {own}"


def test_361_an_attribute_with_several_names():
    """It was written under each of its names, or nothing was found under them."""

    class Either(pydantic.BaseModel, populate_by_name=True):
        first: int = pydantic.Field(alias="First")

    class Choice(pydantic.BaseModel):
        first: int = pydantic.Field(validation_alias=pydantic.AliasChoices("one", "two"))

    class Crossed(pydantic.BaseModel):
        first: int = pydantic.Field(alias="second")
        second: int = pydantic.Field(alias="first")

    class Named(pydantic.BaseModel, validate_by_name=True, validate_by_alias=False):
        first: int = pydantic.Field(alias="second")
        second: int

    @attrs.define
    class Exchanged:
        first: int = attrs.field(alias="second")
        second: int = attrs.field(alias="first")

    assert encode(Either(first=1)) == b'{"First":1}'
    assert encode(Choice(two=1)) == b'{"one":1}'
    crossed = Crossed(first=1, second=2)
    assert (crossed.first, encode(crossed)) == (2, b'{"second":2,"first":1}')
    assert encode(Named(first=1, second=2)) == b'{"first":1,"second":2}'
    exchanged = Exchanged(first=1, second=2)
    assert encode(exchanged) == b'{"second":2,"first":1}'
    assert decode(encode(exchanged), Exchanged) == exchanged


def test_362_functions_for_types_where_no_type_is():
    """`types=` without a type was ignored: the objects were refused."""

    class Money:
        def __init__(self, cents: int) -> None:
            self.cents = cents

    @dataclass
    class Order:
        price: Money

    @dataclass
    class Basket:
        items: list[Any]

    types = {Money: penstock.via(Money, encode=lambda money: money.cents)}
    assert encode({"a": Money(1)}, types=types) == b'{"a":1}'
    assert encode([Order(Money(2)), Money(3)], types=types) == b'[{"price":2},3]'
    assert encode(Basket([Money(4), Order(Money(5))]), Basket, types=types) == (
        b'{"items":[4,{"price":5}]}'
    )
    lines = penstock.ndjson.encode([Money(6), Order(Money(7))], types=types)
    assert lines == b'6\n{"price":7}\n'
    encoder = penstock.json.Encoder(types=types)
    assert [encoder.encode(Money(8)), encoder.encode([Order(Money(9))])] == [b"8", b'[{"price":9}]']
    # Who has no functions still gets the plan without them.
    assert encode([Money(1)]) == b'[{"cents":1}]'


def test_363_bytes_of_a_model():
    """They were refused: expected bytes, got bytes."""

    class Text(pydantic.BaseModel):
        data: bytes
        more: bytes | None = None

    class Hex(pydantic.BaseModel, val_json_bytes="hex"):
        data: bytes

    text = Text(data=b"\xc3\xa9", more=b"a")
    assert encode(text) == '{"data":"é","more":"a"}'.encode()
    assert decode(encode(text), Text) == text
    assert encode(Text(data=b"")) == b'{"data":"","more":null}'
    assert encode(Hex(data=b"ff")) == b'{"data":"6666"}'
    assert decode(encode(Hex(data=b"ff")), Hex) == Hex(data=b"ff")
    assert refused(Text(data=b"\xff")) == (
        "data: encode= raises UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position "
        "0: invalid start byte"
    )
    assert refused(Text.model_construct(data=7)) == (
        "data: encode= raises TypeError: expected bytes, got int"
    )


def test_364_a_field_that_is_unset():
    """It was refused: expected int, got UnsetType."""

    class Patch(msgspec.Struct):
        x: int | msgspec.UnsetType | None = msgspec.UNSET
        y: int = 1

    class Row(msgspec.Struct, array_like=True):
        x: int | msgspec.UnsetType = msgspec.UNSET
        y: int = 1

    assert encode([Patch(), Patch(None), Patch(2)]) == b'[{"y":1},{"x":null,"y":1},{"x":2,"y":1}]'
    assert encode(Patch()) == msgspec.json.encode(Patch())
    assert decode(encode(Patch()), Patch) == Patch()
    assert encode(Patch(None), omit="defaults") == b'{"x":null}'
    assert encode(Row(3)) == b"[3,1]"
    assert refused(Row()) == "x: expected int, got UnsetType"
