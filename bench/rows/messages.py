"""Small calls: a document of 60 bytes, 500 bytes or 5 KB in memory, into an object.

The timed code is a statement, as in a program: no function of the benchmark is in between.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import messages
from inputs import Missing
from messages import CLASSES, SIZES
from model import OURS, Bar, Case, Input, Row, Statement, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Call

Form = Callable[[type], type]

DECODER = "penstock Decoder"
GUESSED = "penstock.decode"
VARIANTS = tuple(Variant(size) for size in SIZES)


def source(form: str, size: str) -> Input:
    """Return the messages of a size; the first warms the code up."""
    made = messages.messages(size, form)
    return Input(made, made[:1])


def into(form: Form, size: str) -> type:
    """Return the class of a message of this size."""
    return form(CLASSES[size])


# Each of these makes the statement of a case.


def penstock(form: Form, size: str) -> Call:
    """Penstock's function for the format, with the type named in each call."""
    import penstock.json

    return Statement("penstock.json.decode(data, T)", {"penstock": penstock, "T": into(form, size)})


def penstock_decoder(form: Form, size: str) -> Call:
    """Penstock's decoder, made beforehand."""
    import penstock.json

    decoder = penstock.json.Decoder(into(form, size))
    return Statement("decode(data)", {"decode": whole(decoder)})


def whole(decoder: Any) -> Any:
    """Return the method that decodes a whole document, which older commits do not have."""
    if not hasattr(decoder, "decode"):
        raise Missing("a Decoder has no method for whole documents")
    return decoder.decode


def penstock_guessed(form: Form, size: str) -> Call:
    """Penstock's function that finds the format from the text."""
    import penstock

    return Statement("penstock.decode(data, T)", {"penstock": penstock, "T": into(form, size)})


def msgspec(form: Form, size: str) -> Call:
    """Msgspec's decoder, made beforehand."""
    import msgspec.json

    return Statement("decode(data)", {"decode": msgspec.json.Decoder(into(form, size)).decode})


def pydantic(form: Form, size: str) -> Call:
    """Pydantic's adapter, made beforehand."""
    from pydantic import TypeAdapter

    return Statement("decode(data)", {"decode": TypeAdapter(into(form, size)).validate_json})


def orjson(_: str) -> Call:
    """Orjson, which stops at dicts."""
    import orjson

    return Statement("orjson.loads(data)", {"orjson": orjson})


def stdlib(_: str) -> Call:
    """The standard library, which stops at dicts."""
    import json

    return Statement("json.loads(data)", {"json": json})


def plain_penstock(_: str) -> Call:
    """Penstock without a type."""
    import penstock.json

    return Statement("penstock.json.decode(data)", {"penstock": penstock})


def plain_decoder(_: str) -> Call:
    """Penstock's decoder without a type."""
    import penstock.json

    return Statement("decode(data)", {"decode": whole(penstock.json.Decoder())})


def plain_guessed(_: str) -> Call:
    """Penstock without a type or a format."""
    import penstock

    return Statement("penstock.decode(data)", {"penstock": penstock})


def plain_msgspec(_: str) -> Call:
    """Msgspec without a type."""
    import msgspec.json

    return Statement("decode(data)", {"decode": msgspec.json.Decoder().decode})


def xml_penstock(size: str) -> Call:
    """Penstock, from XML."""
    import penstock.xml

    names = {"penstock": penstock, "T": CLASSES[size]}
    return Statement("penstock.xml.decode(data, T)", names)


def xml_decoder(size: str) -> Call:
    """Penstock's decoder, from XML."""
    import penstock.xml

    return Statement("decode(data)", {"decode": whole(penstock.xml.Decoder(CLASSES[size]))})


def xml_guessed(size: str) -> Call:
    """Penstock, which finds out that it is XML."""
    import penstock

    names = {"penstock": penstock, "T": CLASSES[size]}
    return Statement("penstock.decode(data, T)", names)


def city(element: Any) -> Any:
    """Make a city of an ElementTree or lxml element."""
    text = {child.tag: child.text for child in element}
    if "id" in text:
        return messages.Brief(int(text["id"]), text["name"], float(text["lat"]), text["country"])
    return messages.City(
        int(text["geonameid"]),
        text["name"],
        float(text["latitude"]),
        float(text["longitude"]),
        text["countrycode"],
        int(text["population"]),
        text["timezone"],
        text["admin1code"] or "",
        [name.text or "" for name in element.findall("alternatenames")],
    )


def answer(element: Any) -> Any:
    """Make an answer of an element, or a city."""
    if element.tag == "city":
        return city(element)
    found = [city(child) for child in element.findall("found")]
    return messages.Answer(element.findtext("query"), int(element.findtext("total")), found)


def xml_lxml(_: str) -> Call:
    """Lxml's tree, and the classes called by hand."""
    from lxml import etree

    return Statement("answer(fromstring(data))", {"answer": answer, "fromstring": etree.fromstring})


def xml_stdlib(_: str) -> Call:
    """The standard library's tree, and the classes called by hand."""
    from xml.etree import ElementTree as ET

    names = {"answer": answer, "fromstring": ET.fromstring}
    return Statement("answer(fromstring(data))", names)


def feed(size: str) -> Call:
    """Penstock's decoder of lines, which gets one with each call."""
    import penstock.ndjson

    return Statement("feed(data)[0]", {"feed": penstock.ndjson.Decoder(CLASSES[size]).feed})


CAUGHT = "try: {}\nexcept Error as error: error"


def error_penstock(size: str) -> Call:
    """Penstock's error."""
    import penstock.json

    names = {"penstock": penstock, "T": CLASSES[size], "Error": penstock.ValidationError}
    return Statement(CAUGHT.format("penstock.json.decode(data, T)"), names)


def error_decoder(size: str) -> Call:
    """The same, of a decoder."""
    import penstock.json

    decode = whole(penstock.json.Decoder(CLASSES[size]))
    names = {"decode": decode, "Error": penstock.ValidationError}
    return Statement(CAUGHT.format("decode(data)"), names)


def error_msgspec(size: str) -> Call:
    """Msgspec's error."""
    import msgspec.json

    decode = msgspec.json.Decoder(CLASSES[size]).decode
    names = {"decode": decode, "Error": msgspec.ValidationError}
    return Statement(CAUGHT.format("decode(data)"), names)


def error_pydantic(size: str) -> Call:
    """Pydantic's error."""
    import pydantic

    decode = pydantic.TypeAdapter(messages.pydantic_dataclass(CLASSES[size])).validate_json
    names = {"decode": decode, "Error": pydantic.ValidationError}
    return Statement(CAUGHT.format("decode(data)"), names)


def values(made: Any) -> Iterable[object]:
    """Return the values of the messages."""
    return map(messages.plain, made)


def at_most(times: float, of: str, size: str, ours: str = OURS) -> Bar:
    """Promise that a case of Penstock takes at most `times` the time of another."""
    said = "" if ours == OURS else f"{ours} "
    return Bar(
        f"{said}of {of}, {size}",
        lambda median: median(ours, size, "ns") / median(of, size, "ns"),
        times,
        at_least=False,
    )


def row(
    key: str, title: str, form: str, cases: tuple[Case, ...], bars: Iterable[Bar] = (), **more: Any
) -> Row:
    """Return a row over the three sizes."""
    return Row(
        key,
        title,
        VARIANTS,
        cases,
        partial(source, form),
        more.pop("values", values),
        tuple(bars),
        measure="calls",
        metrics=("ns",),
        together=True,
        **more,
    )


def ours(form: Form) -> tuple[Case, ...]:
    """Return Penstock's ways to decode into a form of the classes."""
    return (
        Case(OURS, partial(penstock, form), (OURS,)),
        Case(DECODER, partial(penstock_decoder, form), (OURS,)),
    )


MSGSPEC = Case("msgspec", partial(msgspec, messages.slots), ("msgspec",))
GUESS = Case(GUESSED, partial(penstock_guessed, messages.slots), (OURS,))
WITHIN = {"60 B": 1.1, "500 B": 0.9, "5 KB": 0.9}
PLAIN_WITHIN = {"60 B": 1.1, "500 B": 1.0, "5 KB": 1.0}
SLOTS = "into slots dataclasses"

ROWS = (
    row(
        "messages",
        f"small documents, {SLOTS}",
        "json",
        (
            *ours(messages.slots),
            GUESS,
            MSGSPEC,
            Case("msgspec Struct", partial(msgspec, messages.struct), ("msgspec",)),
            Case("orjson dicts", orjson, ("orjson",)),
            Case(
                "pydantic dataclass", partial(pydantic, messages.pydantic_dataclass), ("pydantic",)
            ),
            Case("json dicts", stdlib),
        ),
        (
            *(at_most(WITHIN[size], "msgspec", size) for size in SIZES),
            *(at_most(WITHIN[size], "msgspec", size, DECODER) for size in SIZES),
            *(at_most(1.2, OURS, size, GUESSED) for size in SIZES),
        ),
    ),
    row(
        "messages-dict",
        "small documents, into dataclasses without slots",
        "json",
        (
            *ours(messages.without_slots),
            Case("msgspec", partial(msgspec, messages.without_slots), ("msgspec",)),
        ),
    ),
    row(
        "messages-model",
        "small documents, into pydantic models",
        "json",
        (*ours(messages.model), Case("pydantic", partial(pydantic, messages.model), ("pydantic",))),
    ),
    row(
        "messages-typed-dict",
        "small documents, into typed dicts",
        "json",
        (
            *ours(messages.typed_dict),
            Case("msgspec", partial(msgspec, messages.typed_dict), ("msgspec",)),
            Case("pydantic", partial(pydantic, messages.typed_dict), ("pydantic",)),
        ),
    ),
    row(
        "messages-plain",
        "small documents, to plain values",
        "json",
        (
            Case(OURS, plain_penstock, (OURS,)),
            Case(DECODER, plain_decoder, (OURS,)),
            Case(GUESSED, plain_guessed, (OURS,)),
            Case("orjson", orjson, ("orjson",)),
            Case("msgspec", plain_msgspec, ("msgspec",)),
            Case("json", stdlib),
        ),
        (
            *(at_most(PLAIN_WITHIN[size], "orjson", size) for size in SIZES),
            *(at_most(PLAIN_WITHIN[size], "orjson", size, DECODER) for size in SIZES),
            *(at_most(1.2, OURS, size, GUESSED) for size in SIZES),
        ),
    ),
    row(
        "messages-xml",
        f"the same documents as XML, {SLOTS}",
        "xml",
        (
            Case(OURS, xml_penstock, (OURS,)),
            Case(DECODER, xml_decoder, (OURS,)),
            Case(GUESSED, xml_guessed, (OURS,)),
            Case("lxml.fromstring", xml_lxml, ("lxml",)),
            Case("ElementTree.fromstring", xml_stdlib),
        ),
        (at_most(1.2, OURS, size, GUESSED) for size in SIZES),
    ),
    row(
        "messages-feed",
        f"one record with each call of feed, {SLOTS}",
        "line",
        (Case(OURS, feed, (OURS,)), MSGSPEC),
    ),
    row(
        "messages-error",
        "a number that is a text: the error, raised and caught",
        "wrong",
        (
            Case(OURS, error_penstock, (OURS,)),
            Case(DECODER, error_decoder, (OURS,)),
            Case("msgspec", error_msgspec, ("msgspec",)),
            Case("pydantic", error_pydantic, ("pydantic",)),
        ),
        values=None,
    ),
)
