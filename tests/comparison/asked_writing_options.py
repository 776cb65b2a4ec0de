"""The options that every encoder is asked for, with the value and the text."""

import dataclasses
import datetime
import decimal
import functools
import json
import math
from dataclasses import dataclass, field
from typing import Annotated, Any

import asked_classes
import msgspec
import orjson
from asked_classes import Plain
from asking_writing import (
    Document,
    Text,
    Way,
    Written,
    cattrs_with,
    config,
    converter,
    dialect,
    json_with,
    mashumaro_with,
    msgspec_with,
    orjson_with,
    penstock_with,
    plan,
    pydantic_with,
)
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.strategies import configure_tagged_union

import penstock

UTC = datetime.UTC


@dataclass
class Station:
    first_name: str
    note: str | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Reversed:
    b: int
    a: int


@dataclass
class Placed:
    latitude: Annotated[float, penstock.at("position/lat")]
    longitude: Annotated[float, penstock.at("position/lon")]


def rename(made: Any, into: Any) -> None:
    named = {each.name: override(rename=camel(each.name)) for each in dataclasses.fields(into)}
    made.register_unstructure_hook(into, make_dict_unstructure_fn(into, made, **named))


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


Money = asked_classes.Money


def price(value: Any) -> str:
    if isinstance(value, Money):
        return str(value.amount)
    return dataclasses.asdict(value)


UNSORTED = {"\U0001f600": 1, "\ufb01": 2, "b": 3, "a": 4}
NUMBERS = [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, 1e21, 1e20, -0.0, 9.5e-7]


def asked_for(name: str, into: Any, value: Any, want: Any, **more: Any) -> Written:
    return Written(name, into, value, want, on_demand=True, **more)


def tagged(made: Any, union: Any) -> None:
    configure_tagged_union(union, made, tag_name="type")


def lines(value: Any) -> bytes:
    return msgspec.json.Encoder().encode_lines(value)


OPTIONS = [
    asked_for(
        "indented by two spaces",
        Any,
        {"a": [1, {}], "b": []},
        Text(json.dumps({"a": [1, {}], "b": []}, indent=2)),
        ways={
            "Penstock": penstock_with("`indent=2`", indent=2),
            "msgspec": Way(
                "`msgspec.json.format`",
                lambda _, value: msgspec.json.format(msgspec.json.encode(value), indent=2),
            ),
            "pydantic": pydantic_with("`indent=2`", indent=2),
            "cattrs": cattrs_with("`indent=2`", indent=2),
            "mashumaro": mashumaro_with(
                "`post_encoder_func`", functools.partial(json.dumps, indent=2)
            ),
            "orjson": orjson_with("`OPT_INDENT_2`", orjson.OPT_INDENT_2),
            "json": json_with("`indent=2`", indent=2),
        },
    ),
    asked_for(
        "members in the order of their keys",
        Any,
        {"b": 1, "a": 2},
        Document({"a": 2, "b": 1}, ordered=True),
        ways={
            "Penstock": penstock_with("`sort_keys=True`", sort_keys=True),
            "msgspec": msgspec_with('`order="sorted"`', order="sorted"),
            "cattrs": cattrs_with("`sort_keys=True`", sort_keys=True),
            "mashumaro": mashumaro_with(
                "`post_encoder_func`", functools.partial(json.dumps, sort_keys=True)
            ),
            "orjson": orjson_with("`OPT_SORT_KEYS`", orjson.OPT_SORT_KEYS),
            "json": json_with("`sort_keys=True`", sort_keys=True),
        },
    ),
    asked_for(
        "the fields of a class in the order of their keys",
        Reversed,
        Reversed(1, 2),
        Document({"a": 2, "b": 1}, ordered=True),
        ways={
            "Penstock": penstock_with("`sort_keys=True`", sort_keys=True),
            "msgspec": msgspec_with('`order="sorted"`', order="sorted"),
            "cattrs": cattrs_with("`sort_keys=True`", sort_keys=True),
            "mashumaro": mashumaro_with(
                "`post_encoder_func`", functools.partial(json.dumps, sort_keys=True)
            ),
            "orjson": orjson_with("`OPT_SORT_KEYS`", orjson.OPT_SORT_KEYS),
        },
    ),
    asked_for(
        "RFC 8785: the order of keys",
        Any,
        UNSORTED,
        Text('{"a":4,"b":3,"\U0001f600":1,"\ufb01":2}'),
        ways={
            "Penstock": penstock_with("`canonical=True`", canonical=True),
            "msgspec": msgspec_with('`order="sorted"`', order="sorted"),
            "orjson": orjson_with("`OPT_SORT_KEYS`", orjson.OPT_SORT_KEYS),
            "json": json_with("options", sort_keys=True, ensure_ascii=False, separators=(",", ":")),
        },
    ),
    asked_for(
        "RFC 8785: numbers",
        Any,
        NUMBERS,
        Text("[333333333.3333333,1e+30,4.5,0.002,1e-27,1e+21,100000000000000000000,0,9.5e-7]"),
        ways={"Penstock": penstock_with("`canonical=True`", canonical=True)},
    ),
    asked_for(
        "ASCII only",
        Any,
        "\u00e9\U0001f600",
        Text(r'"\u00e9\ud83d\ude00"'),
        ways={
            "Penstock": penstock_with("`ascii=True`", ascii=True),
            "pydantic": pydantic_with("`ensure_ascii=True`", ensure_ascii=True),
        },
    ),
    asked_for(
        "without the fields that are None",
        Station,
        Station("a"),
        Document({"first_name": "a", "tags": []}),
        ways={
            "Penstock": penstock_with('`omit="none"`', omit="none"),
            "pydantic": pydantic_with("`exclude_none=True`", exclude_none=True),
            "mashumaro": dialect("`omit_none` of a dialect", omit_none=True),
        },
    ),
    asked_for(
        "without the fields that have their default",
        Station,
        Station("a"),
        Document({"first_name": "a"}),
        ways={
            "Penstock": penstock_with('`omit="defaults"`', omit="defaults"),
            "pydantic": pydantic_with("`exclude_defaults=True`", exclude_defaults=True),
            "cattrs": converter("`omit_if_default=True`", omit_if_default=True),
            "mashumaro": dialect("`omit_default` of a dialect", omit_default=True),
        },
    ),
    asked_for(
        "camelCase keys",
        asked_classes.Person,
        asked_classes.Person("a"),
        Document({"firstName": "a"}),
        ways={
            "Penstock": plan('`rename="camel"`', rename="camel"),
            "cattrs": converter("`override(rename=...)` for each field", rename),
        },
    ),
    asked_for(
        "a field in an object of its own",
        Placed,
        Placed(46.95, 7.45),
        Document({"position": {"lat": 46.95, "lon": 7.45}}),
        remarks={"Penstock": '`at("position/lat")` at the field'},
    ),
    asked_for(
        "a key that tells two classes apart",
        asked_classes.Red | asked_classes.Blue,
        asked_classes.Blue(1),
        Document({"type": "Blue", "x": 1}),
        ways={
            "Penstock": plan('`tag="type"`', tag="type"),
            "cattrs": converter("`configure_tagged_union`", tagged),
        },
    ),
    asked_for(
        "a type of your own, by a function given to the call",
        asked_classes.Order,
        asked_classes.Order(Money.parse("1.10")),
        Document({"price": "1.10"}),
        ways={
            "Penstock": penstock_with(
                "`types=`", types={Money: penstock.via(Money.parse, encode=price)}
            ),
            "msgspec": msgspec_with("`enc_hook=`", enc_hook=price),
            "pydantic": pydantic_with("`fallback=`", fallback=price),
            "cattrs": converter(
                "`register_unstructure_hook`",
                lambda made, _: made.register_unstructure_hook(Money, price),
            ),
            "mashumaro": dialect(
                "`serialization_strategy` of a dialect",
                serialization_strategy={Money: {"serialize": price, "deserialize": Money.parse}},
            ),
            "orjson": orjson_with("`default=`", default=price),
            "json": json_with("`default=`", default=price),
        },
    ),
    asked_for(
        "a `datetime` as unix seconds",
        datetime.datetime,
        datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        Document(1_700_000_000),
        ways={
            "Penstock": plan('`unix="s"`', unix="s"),
            "pydantic": config('`ser_json_temporal="seconds"`', ser_json_temporal="seconds"),
        },
    ),
    asked_for(
        "`bytes` in hexadecimal digits",
        bytes,
        b"\xff\x00",
        Text('"ff00"'),
        ways={
            "Penstock": penstock_with('`binary="hex"`', binary="hex"),
            "pydantic": config('`ser_json_bytes="hex"`', ser_json_bytes="hex"),
        },
    ),
    asked_for(
        "a `Decimal` as a number, all digits",
        decimal.Decimal,
        decimal.Decimal("0.123456789012345678901234567890"),
        Text("0.123456789012345678901234567890"),
        ways={
            "msgspec": msgspec_with('`decimal_format="number"`', decimal_format="number"),
        },
    ),
    asked_for(
        "a `Decimal` as text",
        decimal.Decimal,
        decimal.Decimal("1.10"),
        Text('"1.10"'),
        ways={"Penstock": penstock_with('`decimals="text"`', decimals="text")},
    ),
    asked_for(
        "`2**53 + 1` as text, other ints as numbers",
        Any,
        [2**53 + 1, 1],
        Document([str(2**53 + 1), 1]),
        ways={"Penstock": penstock_with('`large_ints="text"`', large_ints="text")},
    ),
    asked_for(
        "`nan` as null",
        float,
        math.nan,
        Text("null"),
        ways={
            "Penstock": penstock_with('`non_finite="null"`', non_finite="null"),
        },
    ),
    asked_for(
        "NDJSON",
        list[Plain],
        [Plain(1, 2), Plain(3, 4)],
        Text('{"x":1,"y":2}\n{"x":3,"y":4}\n'),
        ways={
            "Penstock": Way(
                "`penstock.ndjson.encode`", lambda _, value: penstock.ndjson.encode(value)
            ),
            "msgspec": Way("`Encoder.encode_lines`", lambda _, value: lines(value)),
        },
    ),
]
