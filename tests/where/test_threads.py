"""Conditions where several threads read: what comes of it is what comes of one."""

from __future__ import annotations

import io
import json
import plistlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import penstock
from penstock import field

COUNT = 60_000
SOME = (field("n") >= 1_000) & (field("name").startswith("Zürich 7") | (field("n") == COUNT - 1))
NONE = field("n") < 0
ALL = field("n") >= 0
WANTED = [n for n in range(1_000, COUNT) if str(n * n % 1_000_003).startswith("7")]
WANTED += [] if WANTED[-1] == COUNT - 1 else [COUNT - 1]


@dataclass(slots=True)
class Row:
    n: int
    name: str
    ratio: float | None = None


def record(n: int) -> dict[str, Any]:
    more: dict[str, Any] = {"ratio": n / 8} if n % 3 else {}
    return {"n": n, "name": f"Zürich {n * n % 1_000_003}", **more, "text": "x" * (n % 40)}


def of_csv(records: list[dict[str, Any]]) -> bytes:
    rows = (
        f"{each['n']},{each['name']},{each.get('ratio', '')},{each['text']}" for each in records
    )
    return "\n".join(["n,name,ratio,text", *rows]).encode()


def of_xml(records: list[dict[str, Any]]) -> bytes:
    def element(record: dict[str, Any]) -> str:
        return "<row>" + "".join(f"<{k}>{v}</{k}>" for k, v in record.items()) + "</row>\n"

    return f"<rows>{''.join(map(element, records))}</rows>".encode()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "json": lambda records: json.dumps(records).encode(),
    "inside": lambda records: json.dumps({"page": {"items": records}}).encode(),
    "ndjson": lambda records: "".join(json.dumps(each) + "\n" for each in records).encode(),
    "csv": of_csv,
    "xml": of_xml,
    "plist": lambda records: plistlib.dumps(records, fmt=plistlib.FMT_BINARY),
}
PLACES = {"json": "*", "inside": "page/items/*", "xml": "*/row", "plist": "*"}
each = pytest.mark.parametrize("name", list(WRITERS))


@cache
def written(name: str) -> bytes:
    return WRITERS[name]([record(n) for n in range(COUNT)])


def options(name: str, **more: Any) -> dict[str, Any]:
    kind = "json" if name == "inside" else name
    return {"format": kind, "at": PLACES.get(name), "empty": "allow", **more}


@each
def test_columns(name: str) -> None:
    data = written(name)
    for where, wanted in ((SOME, WANTED), (NONE, []), (ALL, list(range(COUNT)))):
        reader = penstock.read(io.BytesIO(data), Row, **options(name, where=where))
        with reader:
            table = pa.RecordBatchReader.from_stream(reader.columns(threads=3)).read_all()
            assert table["n"].to_pylist() == wanted
            assert table["ratio"].to_pylist() == [record(n).get("ratio") for n in wanted]
            assert reader.filtered == COUNT - len(wanted)
            assert reader._pieces() > 0


@each
def test_a_schema(name: str) -> None:
    place = {key: value for key, value in options(name).items() if key != "empty"}
    # Only the first thousand have a ratio that is no number.
    records = [{**record(n), "ratio": "none"} if n < 1_000 else record(n) for n in range(COUNT)]
    data = WRITERS[name](records)
    found = [
        penstock.schema(io.BytesIO(data), where=SOME, threads=threads, **place)
        for threads in (1, 2, 3)
    ]
    assert found[0] == found[1] == found[2]
    types = {field.name: str(field.type) for field in pa.schema(found[0])}
    assert types["ratio"] == "double"


@each
@pytest.mark.parametrize("into", [None, Row])
def test_conversions(name: str, into: Any) -> None:
    data = written(name)
    more = {} if into is None else {"into": into, "objects": True}
    targets = []
    for threads in (1, 3):
        target = io.BytesIO()
        chosen = options(name, where=SOME, to="ndjson", threads=threads, **more)
        done = penstock.convert(io.BytesIO(data), target, **chosen)
        assert done.records == len(WANTED)
        targets.append(target.getvalue())
    assert targets[0] == targets[1]
    assert [int(json.loads(line)["n"]) for line in targets[0].splitlines()] == WANTED


@each
def test_a_record_in_error_is_where_it_is_for_one_thread(name: str) -> None:
    records: list[dict[str, Any]] = [record(n) for n in range(COUNT)]
    wrong = WANTED[len(WANTED) // 2]
    # Nobody asks for the first: it is left out before its value is looked at.
    records[wrong - 1]["ratio"] = records[wrong]["ratio"] = "wrong"
    data = WRITERS[name](records)
    told = []
    for threads in (1, 3):
        reader = penstock.read(io.BytesIO(data), Row, **options(name, where=SOME))
        with reader, pytest.raises(penstock.ValidationError) as failure:
            for _ in reader.columns(threads=threads):
                pass
        told.append(str(failure.value))
        assert failure.value.record == wrong + 1
    assert told[0] == told[1]


@pytest.mark.parametrize("name", ["ndjson", "csv", "json", "xml", "plist"])
def test_a_checkpoint_between_batches_of_a_piece(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"rows.{name}"
    path.write_bytes(written(name))
    place = options(name, where=SOME)
    seen: list[int] = []
    reader = penstock.read(path, Row, **place)
    batches = reader.columns(rows=500, threads=2)
    for _ in range(5):
        seen += pa.record_batch(next(iter(batches)))["n"].to_pylist()
        assert seen == WANTED[: len(seen)]
        checkpoint = reader.checkpoint()
        # Records are counted as the file has them.
        assert checkpoint.records >= seen[-1] + 1
        assert checkpoint.records <= WANTED[len(seen)]
        more = {"at": place["at"]} if place["at"] else {}
        with penstock.read(path, Row, resume=checkpoint, where=SOME, **more) as rest:
            assert next(iter(rest)).n == WANTED[len(seen)]
    reader.close()
