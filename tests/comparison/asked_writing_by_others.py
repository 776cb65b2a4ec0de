"""What other encoders do on purpose, as their documentation says, with classes and data of our own.

The right answer is that of the library which has the option, whether Penstock has it or not.
"""

import collections
import datetime
import functools
import json
import types
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import numpy as np
import orjson
import pydantic
from asked_classes import Derived, Plain
from asking_writing import (
    Document,
    Text,
    Way,
    Written,
    cattrs_with,
    config,
    converter,
    json_with,
    mashumaro_with,
    msgspec_with,
    orjson_with,
    penstock_with,
    pydantic_with,
)
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.strategies import include_subclasses
from mashumaro import field_options

import penstock

UTC = datetime.UTC
NAIVE = datetime.datetime(2026, 3, 1, 12, 30)  # noqa: DTZ001 - it is naive
ID = uuid.UUID("12345678-1234-5678-1234-567812345678")


def asked(name: str, into: Any, value: Any, want: Any, **more: Any) -> Written:
    return Written(name, into, value, want, on_demand=True, **more)


def to_json(**options: Any) -> Mapping[str, Way]:
    """The options of `json.dumps`, for the libraries that hand them on."""
    said = ", ".join(f"`{name}`" for name in options)
    return {
        "json": json_with(said, **options),
        "cattrs": cattrs_with(said, **options),
        "mashumaro": mashumaro_with(
            "`post_encoder_func`", functools.partial(json.dumps, **options)
        ),
    }


JSON = [
    asked(
        "indented by tabs",
        Any,
        {"a": [1]},
        Text('{\n\t"a": [\n\t\t1\n\t]\n}'),
        ways=to_json(indent="\t"),
    ),
    asked(
        "separators of your own",
        Any,
        {"a": [1, 2]},
        Text('{"a":[1 , 2]}'),
        ways=to_json(separators=(" , ", ":")),
    ),
    asked(
        "without the keys that are no text",
        Any,
        {"a": 1, (1, 2): 3},
        Document({"a": 1}),
        ways=to_json(skipkeys=True),
    ),
    asked(
        "any value, by a function",
        Any,
        [object],
        Document(["type"]),
        ways={
            "msgspec": msgspec_with("`enc_hook=`", enc_hook=lambda it: type(it).__name__),
            "pydantic": pydantic_with("`fallback=`", fallback=lambda it: type(it).__name__),
            "orjson": orjson_with("`default=`", default=lambda it: type(it).__name__),
            "json": json_with("`default=`", default=lambda it: type(it).__name__),
            **{
                library: cattrs_with("`default=`", default=lambda it: type(it).__name__)
                for library in ["cattrs"]
            },
            "mashumaro": mashumaro_with(
                "`post_encoder_func`",
                functools.partial(json.dumps, default=lambda it: type(it).__name__),
            ),
        },
    ),
]

ORJSON = [
    asked(
        "a naive `datetime`, as UTC",
        datetime.datetime,
        NAIVE,
        Text('"2026-03-01T12:30:00+00:00"'),
        ways={"orjson": orjson_with("`OPT_NAIVE_UTC`", orjson.OPT_NAIVE_UTC)},
    ),
    asked(
        "`Z` for UTC",
        datetime.datetime,
        NAIVE.replace(tzinfo=UTC),
        Text('"2026-03-01T12:30:00Z"'),
        ways={"orjson": orjson_with("`OPT_UTC_Z`", orjson.OPT_UTC_Z)},
    ),
    asked(
        "a `datetime` without its microseconds",
        datetime.datetime,
        NAIVE.replace(microsecond=5),
        Text('"2026-03-01T12:30:00"'),
        ways={"orjson": orjson_with("`OPT_OMIT_MICROSECONDS`", orjson.OPT_OMIT_MICROSECONDS)},
    ),
    asked(
        "a line feed at the end",
        Any,
        [1],
        Document([1]),
        asks={
            "Penstock": lambda _, value: ended(penstock.ndjson.encode([value])),
            "msgspec": lambda _, value: ended(msgspec.json.Encoder().encode_lines([value])),
            "orjson": lambda _, value: ended(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)),
            **dict.fromkeys(
                ["pydantic", "cattrs", "mashumaro", "json"],
                lambda _, value: ended(json.dumps(value).encode()),
            ),
        },
        remarks={
            "Penstock": "with `penstock.ndjson.encode`",
            "msgspec": "with `encode_lines`",
            "orjson": "with `OPT_APPEND_NEWLINE`",
        },
    ),
    asked(
        "a numpy array",
        Any,
        np.array([[1.5, 2.0]]),
        Document([[1.5, 2.0]]),
        ways={"orjson": orjson_with("`OPT_SERIALIZE_NUMPY`", orjson.OPT_SERIALIZE_NUMPY)},
    ),
    asked(
        "text that is JSON already",
        Any,
        [b'{"x":1}'],
        Document([{"x": 1}]),
        values={"orjson": [orjson.Fragment(b'{"x":1}')], "msgspec": [msgspec.Raw(b'{"x":1}')]},
        remarks={"orjson": "with `Fragment`", "msgspec": "with `Raw`"},
    ),
]


def ended(text: bytes) -> bytes:
    """Return the text, or nothing if no line feed ends it."""
    return text if text.endswith(b"\n") else b""


class Array(msgspec.Struct, array_like=True):
    x: int
    y: int = 0


class Sparse(msgspec.Struct, omit_defaults=True):
    x: int = 0
    y: int = 1


class Unset(msgspec.Struct):
    x: int | msgspec.UnsetType = msgspec.UNSET
    y: int = 1


def encode_into(_: Any, value: Any) -> bytes:
    buffer = bytearray(b"head:")
    msgspec.json.Encoder().encode_into(value, buffer, 5)
    return bytes(buffer[5:])


MSGSPEC = [
    asked("a `Struct` as an array", Array, Array(1, 2), Text("[1,2]")),
    asked("a `Struct` without its defaults", Sparse, Sparse(2), Document({"x": 2})),
    asked("a `Struct` with `UNSET`", Unset, Unset(), Document({"y": 1})),
    asked(
        "a set in its order",
        set[int],
        {30, 2, 100_000, 7},
        Text("[2,7,30,100000]"),
        ways={"msgspec": msgspec_with('`order="deterministic"`', order="deterministic")},
    ),
    asked(
        "a `UUID` without hyphens",
        uuid.UUID,
        ID,
        Text(f'"{ID.hex}"'),
        ways={"msgspec": msgspec_with('`uuid_format="hex"`', uuid_format="hex")},
    ),
    asked(
        "into a buffer of the caller",
        Any,
        [1],
        Text("[1]"),
        asks={
            "msgspec": encode_into,
            **dict.fromkeys(
                ["Penstock", "pydantic", "cattrs", "mashumaro", "orjson", "json"], lambda *_: b""
            ),
        },
        remarks={"msgspec": "with `encode_into`"},
    ),
]


class Rectangle(pydantic.BaseModel):
    width: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def area(self) -> int:
        return self.width**2


class Shouting(pydantic.BaseModel):
    name: str

    @pydantic.field_serializer("name")
    def loud(self, value: str) -> str:
        return value.upper()


class Hiding(pydantic.BaseModel):
    x: int
    secret: str = pydantic.Field("a", exclude=True)


class Locked(pydantic.BaseModel):
    key: pydantic.SecretStr


class Renamed(pydantic.BaseModel):
    first_name: str = pydantic.Field(alias="firstName")


class Wrapper(pydantic.RootModel[list[int]]):
    pass


PYDANTIC = [
    asked(
        "a model with a `computed_field`",
        Rectangle,
        Rectangle(width=2),
        Document({"width": 2, "area": 4}),
    ),
    asked(
        "a model with a `field_serializer`", Shouting, Shouting(name="a"), Document({"name": "A"})
    ),
    asked("a model with `Field(exclude=True)`", Hiding, Hiding(x=1), Document({"x": 1})),
    asked(
        "a model's alias",
        Renamed,
        Renamed(firstName="a"),
        Document({"firstName": "a"}),
        ways={"pydantic": pydantic_with("`by_alias=True`", by_alias=True)},
    ),
    asked(
        "a model without the fields that were not set",
        Renamed,
        Renamed.model_construct(),
        Document({}),
        ways={"pydantic": pydantic_with("`exclude_unset=True`", exclude_unset=True)},
    ),
    asked("a `RootModel`", Wrapper, Wrapper([1, 2]), Text("[1,2]")),
    asked("a `SecretStr`, as stars", Locked, Locked(key="a"), Document({"key": "**********"})),
    asked(
        "an object of a derived class, with its fields",
        list[Plain],
        [Derived(1, 2, 3)],
        Document([{"x": 1, "y": 2, "z": 3}]),
        ways={
            "pydantic": pydantic_with("`serialize_as_any=True`", serialize_as_any=True),
            "cattrs": converter(
                "`include_subclasses`", lambda made, _: include_subclasses(Plain, made)
            ),
        },
    ),
    asked(
        "some of the fields",
        Plain,
        Plain(1, 2),
        Document({"x": 1}),
        ways={"pydantic": pydantic_with("`include=`", include={"x"})},
    ),
    asked(
        "a `timedelta` in seconds",
        datetime.timedelta,
        datetime.timedelta(minutes=1),
        Document(60),
        ways={"pydantic": config('`ser_json_timedelta="float"`', ser_json_timedelta="float")},
    ),
]


def without_y(made: Any, into: Any) -> None:
    made.register_unstructure_hook(
        into, make_dict_unstructure_fn(into, made, y=override(omit=True))
    )


def as_array(made: Any, _: Any) -> None:
    made.register_unstructure_hook(Plain, lambda it: [it.x, it.y])


CATTRS = [
    asked(
        "without a field that is named",
        Plain,
        Plain(1, 2),
        Document({"x": 1}),
        ways={
            "cattrs": converter("`override(omit=True)`", without_y),
            "pydantic": pydantic_with("`exclude=`", exclude={"y"}),
        },
    ),
    asked(
        "a class of yours in another form",
        list[Plain],
        [Plain(1, 2)],
        Document([[1, 2]]),
        ways={
            "cattrs": converter("`register_unstructure_hook`", as_array),
            "Penstock": penstock_with(
                "`types=`",
                types={Plain: penstock.via(lambda it: Plain(*it), encode=lambda it: [it.x, it.y])},
            ),
        },
    ),
]


@dataclass
class Dated:
    day: datetime.date = field(
        metadata=field_options(serialize=lambda day: day.strftime("%d.%m.%Y"))
    )


@dataclass
class Patterned:
    day: Annotated[datetime.date, penstock.times("%d.%m.%Y")]


@dataclass
class Functional:
    day: Annotated[
        datetime.date,
        penstock.via(
            lambda text: datetime.datetime.strptime(text, "%d.%m.%Y").date(),  # noqa: DTZ007
            encode=lambda day: day.strftime("%d.%m.%Y"),
        ),
    ]


DAY = datetime.date(2026, 3, 1)
MASHUMARO = [
    asked(
        "a `date` by a function at the field",
        Dated,
        Dated(DAY),
        Document({"day": "01.03.2026"}),
        of={"Penstock": Functional},
        values={"Penstock": Functional(DAY)},
        remarks={"mashumaro": "with `field_options`", "Penstock": "with `via(..., encode=)`"},
    ),
    asked(
        "`MappingProxyType[str, int]`",
        types.MappingProxyType[str, int],
        types.MappingProxyType({"a": 1}),
        Document({"a": 1}),
    ),
    asked(
        "`ChainMap[str, int]`",
        collections.ChainMap[str, int],
        collections.ChainMap({"a": 1}),
        Document([{"a": 1}]),
    ),
    asked("`timezone`", datetime.timezone, UTC, Text('"UTC"')),
]

WHY = {
    "indented by tabs": "spaces only",
    "separators of your own": "`indent` or none",
    "without the keys that are no text": "the members would be lost",
    "any value, by a function": "`types=` takes a function for each type",
    "a naive `datetime`, as UTC": "it would read back as another value",
    "a `datetime` without its microseconds": "it would read back as another value",
    "a numpy array": "not there yet",
    "text that is JSON already": "not there yet",
    "a `Struct` without its defaults": '`omit="defaults"` says it',
    "a set in its order": "a set is written in the order of its iteration",
    "a `UUID` without hyphens": "one form of each value",
    "into a buffer of the caller": "`dump` writes to a file or a function",
    "a model with a `computed_field`": "it is no field, and would not be read back",
    "a model with a `field_serializer`": "nothing says how to undo it",
    "a model without the fields that were not set": '`omit="defaults"` is near',
    "some of the fields": "a class of its own says which",
    "a `timedelta` in seconds": "a number has no unit",
    "without a field that is named": "a class of its own says which",
    "`MappingProxyType[str, int]`": "not there yet",
    "`ChainMap[str, int]`": "not there yet",
    "`timezone`": "not there yet",
    "an object of a derived class, with its fields": "it would be read back as the base",
    "a `SecretStr`, as stars": "the secret would not be read back",
}

TABLES: Mapping[str, Sequence[Written]] = {
    "json": JSON,
    "orjson": ORJSON,
    "msgspec": MSGSPEC,
    "pydantic": PYDANTIC,
    "cattrs": CATTRS,
    "mashumaro": MASHUMARO,
}
