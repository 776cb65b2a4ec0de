"""Columns filled by several threads: the batches, the errors and their places are those of one."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest

import penstock
from penstock import Limits, at

COUNT = 40_000
MANY = (2, 3)


@dataclass(slots=True)
class Row:
    n: int
    name: str
    kind: Annotated[str, penstock.dictionary] = "none"
    ratio: float | None = None
    tags: list[str] | None = None


@dataclass(slots=True)
class Cell:
    n: int
    name: str
    ratio: float | None = None
    kind: Annotated[str | None, penstock.dictionary] = None


@dataclass(slots=True)
class Item:
    n: Annotated[int, at("@n")]
    name: str
    kind: Annotated[str | None, penstock.dictionary] = None
    tags: Annotated[list[str], at("tags/tag")] = field(default_factory=list)


def records() -> list[dict[str, Any]]:
    made = []
    for n in range(COUNT):
        record: dict[str, Any] = {"n": n, "name": f"Zürich {n * n % 1_000_003}"}
        if n % 3:
            record["kind"] = f"kind {n * n % 11}"
        if n % 5 == 0:
            record["ratio"] = n / 8
        if n % 7 == 0:
            record["tags"] = [f'a}},\n{{"n": {n}', "]"][: n % 3]
        made.append(record)
    return made


RECORDS = records()


def element(record: dict[str, Any]) -> str:
    n = record["n"]
    text = [f'<item n="{n}"><name>{record["name"]}</name>']
    if n % 1009 == 0:
        text.append('<!-- <item n="0"> -->')
    if n % 1013 == 0:
        text.append("<x><![CDATA[<item><item >]]></x>")
    if n % 1021 == 0:
        text.append('<item n="1"/>')
    if "kind" in record:
        text.append(f"<kind>{record['kind']}</kind>")
    tags = "".join(f"<tag>{tag}</tag>" for tag in record.get("tags", ()))
    return "".join([*text, f"<tags>{tags}</tags>" if tags else "", "</item>\n"])


def cells(record: dict[str, Any]) -> str:
    name = record["name"]
    if record["n"] % 97 == 0:
        name = f'"{name}, ""quoted""\n{record["n"]},0,"'
    return f"{record['n']},{name},{record.get('ratio', '')},{record.get('kind', '')}"


LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS).encode()
DATA = {
    "ndjson": LINES,
    "json": json.dumps(RECORDS).encode(),
    "minified": json.dumps(RECORDS, separators=(",", ":")).encode(),
    "indented": json.dumps({"page": {"items": RECORDS}}, indent=1).encode(),
    "csv": "\n".join(["n,name,ratio,kind", *map(cells, RECORDS)]).encode(),
    "xml": f"<list>\n{''.join(map(element, RECORDS))}</list>".encode(),
}

Reads = Callable[..., Any]


def reading(name: str) -> Reads:
    """How a format is read: a function of the source and the options."""

    def read(source: Any, **options: Any) -> Any:
        if name in ("ndjson", "csv"):
            module = penstock.ndjson if name == "ndjson" else penstock.csv
            return module.read(source, Row if name == "ndjson" else Cell, **options)
        if name == "xml":
            return penstock.xml.read(source, Item, at="list/item", **options)
        path = {"at": "page/items/*"} if name == "indented" else {}
        return penstock.json.read(source, Row, **path, **options)

    return read


each = pytest.mark.parametrize("name", list(DATA))


def said(error: Any) -> tuple[Any, ...]:
    place = error.offset, error.line, error.column, error.record, str(error.path)
    return type(error), error.reason, *place, error.excerpt


def told(reader: Any, threads: int, rows: int = 7_000) -> tuple[list[Any], Any, int, int]:
    """The batches, the error behind them, and the counts."""
    batches = []
    try:
        batches.extend(map(pa.record_batch, reader.columns(rows=rows, threads=threads)))
    except penstock.PenstockError as error:
        return batches, said(error), reader.skipped, reader.progress.records
    return batches, None, reader.skipped, reader.progress.records


@each
def test_the_threads_read(name: str) -> None:
    reader = reading(name)(io.BytesIO(DATA[name]))
    assert sum(len(batch) for batch in reader.columns(threads=2)) == COUNT
    # All but the first mebibyte, the last one, and the one that shows where to cut.
    assert reader._pieces() >= len(DATA[name]) // 2**20 - 4


@each
@pytest.mark.parametrize("rows", [1_000, 65_536])
def test_the_batches_are_the_same(name: str, rows: int) -> None:
    read = reading(name)
    expected = told(read(io.BytesIO(DATA[name])), 1, rows)
    assert sum(len(batch) for batch in expected[0]) == COUNT
    assert expected[0][0].column("n")[5].as_py() == 5
    for threads in MANY:
        found = told(read(io.BytesIO(DATA[name])), threads, rows)
        assert [len(batch) for batch in found[0]] == [len(batch) for batch in expected[0]]
        assert found == expected
        # A dictionary has its strings in the order in which they occur.
        for batch, other in zip(found[0], expected[0], strict=True):
            words = batch.column("kind").dictionary
            assert words == other.column("kind").dictionary


@each
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_compressed_files_and_chunks(name: str, pack: Any, tmp_path: Path) -> None:
    read, data = reading(name), DATA[name]
    expected = told(read(io.BytesIO(data)), 1)
    path = tmp_path / "packed"
    path.write_bytes(pack(data))
    assert told(read(path), 2) == expected

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(data), 99_991):
            yield data[start : start + 99_991]

    assert told(read(chunks()), 3) == expected


def damaged(name: str) -> list[bytes]:
    """Texts with faults: bad values, bad text, a bad end."""
    data = DATA[name]
    middle, late = len(data) // 2, len(data) * 5 // 6
    wrong = {"ndjson": rb'(?<="n": )', "csv": rb"(?<=\n)(?=\d+,Z)", "xml": rb'(?<=item n=")'}
    pattern = re.compile(wrong.get(name, rb"(?=Z)"))
    values = data
    for start in (late, middle):
        found = pattern.search(values, start)
        assert found
        values = values[: found.start()] + b"x" + values[found.start() :]
    bad = data[:late] + b"\xff\xfe" + data[late:]
    broken = data[:middle] + b'\x00"<' + data[middle:]
    return [values, bad, broken, data[:late], data + b"\n}\n", values + bad]


@each
@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
def test_errors_are_the_same(name: str, errors: str) -> None:
    read = reading(name)
    differ = 0
    for data in damaged(name):
        expected = outcomes(read, data, errors, 1)
        assert outcomes(read, data, errors, 2) == expected
        differ += expected[1:3] != (None, 0)
    assert differ >= 5


def outcomes(read: Reads, data: bytes, errors: Any, threads: int) -> tuple[Any, ...]:
    reader = read(io.BytesIO(data), errors=errors)
    try:
        return told(reader, threads)
    except ExceptionGroup as group:
        return [], [said(error) for error in group.exceptions], reader.skipped, 0


def test_a_function_gets_the_errors_in_order() -> None:
    lines = LINES.splitlines(keepends=True)
    for n in range(9_000, COUNT, 5_000):
        lines[n] = b'{"n": null, "name": 1}\n'
    for threads in (1, 2):
        errors: list[Any] = []
        reader = penstock.ndjson.read(io.BytesIO(b"".join(lines)), Row, errors=errors.append)
        told(reader, threads)
        assert [error.record for error in errors] == list(range(9_001, COUNT + 1, 5_000))
        assert [error.line for error in errors] == list(range(9_001, COUNT + 1, 5_000))


def test_values_that_only_the_class_can_make() -> None:
    @dataclass
    class Checked:
        n: int
        name: str

        def __post_init__(self) -> None:
            self.name = self.name.upper()

    lines = LINES
    for threads in (1, 2):
        reader = penstock.ndjson.read(io.BytesIO(lines), Checked)
        table = pa.table(reader.columns(threads=threads))
        assert table.num_rows == COUNT
        assert table.column("name")[3].as_py() == "ZÜRICH 9"


def test_limits_hold() -> None:
    limits = Limits(total=len(LINES) // 2)
    expected = told(penstock.ndjson.read(io.BytesIO(LINES), Row, limits=limits), 1)
    assert told(penstock.ndjson.read(io.BytesIO(LINES), Row, limits=limits), 2) == expected
    assert expected[1][0] is penstock.LimitExceeded


def test_repairs_are_told() -> None:
    rows = DATA["csv"].replace(b"Z\xc3\xbcrich 1000", b'Z"1000')
    found = []
    for threads in (1, 2):
        reader = penstock.csv.read(io.BytesIO(rows), Cell, repair=["stray_quotes"])
        batches = told(reader, threads)
        found.append((batches, [str(repair) for repair in reader.repairs], reader.repair_counts))
    assert found[0] == found[1]
    assert found[0][1]


def test_several_sources(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.ndjson").write_bytes(LINES)
    table = pa.table(penstock.read(tmp_path / "*.ndjson", Row).columns(threads=2))
    assert table.num_rows == 3 * COUNT
    assert table.column("n").to_pylist() == 3 * list(range(COUNT))


def test_entities_are_one_readers() -> None:
    text = DATA["xml"].replace(b"<list>", b'<!DOCTYPE list [<!ENTITY z "Z">]><list>', 1)
    text = text.replace("Zürich 4".encode(), b"&z;4")
    read = reading("xml")
    assert told(read(io.BytesIO(text)), 2) == told(read(io.BytesIO(text)), 1)


def test_records_in_other_containers() -> None:
    parts = [DATA["xml"].replace(b"list>", f"part{n}>".encode()) for n in range(2)]
    text = b"<all>" + b"".join(parts) + b"</all>"
    tables = []
    for threads in (1, 2):
        reader = penstock.xml.read(io.BytesIO(text), Item, at="all/*/item")
        tables.append(told(reader, threads))
    assert tables[0] == tables[1]
    assert sum(len(batch) for batch in tables[0][0]) == 2 * COUNT


def test_how_many() -> None:
    reader = penstock.ndjson.read(io.BytesIO(LINES), Row)
    for wrong in (0, 257):
        with pytest.raises(ValueError, match=r"^threads must be from 1 to 256$"):
            reader.columns(threads=wrong)


def of_this_process() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


@pytest.mark.thread_unsafe(reason="it counts the threads of the process")
def test_the_threads_end_with_the_reader() -> None:
    before = of_this_process()
    for leave in (True, False):
        reader = penstock.ndjson.read(io.BytesIO(LINES), Row)
        columns = reader.columns(rows=1_000, threads=3)
        for _ in range(30):
            next(columns)
        assert of_this_process() == before + 3
        if leave:
            reader.close()
        else:
            del reader, columns
        assert of_this_process() == before
    told(penstock.ndjson.read(io.BytesIO(LINES), Row), 3)
    assert of_this_process() == before


@pytest.mark.thread_unsafe(reason="it forks")
@each
def test_a_forked_child_reads_on_and_so_does_its_parent(name: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(DATA[name], 1))
    columns = reading(name)(path).columns(rows=1_000, threads=2)
    other = reading(name)(path).columns(rows=1_000, threads=2)
    assert [len(next(columns)) for _ in range(20)] == [1_000] * 20
    assert [len(next(other)) for _ in range(20)] == [1_000] * 20
    child = os.fork()
    if child == 0:
        code = 1
        try:
            del other
            rest = [pa.record_batch(batch).column("n").to_pylist() for batch in columns]
            left = [n for batch in rest for n in batch]
            code = 0 if left == list(range(20_000, COUNT)) else 2
        finally:
            os._exit(code)
    rest = [pa.record_batch(batch).column("n").to_pylist() for batch in columns]
    assert [n for batch in rest for n in batch] == list(range(20_000, COUNT))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Interrupted(Exception):
    """Raised by the handler of a signal."""


@pytest.mark.thread_unsafe(reason="signals belong to the process")
def test_an_interrupt_ends_the_reading(tmp_path: Path) -> None:
    def ring(*_: object) -> None:
        raise Interrupted

    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(bz2.compress(LINES, 1) * 100)
    reader = penstock.read(path, Row)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(Interrupted):
            sum(len(batch) for batch in reader.columns(threads=2))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # It did not read on to the end before it looked.
    assert reader.progress.records < 50 * COUNT


def test_an_error_of_the_source_comes_after_what_was_read() -> None:
    def failing() -> Iterator[bytes]:
        yield LINES
        raise OSError("no more")

    expected = told(penstock.ndjson.read(failing(), Row), 1)
    assert told(penstock.ndjson.read(failing(), Row), 2) == expected
    assert expected[1][:2] == (penstock.DecodeError, "reading failed: OSError: no more")
    assert sum(len(batch) for batch in expected[0]) == COUNT


def test_another_thread_of_python_goes_on() -> None:
    turns, done = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        began = turns
        told(penstock.ndjson.read(io.BytesIO(LINES), Row), 2)
        went_on = turns - began
    finally:
        done.set()
        thread.join()
    assert went_on > 10
