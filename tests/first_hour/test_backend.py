"""What a developer of a service tries first: bodies of requests, settings, messages."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar
from uuid import UUID

import pytest
from pydantic import BaseModel

import penstock
from penstock import Plan, rest, tag, via

T = TypeVar("T")


class Kind(enum.Enum):
    SALE = "sale"
    GIFT = "gift"


@dataclass
class Line:
    sku: str
    price: Decimal


@dataclass
class Invoice:
    id: UUID
    kind: Kind
    issued: datetime
    lines: list[Line]


def test_a_body_with_many_faults_lists_each_with_its_place_and_a_short_reason() -> None:
    body = b'{"id": "7", "kind": "loan", "issued": "now", "lines": [{"sku": 1, "price": "x"}]}'
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(body, Invoice, all_errors=True)
    found = [each.to_dict() for each in caught.value.problems]
    assert [(each["steps"], each["code"], each["expected"]) for each in found] == [
        (["id"], "value", "UUID"),
        (["kind"], "value", 'Kind ("sale" or "gift")'),
        (["issued"], "value", "datetime"),
        (["lines", 0, "sku"], "type", "str"),
        (["lines", 0, "price"], "value", "Decimal"),
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the input is empty"),
        (b"<html></html>", "expected a value, found '<'"),
        ("{}".encode("utf-16"), "this looks like UTF-16 (little endian); say encoding='utf-16-le'"),
        (b"[] x", "expected the end of the document after the value, found 'x'"),
    ],
)
def test_a_body_that_is_no_json_has_one_problem(body: bytes, reason: str) -> None:
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.json.decode(body, list[Invoice], all_errors=True)
    assert [each.reason for each in caught.value.problems] == [reason]


class Change(TypedDict, total=False):
    name: str
    phone: str | None


class ChangeModel(BaseModel):
    name: str | None = None
    phone: str | None = None


def test_patch_tells_missing_from_null_with_a_typed_dict_or_a_model() -> None:
    assert penstock.decode('{"phone": null}', Change) == {"phone": None}
    assert penstock.decode('{"phone": null}', ChangeModel).model_fields_set == {"phone"}


@dataclass
class Address:
    zip_code: str


@dataclass
class Person:
    first_name: str
    home_address: Address


def test_camel_case_holds_for_nested_classes_in_both_directions() -> None:
    camel = Plan(Person, rename="camel")
    text = b'{"firstName":"Ada","homeAddress":{"zipCode":"3000"}}'
    person = penstock.json.decode(text, camel)
    assert person == Person("Ada", Address("3000"))
    assert penstock.json.encode(person, camel) == text
    with pytest.raises(
        TypeError, match=r"^encode\(\) has no option rename=: it is one of penstock"
    ):
        penstock.json.encode(person, rename="camel")  # type: ignore[call-arg]


class User(BaseModel):
    name: str


class Bot(BaseModel):
    version: int


class Page(BaseModel, Generic[T]):
    items: list[T]


def test_a_generic_page_of_several_classes() -> None:
    page = penstock.decode('{"items": [{"name": "Ada"}, {"version": 2}]}', Page[User | Bot])
    assert page.items == [User(name="Ada"), Bot(version=2)]


@dataclass
class Created:
    id: int


@dataclass
class Unknown:
    type: str
    more: Annotated[dict[str, Any], rest]


Event = Annotated[Created | Unknown, tag("type", {"created": Created}, other=Unknown)]


def test_the_tag_of_an_event_is_written_if_the_union_is_named() -> None:
    events: list[Any] = penstock.decode('[{"type": "created", "id": 1}]', list[Event])
    assert penstock.json.encode(events, list[Event]) == b'[{"type":"created","id":1}]'
    assert penstock.json.encode(events) == b'[{"id":1}]'
    with pytest.raises(penstock.ValidationError, match='an object without the key "type"'):
        penstock.decode('[{"id": 1}]', list[Event])


@dataclass
class Money:
    amount: Decimal
    currency: str


def parse(text: str) -> Money:
    amount, currency = text.split()
    return Money(Decimal(amount), currency)


def test_a_type_that_is_only_read_by_a_function_is_not_written_by_guess() -> None:
    both = {Money: via(parse, encode=lambda money: f"{money.amount} {money.currency}")}
    prices = penstock.decode('["1.50 CHF"]', list[Money], types=both)
    assert prices == [Money(Decimal("1.50"), "CHF")]
    assert penstock.json.encode(prices, list[Money], types=both) == b'["1.50 CHF"]'
    with pytest.raises(penstock.EncodeError, match=r"give via\(\.\.\., encode=\.\.\.\)"):
        penstock.json.encode(prices, list[Money], types={Money: parse})
    reason = "InvalidOperation: the value is no decimal number, or out of range"
    with pytest.raises(penstock.ValidationError, match=reason):
        penstock.decode('["much CHF"]', list[Money], types=both)


@dataclass
class Database:
    url: str
    pool: int = 5


@dataclass
class Settings:
    timeout: timedelta
    data: Path
    tags: set[str] = field(default_factory=set)
    database: Database = field(default_factory=lambda: Database("sqlite://"))


def test_settings_have_nested_defaults_and_find_typing_errors() -> None:
    text = '{"timeout": "PT5S", "data": "/srv", "tags": ["a"], "database": {"url": "pg://"}}'
    settings = penstock.decode(text, Settings, unknown="error")
    assert settings == Settings(timedelta(seconds=5), Path("/srv"), {"a"}, Database("pg://"))
    with pytest.raises(penstock.ValidationError, match=r'no field for the key "pol".* mean "pool"'):
        penstock.decode(text.replace('"url"', '"pol": 3, "url"'), Settings, unknown="error")
    text = '{"timeout": "PT5S", // at least\n "data": "/srv", }'
    expected = Settings(timedelta(seconds=5), Path("/srv"))
    assert penstock.json.decode(text, Settings, comments=True) == expected
    with pytest.raises(penstock.MalformedInput, match="found a comment"):
        penstock.decode(text, Settings)


@dataclass
class V1:
    name: str
    version: Literal[1] = 1


@dataclass
class V2:
    first: str
    last: str
    version: Literal[2] = 2


def test_a_version_tells_classes_apart_and_must_be_there() -> None:
    assert penstock.decode('{"name": "Ada", "version": 1}', V1 | V2) == V1("Ada")
    assert penstock.decode('{"name": "Ada"}', V1) == V1("Ada")
    with pytest.raises(penstock.ValidationError, match=r'without the key "version" \(1 or 2\)'):
        penstock.decode('{"name": "Ada"}', V1 | V2)
