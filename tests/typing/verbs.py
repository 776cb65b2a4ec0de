"""The type that a checker infers from the type argument. Checked, not run: see `make check`."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, assert_type

import penstock
from penstock._parts.rows import Rows


@dataclass(slots=True)
class City:
    name: str
    population: int


class Point(NamedTuple):
    x: float
    y: float


class Row(TypedDict):
    a: int


path = Path("cities.json")

# decode: the whole document, in memory.
assert_type(penstock.decode(b"{}"), Any)
assert_type(penstock.decode(b"{}", City), City)
assert_type(penstock.decode("[]", list[City]), list[City])
assert_type(penstock.decode("[]", City | Point), City | Point)
assert_type(penstock.decode("[]", City | None), City | None)
assert_type(penstock.decode("[]", dict[str, City | None]), dict[str, City | None])
assert_type(penstock.decode('"q"', Literal["q"]), Literal["q"])
assert_type(penstock.decode("[]", list[City], format="ndjson"), list[City])
assert_type(penstock.json.decode(bytearray()), Any)
assert_type(penstock.json.decode(memoryview(b""), City), City)
assert_type(penstock.json.decode("{}", Row), Row)
assert_type(penstock.json.decode("{}", City | Point, unknown="error"), City | Point)
assert_type(penstock.ndjson.decode(b""), list[Any])
assert_type(penstock.ndjson.decode(b"", City), list[City])
assert_type(penstock.ndjson.decode(b"", City | Point, framing="sequence"), list[City | Point])

# load: the same from a file or a stream.
assert_type(penstock.load(path), Any)
assert_type(penstock.load("cities.json.gz", list[City]), list[City])
assert_type(penstock.load(path.open("rb"), City | Point), City | Point)
assert_type(penstock.load([b"[", b"]"], list[int], format="json"), list[int])
assert_type(penstock.json.load(path, City), City)
assert_type(penstock.json.load(path, list[City], compression=None), list[City])
assert_type(penstock.ndjson.load(path, City | None), list[City | None])

# open: to look into, or the records as a type.
assert_type(penstock.open(path), Any)
assert_type(penstock.open(path, City), penstock.Records[City] | Rows[City])
assert_type(penstock.open(b"[]", at="*"), penstock.Records[Any])
assert_type(penstock.json.open(path), penstock.Document)
assert_type(penstock.json.open(b"[]", City | Point), penstock.Records[City | Point])
assert_type(penstock.json.open(path, list[int], at="*")[0], list[int])
assert_type(penstock.json.open(path, City)[1:], list[City])
document = penstock.json.open(path)
assert_type(document["items"][3]["name"], Any)
assert_type(document.to(City), City)
assert_type(document.to(), Any)
assert_type(document.to(City | Point, at="a/b"), City | Point)
assert_type(document.at("*"), Iterator[Any])
assert_type(document.path, str)
document.items()

# read: a record at a time.
assert_type(penstock.read(path), penstock.Reader[Any])
assert_type(penstock.read(path, City, at="*"), penstock.Reader[City])
assert_type(penstock.json.read(path, City | Point), penstock.Reader[City | Point])
assert_type(penstock.ndjson.read(path, list[int], errors=print), penstock.Reader[list[int]])
with penstock.read(path, City) as reader:
    assert_type(next(reader), City)
    assert_type([city for city in reader], list[City])  # noqa: C416 - iterating is what is typed
    assert_type(reader.batches(100), Iterator[list[City]])
    assert_type(reader.progress, penstock.Progress)
    assert_type(reader.progress.bytes_total, int | None)
    assert_type(reader.skipped, int)
    assert_type(reader.unknown, dict[str, int])

# encode, dump, write: the way back.
assert_type(penstock.encode([City("Bern", 1)], format="json"), bytes)
assert_type(penstock.encode([City("Bern", 1)], list[City], format="ndjson"), bytes)
assert_type(penstock.ndjson.encode(iter([1, 2]), int), bytes)
penstock.dump([1], path, level=9, sync=True)
penstock.json.dump({"a": 1}, print, indent=1)
penstock.ndjson.dump((n for n in range(2)), path.open("wb"), append=False)
assert_type(penstock.write(path), penstock.Writer[Any])
assert_type(penstock.json.write(path, City | Point, at="a/*"), penstock.Writer[City | Point])
with penstock.ndjson.write(path, City, append=True, torn="cut") as writer:
    writer.write(City("Bern", 1))
    writer.write_all(penstock.read(path, City))
    assert_type(writer.progress, penstock.WriterProgress)
    assert_type(writer.progress.records, int)
    assert_type(writer.closed, bool)
assert_type(penstock.json.Encoder(City).chunks([City("Bern", 1)], size=1), Iterator[bytes])

# Decoder: from chunks.
assert_type(penstock.Decoder(City, format="ndjson"), penstock.Decoder[City])
assert_type(penstock.json.Decoder(), penstock.json.Decoder[Any])
assert_type(penstock.json.Decoder(City | Point).feed(b""), list[City | Point])
assert_type(penstock.ndjson.Decoder(City, framing="concatenated").finish(), list[City])
decoder: penstock.Decoder[City] = penstock.json.Decoder(City)

# A plan stands for the type that it is made from.
assert_type(penstock.decode("{}", penstock.Plan(City)), City)
assert_type(penstock.decode("{}", penstock.Plan(City | Point)), City | Point)
assert_type(penstock.ndjson.load(path, penstock.Plan(City)), list[City])
german = penstock.cells(null=["NA"], decimal=",", thousands=".", currency=None)
assert_type(german.null, tuple[str, ...])
assert_type(german.thousands, str | None)
assert_type(penstock.csv.decode("", penstock.Plan(City, cells=german)), list[City])
assert_type(penstock.separated(";", trim=True).by, str | None)
assert_type(penstock.spread("home_*").pattern, str)
Tags = Annotated[list[str], penstock.separated(";")]
assert_type(penstock.csv.decode("x", dict[str, Tags]), list[dict[str, list[str]]])
plan = penstock.Plan(list[City], namespace={"City": City})
assert_type(penstock.json.read(path, plan), penstock.Reader[list[City]])

# XML: the same verbs.
assert_type(penstock.decode("<a/>", City, format="xml"), City)
assert_type(penstock.xml.decode(b"<a/>"), Any)
assert_type(penstock.xml.decode("<a/>", City, repair="all", repeated="first"), City)
assert_type(penstock.xml.load(path, list[City], namespaces={"p": "urn:p"}), list[City])
assert_type(penstock.xml.read(path, City, at="cities/city"), penstock.Reader[City])
assert_type(penstock.xml.Decoder(City, repair=["bare_ampersand"]), penstock.xml.Decoder[City])
with penstock.xml.read(path, City) as cities:
    assert_type(cities.repairs, list[penstock.Repair])
    assert_type(cities.repair_counts, dict[str, int])
    assert_type(cities.repairs[0].line, int)

# Several kinds of records. mypy joins what Pyright keeps apart, so only one kind is asked of both.
assert_type(penstock.xml.read(path, at={"cities/city": City}), penstock.Reader[City])
assert_type(penstock.json.read(path, at={"cities/*": City}), penstock.Reader[City])

# The level below.
for event in penstock.xml.events(path):
    if event[0] == "attribute" or event[0] == "instruction":
        assert_type(event[1], tuple[str, str])
    else:
        assert_type(event[1], str)
    assert_type(event[2], int)


async def main() -> None:
    async def body() -> AsyncIterator[bytes]:
        await asyncio.sleep(0)
        yield b"[]"

    async for city in penstock.aio.read(body(), City, format="json"):
        assert_type(city, City)


# Errors have a position.
def handle(error: penstock.DecodeError) -> None:
    assert_type(error.line, int | None)
    assert_type(error.path, str | None)
    assert_type(error.report(), str)


# send: messages to an object.
class Handler:
    def name(self, element: penstock.Element) -> str:
        assert_type(element.name, str)
        assert_type(element.namespace, str | None)
        assert_type(element.text, str)
        assert_type(element.value, Any)
        assert_type(element.attributes, penstock.Items[Any])
        assert_type(element.children.all("name"), list[Any])
        return element.text

    @penstock.on("//row/size/text()")
    @penstock.on("{urn:x}size/text()")
    def size(self, text: str) -> int:
        return int(text)

    def table(self, _element: penstock.Element) -> None:
        raise penstock.Stop(5)


def count(items: penstock.Items[int]) -> None:
    assert_type(items["a"], int)
    assert_type(items[-1], int)
    assert_type(items.get("a"), int | None)
    assert_type(items.get("a", "b"), int | str)
    assert_type(items.items(), list[tuple[str, int]])
    assert_type(list(items), list[str])


assert_type(penstock.send(path, Handler()), Any)
assert_type(penstock.json.send(path.open("rb"), Handler()), Any)
assert_type(penstock.ndjson.send([b"{}"], Handler(), framing="sequence"), Any)
assert_type(penstock.xml.send(path, Handler(), namespaces={"a": "urn:a"}, repair="all"), Any)
assert_type(Handler().size("1"), int)


async def send(chunk: bytes) -> None: ...


async def written(stream: asyncio.StreamWriter, cities: AsyncIterator[City]) -> None:
    assert_type(penstock.aio.write(stream, format="json"), penstock.aio.Writer[Any])
    async with penstock.aio.write(send, City, format="ndjson") as writer:
        assert_type(writer, penstock.aio.Writer[City])
        await writer.write(City("Bern", 1))
        await writer.write_all(cities)
        assert_type(writer.progress, penstock.WriterProgress)
    penstock.aio.write(path)
    penstock.aio.write(print, format="json")


assert_type(penstock.json_schema(int | str, mode="encode"), dict[str, Any])
assert_type(penstock.json_schemas([City, list[int]]), dict[str, dict[str, Any]])
