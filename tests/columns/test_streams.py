"""The capsules and what is behind them: once, twice, not at all; threads, files, errors, forks."""

from __future__ import annotations

import gc
import io
import json
import os
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

import penstock


@dataclass(slots=True)
class Row:
    n: int
    name: str = "x"


DATA = b'{"n": 1, "name": "a"}\n{"n": 2}\n{"n": 3}\n'


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def read(data: bytes = DATA) -> penstock.Columns:
    return penstock.ndjson.read(io.BytesIO(data), Row).columns(rows=2)


def test_a_stream_is_handed_out_once() -> None:
    columns = read()
    capsule = columns.__arrow_c_stream__()
    message = "these Columns are read once: read the source again for more"
    with pytest.raises(ValueError, match=message):
        columns.__arrow_c_stream__()
    with pytest.raises(ValueError, match=message):
        next(columns)
    del capsule


def test_the_schema_is_handed_out_any_time() -> None:
    columns = read()
    assert pa.schema(columns) == pa.schema(columns)
    pa.table(columns)
    assert pa.schema(columns).names == ["n", "name"]


def test_a_capsule_that_nobody_takes_is_released() -> None:
    for _ in range(100):
        read().__arrow_c_stream__()
        columns = read()
        next(columns).__arrow_c_array__()
        columns.__arrow_c_schema__()
    columns = read()
    gone = weakref.ref(columns)
    capsule = columns.__arrow_c_stream__()
    del columns
    assert gone() is not None
    del capsule
    gc.collect()
    assert gone() is None


def test_a_batch_outlives_everything() -> None:
    columns = read()
    batch = pa.record_batch(next(columns))
    del columns
    gc.collect()
    assert batch.to_pylist() == [{"n": 1, "name": "a"}, {"n": 2, "name": "x"}]


def test_a_consumer_that_stops_early_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(DATA * 100)
    before = open_files()
    stream = pa.RecordBatchReader.from_stream(penstock.read(path, Row).columns(rows=2))
    assert len(stream.read_next_batch()) == 2
    assert open_files() == before + 1
    stream.close()
    del stream
    assert open_files() == before


def test_the_last_batch_closes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(DATA)
    before = open_files()
    columns = penstock.read(path, Row).columns()
    assert sum(len(batch) for batch in columns) == 3
    assert open_files() == before


def test_a_reader_gives_objects_or_columns() -> None:
    reader = penstock.ndjson.read(io.BytesIO(DATA), Row)
    columns = reader.columns()
    assert columns.reader is reader
    message = "the records of this Reader go into columns"
    with pytest.raises(ValueError, match=message):
        next(reader)
    with pytest.raises(ValueError, match=message):
        list(reader.batches(2))
    with pytest.raises(ValueError, match=message):
        reader.columns()
    assert pl.DataFrame(columns).shape == (3, 2)
    assert reader.progress.records == 3


def test_columns_come_before_anything_else() -> None:
    reader = penstock.ndjson.read(io.BytesIO(DATA), Row)
    next(reader)
    with pytest.raises(ValueError, match="before anything is read"):
        reader.columns()
    reader = penstock.ndjson.read(io.BytesIO(DATA), Row)
    reader.close()
    with pytest.raises(ValueError, match="this Reader is closed"):
        reader.columns()
    with pytest.raises(ValueError, match="rows must be at least 1"):
        penstock.ndjson.read(io.BytesIO(DATA), Row).columns(rows=0)


def test_a_plan_without_columns_leaves_the_reader_as_it_was() -> None:
    @dataclass
    class Odd:
        n: int | str

    reader = penstock.ndjson.read(io.BytesIO(DATA), Odd)
    with pytest.raises(penstock.PlanError):
        reader.columns()
    assert next(reader) == Odd(1)


def test_an_error_has_its_text_in_every_library() -> None:
    bad = b'{"n": 1}\n{"n": "2"}\n'
    text = "line 2, column 7: expected int, got a string (record 2, at n)"
    with pytest.raises(pa.ArrowInvalid) as invalid:
        pa.table(read(bad))
    assert str(invalid.value) == text
    with pytest.raises(Exception, match="expected int, got a string"):
        pl.DataFrame(read(bad))


class Failing(io.RawIOBase):
    """A file whose second read fails."""

    def __init__(self) -> None:
        """Begin with lines."""
        self.reads = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Give lines, then fail."""
        self.reads += 1
        if self.reads > 1:
            raise OSError(5, "the disk is gone")
        buffer[: len(DATA)] = DATA
        return len(DATA)


def test_a_source_that_fails() -> None:
    text = "line 4, column 1: reading failed: OSError: [Errno 5] the disk is gone (record 4)"
    columns = penstock.ndjson.read(Failing(), Row).columns()
    assert len(next(columns)) == 3
    with pytest.raises(penstock.DecodeError) as caught:
        next(columns)
    assert str(caught.value) == text
    stream = pa.RecordBatchReader.from_stream(penstock.ndjson.read(Failing(), Row).columns())
    stream.read_next_batch()
    with pytest.raises(pa.ArrowInvalid) as invalid:
        stream.read_next_batch()
    assert str(invalid.value) == text


def test_another_thread_gets_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(DATA * 50_000)
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.perf_counter()
    table = pa.table(penstock.read(path, Row).columns())
    took = time.perf_counter() - begun
    stop.set()
    thread.join()
    assert table.num_rows == 150_000
    # Between two batches it would get on a few times only.
    assert counted > 10_000 * took


@pytest.mark.parametrize("consumer", ["pyarrow", "polars", "iteration"])
def test_two_threads_at_once(consumer: str) -> None:
    columns = read(DATA * 2_000)
    counts: list[int] = []
    errors: list[Exception] = []

    def consume() -> None:
        try:
            if consumer == "pyarrow":
                counts.append(pa.table(columns).num_rows)
            elif consumer == "polars":
                counts.append(pl.DataFrame(columns).height)
            else:
                counts.append(sum(len(batch) for batch in columns))
        except (ValueError, RuntimeError) as error:
            errors.append(error)

    threads = [threading.Thread(target=consume) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if consumer == "iteration":
        assert sum(counts) <= 6_000
    else:
        assert counts == [6_000]
        assert len(errors) == 1


def test_memory_is_one_batch() -> None:
    psutil = pytest.importorskip("psutil")
    line = json.dumps({"n": 1, "name": "x" * 200}).encode() + b"\n"

    class Endless(io.RawIOBase):
        left = 150_000_000

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            count = min(len(buffer) // len(line), 1 + self.left // len(line))
            if self.left <= 0:
                return 0
            part = line * count
            buffer[: len(part)] = part
            self.left -= len(part)
            return len(part)

    process = psutil.Process()
    before = process.memory_info().rss
    most = 0
    for batch in penstock.ndjson.read(Endless(), Row).columns():
        most = max(most, process.memory_info().rss - before)
        del batch
    assert most < 64 << 20


def test_a_fork_has_columns_of_its_own() -> None:
    columns = read()
    next(columns)
    pid = os.fork()
    if pid == 0:
        try:
            rest = sum(len(batch) for batch in columns)
        finally:
            os._exit(0 if rest == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert sum(len(batch) for batch in columns) == 1
