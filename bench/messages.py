"""Small documents, such as a service gets: real cities as JSON and XML of three sizes.

A message of 60 bytes is a city's short form, one of 500 bytes a city with all its fields, and one
of 5 KB the answer to a query: some twenty cities. There are sixteen different ones of each size, so
that the branch predictor does not learn them by heart.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import inputs
from classes import City

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIZES = {"60 B": 60, "500 B": 500, "5 KB": 5_000}
MESSAGES = 16


@dataclass(slots=True)
class Brief:
    """A city in short."""

    id: int
    name: str
    lat: float
    country: str


@dataclass(slots=True)
class Answer:
    """The result of a query."""

    query: str
    total: int
    found: list[City]


CLASSES: dict[str, type] = {"60 B": Brief, "500 B": City, "5 KB": Answer}


Record = dict[str, Any]


def records(size: str) -> list[Record]:
    """Return the messages of a size: the real cities that come closest to it."""
    cities: list[Record] = list(json.loads(inputs.cities().read_bytes()).values())
    if size == "60 B":
        made = [
            {
                "id": city["geonameid"],
                "name": city["name"],
                "lat": city["latitude"],
                "country": city["countrycode"],
            }
            for city in cities
        ]
    elif size == "500 B":
        made = cities
    else:
        made = [
            {"query": found[0]["name"], "total": len(cities), "found": found}
            for found in (cities[start : start + 21] for start in range(0, len(cities), 1_000))
        ]
    return sorted(made, key=lambda record: (abs(len(text(record)) - SIZES[size]), text(record)))[
        :MESSAGES
    ]


def text(record: Record) -> bytes:
    """Return a message as JSON, in the form in which services write it."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def element(name: str, value: Any) -> Iterator[str]:
    """Yield a value as XML: an element for each field, and a list as an element repeated."""
    from xml.sax.saxutils import escape

    if isinstance(value, list):
        for each in value:
            yield from element(name, each)
    elif isinstance(value, dict):
        yield f"<{name}>"
        for key, each in value.items():
            yield from element(key, each)
        yield f"</{name}>"
    else:
        yield f"<{name}>{escape(str(value))}</{name}>"


def markup(record: Record) -> bytes:
    """Return a message as XML."""
    return "".join(element("answer" if "found" in record else "city", record)).encode()


def wrong(record: Record) -> bytes:
    """Return a message as JSON, with a text in place of its last number."""
    spoilt = json.loads(text(record))
    last = spoilt["found"][-1] if "found" in spoilt else spoilt
    last["lat" if "lat" in last else "latitude"] = "north"
    return text(spoilt)


def line(record: Record) -> bytes:
    """Return a message as a line."""
    return text(record) + b"\n"


FORMS: dict[str, Callable[[Record], bytes]] = {
    "json": text,
    "xml": markup,
    "wrong": wrong,
    "line": line,
}


def messages(size: str, form: str) -> list[bytes]:
    """Return the messages of a size in one of the forms, made on first use."""

    def write(path: Path) -> None:
        made = [FORMS[form](record).decode() for record in records(size)]
        path.write_text(json.dumps(made), "utf-8")

    path = inputs.cached(f"messages-{SIZES[size]}-{form}.json", write)
    return [message.encode() for message in json.loads(path.read_bytes())]


# The same classes in other forms. Each is made from the one above, and so are the classes in it.


def slots(cls: type) -> type:
    """Return the dataclass with slots."""
    return cls


def without_slots(cls: type) -> type:
    """Return a dataclass whose objects have a `__dict__`."""
    return dataclasses.make_dataclass(cls.__name__, fields(cls, without_slots).items())


def struct(cls: type) -> type:
    """Return a Struct of msgspec."""
    import msgspec

    return msgspec.defstruct(cls.__name__, list(fields(cls, struct).items()))


def model(cls: type) -> type:
    """Return a model of pydantic."""
    import pydantic

    named = {name: (kind, ...) for name, kind in fields(cls, model).items()}
    return pydantic.create_model(cls.__name__, **named)  # type: ignore[call-overload]


def pydantic_dataclass(cls: type) -> type:
    """Return a dataclass of pydantic with slots."""
    import pydantic.dataclasses

    made = fields(cls, pydantic_dataclass)
    plain = type(cls.__name__, (), {"__annotations__": made, "__module__": __name__})
    return pydantic.dataclasses.dataclass(plain, slots=True)


def typed_dict(cls: type) -> type:
    """Return a typed dict; pydantic wants that of `typing_extensions` here."""
    import typing_extensions

    return typing_extensions.TypedDict(cls.__name__, fields(cls, typed_dict))  # type: ignore[operator]


def fields(cls: type, form: Callable[[type], type]) -> dict[str, Any]:
    """Return the fields of a class, with the classes in them in another form."""

    def formed(kind: Any) -> Any:
        if dataclasses.is_dataclass(kind):
            assert isinstance(kind, type)
            return form(kind)
        inner = get_args(kind)
        return list[formed(inner[0])] if inner else kind  # type: ignore[misc]

    return {name: formed(kind) for name, kind in get_type_hints(cls).items()}


def plain(value: Any) -> Any:
    """Return a library's value as dicts, lists and scalars."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if type(value).__module__ == "builtins":
        return value
    return {name: plain(getattr(value, name)) for name in get_type_hints(type(value))}
