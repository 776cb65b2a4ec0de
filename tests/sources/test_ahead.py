"""Compressed files that a second thread reads ahead: nobody can tell, except by the clock."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fresh
import pytest

import penstock
from penstock import LimitExceeded, Limits, MalformedInput, TruncatedInput
from penstock._base.processors import usable

COUNT = 40_000
ENOUGH = 20_000
"""So many rows are behind the bytes after which the thread begins."""


@dataclass(slots=True)
class Row:
    n: int
    name: str


def rows(count: int = COUNT) -> list[Row]:
    return [Row(n, f"Zürich {n * n % 1_000_003}") for n in range(count)]


LINES = [f'{{"n":{row.n},"name":"{row.name}"}}' for row in rows()]
DATA = "".join(line + "\n" for line in LINES).encode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The rows, compressed in each way."""
    folder = tmp_path_factory.mktemp("ahead")
    made = {"gzip": gzip.compress(DATA, 1), "bzip2": bz2.compress(DATA, 1)}
    made |= {"xz": lzma.compress(DATA, preset=0), "plain": DATA}
    for name, data in made.items():
        (folder / name).write_bytes(data)
    with penstock.write(folder / "rows.ndjson.zst") as writer:
        writer.write_all(rows())
    (folder / "rows.ndjson.zst").rename(folder / "zstd")
    return {name: folder / name for name in [*made, "zstd"]}


each = pytest.mark.parametrize("name", ["gzip", "zstd", "bzip2", "xz"])


def of_this_process() -> set[str]:
    """The names of the threads that run."""
    names = set()
    for task in Path("/proc/self/task").iterdir():
        try:
            names.add((task / "comm").read_text().strip())
        except OSError:
            continue
    return names


def is_open(path: Path) -> bool:
    """Whether this process has the file open."""
    for link in Path("/proc/self/fd").iterdir():
        try:
            if link.readlink() == path:
                return True
        except OSError:
            continue
    return False


def wait_until_others_sleep() -> None:
    """Wait until no other thread of this process has anything to do."""
    own = str(threading.get_native_id())
    for _ in range(1_000):
        states = set()
        for task in Path("/proc/self/task").iterdir():
            # One that has ended is not there.
            with contextlib.suppress(OSError):
                # The state stands behind the name, which is in parentheses.
                state = (task / "stat").read_text().rpartition(")")[2].split()[0]
                states.add("S" if task.name == own else state)
        if states == {"S"}:
            return
        time.sleep(0.01)


@each
def test_every_verb_reads_the_same(name: str, files: dict[str, Path], tmp_path: Path) -> None:
    path = files[name]
    expected = rows()
    reader = penstock.ndjson.read(path, Row)
    assert list(reader) == expected
    assert reader.progress.bytes_read == path.stat().st_size
    assert penstock.ndjson.load(path, Row) == expected
    batches = list(penstock.ndjson.read(path, Row).columns())
    assert sum(len(batch) for batch in batches) == COUNT
    plain = list(penstock.ndjson.read(files["plain"], Row).columns())
    assert [len(batch) for batch in batches] == [len(batch) for batch in plain]
    with penstock.ndjson.read(path) as plain_reader:
        assert sum(1 for _ in plain_reader) == COUNT
    penstock.convert(path, tmp_path / "out.json", format="ndjson")
    assert penstock.json.load(tmp_path / "out.json", list[Row]) == expected
    done = fresh.run("-m", "penstock", "count", "--format", "ndjson", str(path))
    assert (done.stdout, done.returncode) == (f"{COUNT}\n", 0)


@pytest.mark.thread_unsafe(reason="it looks at the threads of the process")
@pytest.mark.skipif(usable() < 2, reason="one processor needs no thread")
def test_a_thread_begins_late_and_ends_with_the_reader(files: dict[str, Path]) -> None:
    path = files["gzip"]
    before = of_this_process()
    reader = penstock.ndjson.read(path, Row)
    assert next(reader).n == 0
    assert of_this_process() == before
    for _ in range(ENOUGH):
        next(reader)
    assert of_this_process() - before == {"penstock-ahead"}
    assert is_open(path)
    reader.close()
    assert of_this_process() == before
    assert not is_open(path)
    # What is not compressed is read without one.
    reader = penstock.ndjson.read(files["plain"], Row)
    for _ in range(ENOUGH):
        next(reader)
    assert of_this_process() == before
    # A consumer that stops without closing.
    reader = penstock.ndjson.read(path, Row)
    for _ in range(ENOUGH):
        next(reader)
    del reader
    assert of_this_process() == before
    assert not is_open(path)


def outcome(path: Path | list[bytes], **options: Any) -> tuple[int, Any]:
    """How many rows come, and then which error."""
    count = 0
    try:
        for _ in penstock.ndjson.read(path, Row, **options):
            count += 1
    except penstock.DecodeError as error:
        told = type(error), error.reason, error.line, error.column, error.offset, error.record
        return count, told
    return count, None


@each
def test_errors_are_those_of_chunks(name: str, files: dict[str, Path], tmp_path: Path) -> None:
    data = files[name].read_bytes()
    middle = len(data) * 2 // 3
    damaged = data[:middle] + bytes(b ^ 0x55 for b in data[middle : middle + 40])
    cases: list[tuple[bytes, dict[str, Any]]] = [
        (data[:middle], {}),
        (damaged + data[middle + 40 :], {}),
        (data + b"something else", {}),
        (data, {"limits": Limits(total=1_000_000)}),
    ]
    for case, (changed, options) in enumerate(cases):
        path = tmp_path / f"{case}"
        path.write_bytes(changed)
        ahead = outcome(path, **options)
        assert ahead == outcome([changed], **options)
        assert ahead[1] is not None
    assert outcome(tmp_path / "0")[1][0] is TruncatedInput
    assert outcome(tmp_path / "2")[1][0] is MalformedInput
    count, error = outcome(tmp_path / "3", limits=Limits(total=1_000_000))
    assert error[:2] == (LimitExceeded, "the source is longer than 1000000 bytes (limits.total)")
    assert count == DATA[:1_000_000].count(b"\n")


def test_bad_records_far_into_the_file(tmp_path: Path) -> None:
    lines = LINES.copy()
    lines[30_000] = '{"n": "x", "name": 1}'
    data = gzip.compress("\n".join(lines).encode(), 1)
    path = tmp_path / "rows.ndjson.gz"
    path.write_bytes(data)
    errors: list[penstock.DecodeError] = []
    assert sum(1 for _ in penstock.read(path, Row, errors=errors.append)) == COUNT - 1
    assert [(e.record, e.line, e.column) for e in errors] == [(30_001, 30_001, 7)]


@pytest.mark.thread_unsafe(reason="it forks")
@each
def test_a_forked_child_reads_on_and_so_does_its_parent(name: str, files: dict[str, Path]) -> None:
    expected = rows()
    path = files[name]
    reader = penstock.ndjson.read(path, Row)
    columns = penstock.ndjson.read(path, Row).columns(rows=1_000)
    other = penstock.ndjson.read(path, Row)
    for n in range(ENOUGH):
        assert next(reader) == expected[n]
        next(other)
    assert [len(next(columns)) for _ in range(20)] == [1_000] * 20
    # A thread that reads at this moment holds the file, and the child has its descriptor without the thread.
    wait_until_others_sleep()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            # A reader that the child drops, at once.
            del other
            rest = list(reader)
            left = sum(len(batch) for batch in columns)
            code = 0 if rest == expected[ENOUGH:] and left == COUNT - 20_000 else 2
            if is_open(path):
                code = 3
        finally:
            os._exit(code)
    # The parent reads meanwhile.
    assert list(reader) == expected[ENOUGH:]
    assert sum(len(batch) for batch in columns) == COUNT - 20_000
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Interrupted(Exception):
    """Raised by the handler of a signal."""


@pytest.mark.thread_unsafe(reason="signals belong to the process")
def test_an_interrupt_ends_the_wait_for_the_thread(files: dict[str, Path], tmp_path: Path) -> None:
    # Slower to decompress than to parse: the reader waits for the thread all the time.
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(files["bzip2"].read_bytes() * 100)

    def ring(*_: object) -> None:
        raise Interrupted

    reader = penstock.read(path, Row)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(Interrupted):
            sum(len(batch) for batch in reader.columns())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # It did not read on to the end before it looked.
    assert reader.progress.records < 50 * COUNT


def test_many_readers_at_once(files: dict[str, Path]) -> None:
    # More than there are threads for: the others read for themselves.
    readers = [penstock.ndjson.read(files["gzip"], Row) for _ in range(8)]
    for together, expected in zip(zip(*readers, strict=True), rows(), strict=True):
        assert all(row == expected for row in together)


def test_another_thread_of_python_goes_on(files: dict[str, Path]) -> None:
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
        assert (
            sum(len(batch) for batch in penstock.ndjson.read(files["xz"], Row).columns()) == COUNT
        )
        went_on = turns - began
    finally:
        done.set()
        thread.join()
    assert went_on > 10


def test_documents_of_packed_bytes() -> None:
    whole = ("[" + ",".join(LINES) + "]").encode()
    document = penstock.json.open(gzip.compress(whole, 1))
    assert (len(document), document[COUNT - 1]["n"]) == (COUNT, COUNT - 1)
    assert penstock.json.open(bytearray(bz2.compress(whole, 1)))[7]["name"] == rows(8)[7].name
