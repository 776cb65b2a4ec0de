"""The verbs beside `decode`, `load` and `read`: chunks that are pushed, messages, streams, several files."""

from __future__ import annotations

import asyncio
import io
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import MalformedInput, Stop, ValidationError, on
from penstock.csv import Decoder, Dialect, send

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@dataclass(slots=True)
class City:
    name: str
    size: int


TEXT = b'name,size\nBern,3\n"La\nChaux",4\n'
CITIES = [City("Bern", 3), City("La\nChaux", 4)]


def test_a_decoder_returns_what_a_chunk_completes() -> None:
    for size in range(1, len(TEXT) + 1):
        decoder = Decoder(City)
        rows = []
        for at in range(0, len(TEXT), size):
            rows += decoder.feed(TEXT[at : at + size])
        assert rows + decoder.finish() == CITIES
    decoder = Decoder(City)
    assert decoder.feed(TEXT[:17]) == CITIES[:1]
    assert decoder.decode(TEXT) == CITIES == decoder.decode(TEXT.decode())
    assert decoder.feed(TEXT[17:]) == CITIES[1:]


def test_the_options_of_a_decoder() -> None:
    dialect = Dialect(";", header=None)
    decoder = Decoder(list[int], dialect=dialect, repair="short_rows", errors="skip")
    copy = pickle.loads(pickle.dumps(decoder))
    for each in (decoder, copy):
        assert each.feed(b"1;2\nx;y\n3;4\n") == [[1, 2], [3, 4]]
        assert each.skipped == 1
    with pytest.raises(ValidationError, match='requires the column "size"'):
        Decoder(City).feed(b"name\nBern\n")
    assert penstock.Decoder(City, format="csv").feed(TEXT) == CITIES


def test_rows_of_an_asynchronous_stream() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(TEXT), 5):
            yield TEXT[at : at + 5]

    async def gathered() -> list[City]:
        return [city async for city in penstock.aio.read(chunks(), City, format="csv")]

    assert asyncio.run(gathered()) == CITIES


def test_messages() -> None:
    class Handler:
        def __init__(self) -> None:
            self.said: list[Any] = []

        def size(self, cell: penstock.Element) -> int:
            self.said.append(cell.text)
            return int(cell.text)

        @on("")
        def row(self, row: penstock.Element) -> int:
            self.said.append((dict(row.attributes), dict(row.children)))
            return len(self.said)

    handler = Handler()
    assert send(io.BytesIO(TEXT), handler) == 4
    assert handler.said == [
        "3",
        ({"name": "Bern"}, {"size": 3}),
        "4",
        ({"name": "La\nChaux"}, {"size": 4}),
    ]


def test_messages_stop_and_raise() -> None:
    class First:
        def name(self, cell: penstock.Element) -> None:
            raise Stop(cell.text)

    assert send(io.BytesIO(TEXT), First()) == "Bern"
    with pytest.raises(MalformedInput, match="the row has 3 cells"):
        send(io.BytesIO(b"size,b\n1,2,3\n"), First())
    assert send([b"name\tb\nx\n"], First(), dialect=Dialect("\t"), repair="short_rows") == "x"


def test_messages_of_a_file(tmp_path: Path) -> None:
    class Handler:
        def name(self, cell: penstock.Element) -> None:
            raise Stop(cell.text)

    path = tmp_path / "n.tsv"
    path.write_bytes(TEXT.replace(b",", b"\t"))
    assert send(path, Handler()) == penstock.send(path, Handler()) == "Bern"
    assert penstock.send(path, Handler(), format="csv") == "Bern"


def test_several_files_with_repairs(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,size\nBern,3,\n")
    (tmp_path / "b.tsv").write_text("size\tname\n4\tChur\t\n")
    reader = penstock.csv.read(tmp_path, City, repair=["trailing_delimiter"])
    assert list(reader) == [City("Bern", 3), City("Chur", 4)]
    assert reader.repair_counts == {"trailing_delimiter": 2}
    # A header that does not fit names its file.
    (tmp_path / "c.csv").write_text("name\nChur\n")
    with pytest.raises(ValidationError) as raised:
        list(penstock.csv.read(tmp_path, City, repair="all", errors="skip"))
    assert str(raised.value) == (
        f'{tmp_path / "c.csv"}:1:1: City requires the column "size", which the header lacks; '
        'the only column is "name"'
    )


def test_cells_of_one_column() -> None:
    assert list(penstock.read([TEXT], int, format="csv", at="size")) == [3, 4]


def test_the_progress_and_the_place_of_rows() -> None:
    with penstock.csv.read([TEXT], City) as reader:
        assert next(reader) == CITIES[0]
        assert (reader.place.record, reader.place.line, reader.place.offset) == (1, 2, 16)
        assert repr(reader) == "Reader(a csv stream -> City, a row each, 1 record, 30 bytes)"
        assert next(reader) == CITIES[1]
        assert (reader.place.record, reader.place.line) == (2, 4)
    assert reader.progress.records == 2


def test_batches_and_head() -> None:
    rows = b"a,b\n" + b"1,2\n" * 1000
    batches = list(penstock.csv.read([rows], tuple[int, int]).batches(300))
    assert [len(batch) for batch in batches] == [300, 300, 300, 100]
    assert set(batches[3]) == {(1, 2)}
