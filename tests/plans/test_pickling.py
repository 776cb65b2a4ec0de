"""Plans and encoders go to other processes by pickling, as classes do."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import Plan, cells, tag, times, via


@dataclass
class City:
    name: str
    zip_code: int = 0


@dataclass
class Town:
    mayor: str


def money(text: str) -> Decimal:
    return Decimal(text)


def upper(name: str) -> str:
    return name.upper()


PLANS = [
    (Plan(City), '{"name": "a", "zip_code": 1}'),
    (Plan(City, rename="camel"), '{"name": "a", "zipCode": 1}'),
    (Plan(City, rename=upper), '{"NAME": "a", "ZIP_CODE": 1}'),
    (Plan(list[City], rename={"zip_code": "zip"}), '[{"name": "a", "zip": 1}]'),
    (Plan(City, strict=False), '{"name": "a", "zip_code": "1"}'),
    (Plan(dict[str, Decimal], types={Decimal: via(money, encode=str)}), '{"a": "1.50"}'),
    (Plan(City | Town, tag=tag("kind")), '{"kind": "Town", "mayor": "b"}'),
    (Plan("list[City]", namespace={"City": City}), '[{"name": "a"}]'),
    (Plan(City, times=times("iso"), unix="ms", cells=cells(decimal=",")), '{"name": "a"}'),
    (Plan(Plan(City, rename="camel"), strict=False), '{"name": "a", "zipCode": "1"}'),
]


@pytest.mark.parametrize(("plan", "text"), PLANS)
def test_a_plan_is_pickled_with_its_options(plan: Any, text: str) -> None:
    for other in (pickle.loads(pickle.dumps(plan)), copy.copy(plan), copy.deepcopy(plan)):
        assert repr(other) == repr(plan)
        assert penstock.json.decode(text, other) == penstock.json.decode(text, plan)


def test_a_plan_of_a_class_that_has_no_name_cannot_be() -> None:
    @dataclass
    class Local:
        a: int

    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(Plan(Local))


def test_it_is_generic_in_annotations() -> None:
    assert repr(Plan[City]).startswith("penstock.Plan[")
    assert Plan[City].__origin__ is Plan
    assert Plan[City].__args__ == (City,)


@pytest.mark.parametrize(
    "encoder",
    [
        penstock.json.Encoder(),
        penstock.json.Encoder(Plan(list[City], rename="camel"), indent=2, omit="defaults"),
        penstock.json.Encoder(default=repr, sort_keys=True),
        penstock.ndjson.Encoder(City, framing="sequence"),
        penstock.xml.Encoder(root="cities", declaration=False),
        penstock.csv.Encoder(City),
        penstock.plist.Encoder(form="binary"),
    ],
)
def test_an_encoder_is_pickled_with_its_options(encoder: Any) -> None:
    other = pickle.loads(pickle.dumps(encoder))
    assert type(other) is type(encoder)
    assert other.encode([City("a", 1)]) == encoder.encode([City("a", 1)])


def test_map_takes_plans(tmp_path: Path) -> None:
    path = tmp_path / "cities.ndjson"
    path.write_bytes(b'{"name": "a", "zipCode": "1"}\n' * 1_000)
    plan: Any = Plan(City, rename="camel", strict=False)
    with penstock.map(path, plan, total, processes=2) as found:
        assert sum(found) == 1_000


def total(cities: Any) -> int:
    return sum(city.zip_code for city in cities)
