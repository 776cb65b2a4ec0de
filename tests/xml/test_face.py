"""XML behind the public verbs: finding the format, options, `Decoder`, `aio`, and `repr`."""

import asyncio
import gzip
import io
import pickle
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import penstock
from penstock import Limits, MalformedInput, TruncatedInput, ValidationError


@dataclass
class City:
    name: str
    population: int


@dataclass
class Lake:
    name: str
    depth: float


CITY = '<city population="134591"><name>Bern</name></city>'
PLAIN = {"city": {"@population": "134591", "name": "Bern"}}
CITIES = f"<cities>{CITY}<city><name>Chur</name><population>37424</population></city></cities>"
BOTH = [City("Bern", 134_591), City("Chur", 37_424)]


# --- The format is told ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        CITY,
        CITY.encode(),
        bytearray(CITY.encode()),
        memoryview(CITY.encode()),
        f"\ufeff{CITY}",
        f"\ufeff{CITY}".encode(),
        f"\n \t{CITY}",
        f"<?xml version='1.0'?>\n<!-- -->{CITY}".encode(),
    ],
)
def test_data_that_begins_with_a_tag(data: Any) -> None:
    assert penstock.decode(data) == penstock.xml.decode(data) == PLAIN
    assert penstock.decode(data, City) == BOTH[0]


@pytest.mark.parametrize("data", ["1", '["<a/>"]', '"<a/>"', "  {}", b"\xef\xbb\xbf1"])
def test_data_that_does_not(data: Any) -> None:
    assert penstock.decode(data) == penstock.json.decode(data)


@pytest.mark.parametrize(
    "name",
    [
        "c.xml",
        "C.XML",
        "c.nxml",
        "c.rss",
        "c.atom",
        "c.gpx",
        "c.kml",
        "c.svg",
        "c.xhtml",
        "c.osm",
        "c.musicxml",
        "c.xsd",
        "c.xml.gz",
        "c.svg.zip",
        "c",
        "c.data",
    ],
)
def test_by_name_and_by_first_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(CITIES.encode()))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("c.svg", CITIES)
    else:
        path.write_text(CITIES)
    assert list(penstock.read(path, City)) == BOTH
    assert penstock.load(path)["cities"]["city"][0] == PLAIN["city"]


def test_by_word() -> None:
    data = [b"<a>", b"1</a>"]
    assert penstock.load(data, int, format="xml") == 1
    assert list(penstock.read(data, int, at="a", format="xml")) == [1]
    assert penstock.decode("<a>1</a>", int, format="xml") == 1
    with pytest.raises(ValueError, match=r"pass format='json', 'ndjson', 'xml', 'csv' or 'plist'$"):
        penstock.load(data)


def test_it_is_xml_or_it_is_not() -> None:
    with pytest.raises(MalformedInput, match="this is not XML"):
        penstock.xml.decode("{}")
    with pytest.raises(TruncatedInput):
        penstock.xml.decode("")
    with pytest.raises(MalformedInput):
        penstock.json.decode("<a/>")


# --- What a record is --------------------------------------------------------------------------


def test_without_a_path_the_records_are_the_children_of_the_root() -> None:
    assert list(penstock.xml.read(io.BytesIO(CITIES.encode()), City)) == BOTH
    mixed = io.BytesIO(b"<r>text<a>1</a><!-- --><b>2</b><c/></r>")
    assert list(penstock.xml.read(mixed)) == ["1", "2", None]
    assert list(penstock.xml.read(io.BytesIO(b"<r/>"))) == []


def test_several_kinds_in_one_pass() -> None:
    data = b"<r><city population='1'><name>A</name></city><lake><name>B</name><depth>2.5</depth>"
    data += b"</lake><other/><city population='3'><name>C</name></city></r>"
    expected = [City("A", 1), Lake("B", 2.5), City("C", 3)]
    kinds = {"r/city": City, "r/lake": Lake}
    for at in (kinds, MappingProxyType(kinds)):
        reader = penstock.xml.read(io.BytesIO(data), at=at)
        assert repr(reader).startswith(
            'Reader(an xml stream -> City | Lake, at "r/city", "r/lake", 0 records'
        )
        assert list(reader) == expected
    decoder = penstock.xml.Decoder(at=kinds)
    rows = [row for at in range(len(data)) for row in decoder.feed(data[at : at + 1])]
    assert rows + decoder.finish() == expected
    assert list(penstock.read(io.BytesIO(data), format="xml", at={"//city": City})) == [
        expected[0],
        expected[2],
    ]
    json = b'{"city": [{"name": "A", "population": 1}], "lake": {"name": "B", "depth": 2.5}}'
    reader = penstock.json.read(io.BytesIO(json), at={"city/*": City, "lake": Lake})
    assert list(reader) == expected[:2]


def test_several_kinds_that_make_no_sense() -> None:
    file = io.BytesIO(b"<a/>")
    for at, into, message in [
        ({"a": City}, City, "at says the type of each kind of record: leave the other type out"),
        ({}, object, "at names no records: it is empty"),
        ({"a": City, "b/": Lake}, object, "at='b/', column 3: "),
        ({"a": City, "//a": Lake}, object, "at='//a', column 1: it claims the same values as 'a'"),
    ]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - compared below
            penstock.xml.read(file, into, at=at)
        assert str(caught.value).replace('"', "'").startswith(message)
    with pytest.raises(TypeError, match=r"^at must be a str, a mapping of paths to types, or None"):
        penstock.xml.read(file, at=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^a path in at must be a str, not int$"):
        penstock.xml.read(file, at={1: City})  # type: ignore[dict-item]


def test_paths_with_namespaces() -> None:
    data = b"<r xmlns:p='urn:p' xmlns:q='urn:q'><p:n>1</p:n><q:n>2</q:n><n>3</n></r>"

    def found(at: str, **options: Any) -> list[int]:
        return list(penstock.xml.read(io.BytesIO(data), int, at=at, **options))

    assert found("r/n") == [3]
    assert found("r/*:n") == [1, 2, 3]
    assert found("r/{urn:p}n") == [1]
    assert found("r/x:n", namespaces={"x": "urn:q"}) == [2]
    assert found("r/q:n", namespaces=False) == [2]
    with pytest.raises(ValueError, match="column 3"):
        found("r/x:n")


# --- Options -----------------------------------------------------------------------------------


def test_unknown() -> None:
    data = '<city population="1" x="2"><name>A</name><y/></city>'
    assert penstock.xml.decode(data, City) == City("A", 1)
    with pytest.raises(ValidationError) as caught:
        penstock.xml.decode(data, City, unknown="error")
    assert caught.value.path == "city/@x"
    reader = penstock.xml.read(io.BytesIO(f"<r>{data}{data}</r>".encode()), City, unknown="collect")
    assert list(reader) == [City("A", 1)] * 2
    assert reader.unknown == {"City.@x": 2, "City.y": 2}


def test_repeated() -> None:
    data = '<city population="1"><name>A</name><name>B</name></city>'
    with pytest.raises(ValidationError):
        penstock.xml.decode(data, City)
    words: list[tuple[Any, str]] = [("first", "A"), ("last", "B"), ("join", "A B")]
    for repeated, name in words:
        assert penstock.xml.decode(data, City, repeated=repeated) == City(name, 1)


def test_unresolved() -> None:
    data = '<!DOCTYPE a SYSTEM "nowhere.dtd"><a>&x;</a>'
    with pytest.raises(MalformedInput):
        penstock.xml.decode(data, str)
    assert penstock.xml.decode(data, str, unresolved="text") == "&x;"


def test_force_list() -> None:
    data = "<a><b>1</b><c>2</c></a>"
    every: list[tuple[Any, Any]] = [
        (False, {"a": {"b": "1", "c": "2"}}),
        (True, {"a": [{"b": ["1"], "c": ["2"]}]}),
        (["b"], {"a": {"b": ["1"], "c": "2"}}),
        ({"c"}, {"a": {"b": "1", "c": ["2"]}}),
        (iter("bc"), {"a": {"b": ["1"], "c": ["2"]}}),
    ]
    for force_list, value in every:
        assert penstock.xml.decode(data, force_list=force_list) == value


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"unknown": "x"}, ValueError, "unknown must be 'skip', 'error' or 'collect', not 'x'"),
        (
            {"repeated": "x"},
            ValueError,
            "repeated must be 'error', 'first', 'last' or 'join', not 'x'",
        ),
        ({"unresolved": "x"}, ValueError, "unresolved must be 'error' or 'text', not 'x'"),
        ({"unresolved": 1}, TypeError, "unresolved must be a str, not int"),
        ({"repair": [1]}, TypeError, "repair must be a str, not int"),
        ({"namespaces": {"p": 1}}, TypeError, "a namespace's URI must be a str, not int"),
        ({"namespaces": {1: "p"}}, TypeError, "a namespace's prefix must be a str, not int"),
        ({"force_list": [1]}, TypeError, "force_list must be a str, not int"),
        ({"encoding": "x"}, ValueError, "encoding must be a name of the WHATWG table, not 'x'"),
        ({"limits": 1}, TypeError, "limits must be a Limits, not int"),
    ],
)
def test_options_that_are_none(options: Any, kind: type[Exception], message: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: penstock.xml.decode("<a/>", **options),
        lambda: penstock.xml.load(io.BytesIO(b"<a/>"), **options),
        lambda: penstock.xml.read(io.BytesIO(b"<a/>"), **options),
        lambda: penstock.xml.Decoder(**options),
    ]
    for call in calls:
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == message


def test_limits() -> None:
    with pytest.raises(penstock.LimitExceeded, match=r"\(limits\.attributes\)"):
        penstock.decode("<a b='' c=''/>", limits=Limits(attributes=1))


# --- Errors ------------------------------------------------------------------------------------


def test_where_a_value_does_not_fit() -> None:
    data = (
        "<cities>\n <city population='1'><name>A</name></city>\n <city population='x'/>\n</cities>"
    )
    reader = penstock.xml.read(io.BytesIO(data.encode()), City)
    assert next(reader) == City("A", 1)
    with pytest.raises(ValidationError) as caught:
        next(reader)
    error = caught.value
    assert (error.format, error.record, error.line) == ("xml", 2, 3)
    assert error.path == "cities/city/@population"


def test_records_in_error() -> None:
    data = b"<r><n>1</n><n>x<b/></n><n>3</n></r>"
    reader = penstock.xml.read(io.BytesIO(data), int, errors="skip")
    assert list(reader) == [1, 3]
    assert reader.skipped == 1
    with pytest.raises(ExceptionGroup) as group:
        list(penstock.xml.read(io.BytesIO(data), int, errors="collect"))
    assert [type(error) for error in group.value.exceptions] == [ValidationError]
    given: list[penstock.DecodeError] = []
    assert list(penstock.xml.read(io.BytesIO(data), int, errors=given.append)) == [1, 3]
    assert [error.record for error in given] == [2]


# --- Decoder and aio ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1_000])
def test_decoder(size: int) -> None:
    data = CITIES.encode()
    for decoder in (penstock.xml.Decoder(City), penstock.Decoder(City, format="xml")):
        rows = []
        for start in range(0, len(data), size):
            rows += decoder.feed(data[start : start + size])
        assert rows + decoder.finish() == BOTH


def test_decoder_ends_with_the_document() -> None:
    decoder = penstock.xml.Decoder(int, repair="trailing_junk")
    assert decoder.feed(b"<r><n>1</n></r>junk") == [1]
    assert decoder.feed(b"more") == []
    assert decoder.finish() == []
    with pytest.raises(ValueError, match="has ended"):
        decoder.feed(b"")
    decoder = penstock.xml.Decoder(int)
    with pytest.raises(MalformedInput):
        decoder.feed(b"<r></r>junk")
    with pytest.raises(ValueError, match="has ended"):
        decoder.feed(b"more")


def test_decoder_is_pickled_unused() -> None:
    decoder = penstock.xml.Decoder(
        City,
        at="p:cities/city",
        namespaces=MappingProxyType({"p": "urn:p"}),
        repair=iter(["bare_ampersand"]),
        force_list=iter(["x"]),
    )
    again = pickle.loads(pickle.dumps(decoder))
    assert type(again) is penstock.xml.Decoder
    data = b"<q:cities xmlns:q='urn:p'><city population='1'><name>A & B</name></city></q:cities>"
    assert again.feed(data) == decoder.feed(data) == [City("A & B", 1)]
    assert again.repair_counts == {"bare_ampersand": 1}


def test_aio() -> None:
    async def body() -> AsyncIterator[bytes]:
        for at in range(0, len(CITIES), 7):
            await asyncio.sleep(0)
            yield CITIES[at : at + 7].encode()

    async def main() -> list[City]:
        return [city async for city in penstock.aio.read(body(), City, format="xml")]

    assert asyncio.run(main()) == BOTH


# --- repr --------------------------------------------------------------------------------------


def test_repr(tmp_path: Path) -> None:
    path = tmp_path / "c.xml"
    path.write_text(CITIES)
    reader = penstock.read(path, City)
    assert repr(reader) == f"Reader({path} -> City, the child elements of the root, 0 records, 0 %)"
    assert len(list(reader)) == 2
    assert repr(reader).endswith("2 records, 100 %)")
    reader = penstock.xml.read(io.BytesIO(b""), at="a/b")
    assert repr(reader) == 'Reader(an xml stream -> Any, at "a/b", 0 records, 0 bytes)'
    decoder = penstock.xml.Decoder(City, at="//city")
    assert repr(decoder) == 'Decoder(xml -> City, at "//city", 0 records, 0 bytes)'


# --- Encodings ---------------------------------------------------------------------------------


def test_a_str_has_no_encoding() -> None:
    assert penstock.decode('<?xml version="1.0" encoding="latin-1"?><a>é</a>', str) == "é"
    assert penstock.decode('<?xml version="1.0" encoding="utf-16"?><a>漢</a>', str) == "漢"
