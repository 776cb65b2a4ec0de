"""What happens to a file that is being written: a killed process, a full disk, an interrupt.

`tests/targets` has the same for bytes. Here records are written, by `write` and `dump`.
"""

import errno
import io
import os
import random
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from effort import often
from folders import has_nameless_files, names

import penstock

pytestmark = pytest.mark.thread_unsafe(reason="processes are killed, and limits are the process's")

PAGE = 4 << 10


@dataclass(slots=True)
class Row:
    version: int
    number: int
    text: str


def rows(version: int) -> Iterator[Row]:
    """Records that say at each place which version they are of, and how many there are."""
    text = f"{version % 7}" * 300
    return (Row(version, number, text) for number in range(300 + version * 37 % 500))


def check_whole(path: Path) -> int:
    """Check that a file has all records of one version."""
    found = list(penstock.read(path, Row))
    version = found[0].version
    assert found == list(rows(version))
    return version


def child_that(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(
    "name", ["rows.json", "rows.ndjson", "rows.json.gz", "rows.ndjson.zst", "rows.csv"]
)
def test_killed_at_any_moment_while_it_replaces(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    chance = random.Random(name)
    level = 1 if name.endswith(".gz") else None

    def replace_for_ever() -> None:
        version = 0
        while True:
            version += 1
            if version % 2:
                penstock.dump(rows(version), path, list[Row], level=level)
                continue
            with penstock.write(path, Row, level=level) as writer:
                for row in rows(version):
                    writer.write(row)

    penstock.dump(rows(0), path, list[Row])
    replaced = left = 0
    for trial in range(often(20, long=50)):
        before = path.stat().st_mtime_ns
        child = child_that(replace_for_ever)
        if trial % 4 == 0:
            while path.stat().st_mtime_ns == before:
                time.sleep(0.000_2)
        time.sleep(chance.uniform(0, 0.02))
        kill(child)
        check_whole(path)
        replaced += path.stat().st_mtime_ns != before
        for part in set(tmp_path.iterdir()) - {path}:
            assert part.name.startswith(f"{name}.")
            assert part.suffix == ".part"
            part.unlink()
            left += 1
    assert replaced > often(4, long=10)
    # A new file has a name only while it takes the place of the other one, or where every file has.
    assert left < 10 or not has_nameless_files(tmp_path)


@pytest.mark.parametrize(("name", "text"), [("rows.ndjson", "x"), ("rows.csv", 'x\n,"')])
def test_killed_at_any_moment_while_it_appends(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    chance = random.Random(0)

    def append_for_ever() -> None:
        with penstock.write(path, Row, append=True) as writer:
            number = 0
            while True:
                number += 1
                writer.write(Row(1, number, text * (number * 61 % (3_000 // len(text) ** 2))))
                if number % 20 == 0:
                    writer.flush()

    torn = 0
    for _ in range(often(20, long=50)):
        penstock.dump([Row(1, 0, "")], path)
        child = child_that(append_for_ever)
        # More than twenty rows.
        while path.stat().st_size < 40_000:
            time.sleep(0.000_1)
        time.sleep(chance.uniform(0, 0.01))
        kill(child)
        try:
            penstock.dump([Row(1, -1, "")], path, append=True)
        except penstock.TruncatedInput:
            torn += 1
            penstock.dump([Row(1, -1, "")], path, append=True, torn="cut")
        numbers = [row.number for row in penstock.read(path, Row)]
        assert numbers == [*range(len(numbers) - 1), -1]
        assert len(numbers) > 20
    assert torn < 50


@pytest.mark.parametrize("compression", [None, "gzip"])
@pytest.mark.parametrize("how", ["dump", "write", "append"])
def test_a_disk_that_is_full_after_each_page(tmp_path: Path, how: str, compression: Any) -> None:
    path = tmp_path / "rows.ndjson"
    chance = random.Random(0)
    records = [
        Row(0, number, chance.randbytes(300).hex()) for number in range(60 if compression else 300)
    ]
    old = penstock.ndjson.encode([Row(0, -1, "")])
    if compression:
        with penstock.write(tmp_path / "old", format="ndjson", compression=compression) as writer:
            writer.write(Row(0, -1, ""))
        old = (tmp_path / "old").read_bytes()
        (tmp_path / "old").unlink()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    refused = 0
    for most in range(PAGE, (24 if compression else 200) * 1024, PAGE):
        path.write_bytes(old)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
        failed: OSError | None = None
        try:
            if how == "dump":
                json = penstock.json
                json.dump(iter(records), path, list[Row], compression=compression)
            else:
                with penstock.write(
                    path, Row, append=how == "append", compression=compression
                ) as writer:
                    for record in records:
                        writer.write(record)
        except OSError as error:
            failed = error
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert names(tmp_path) == ["rows.ndjson"]
        if failed is None:
            continue
        refused += 1
        assert str(failed) == f"[Errno {errno.EFBIG}] File too large: '{path}'"
        if how == "append":
            found = [row.number for row in penstock.read(path, Row)]
            assert found == list(range(-1, len(found) - 1))
        else:
            assert path.read_bytes() == old
    assert refused >= (4 if compression else 46)


def test_what_the_writer_says_after_the_disk_was_full() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    writer = penstock.write("/dev/full", format="ndjson")
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '/dev/full'$"):
        writer.write("x" * 100_000)
    again = "^an earlier write failed, so the target was aborted$"
    for work in (lambda: writer.write(1), writer.flush, lambda: writer.write_all([1])):
        with pytest.raises(OSError, match=again):
            work()
    assert not writer.closed
    with pytest.raises(OSError, match=again):
        writer.close()
    assert writer.closed
    writer.close()
    with pytest.raises(OSError, match="No space left"), penstock.write("/dev/full", format="json"):
        pass


# Targets of the caller.


class Short(io.RawIOBase):
    """A file that takes a few bytes at a time."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        count = len(self.taken) * 7 % 1_000 + 1
        self.taken += data[:count]
        return min(count, len(data))


def test_short_writes() -> None:
    expected = penstock.json.encode(list(rows(1)))
    file = Short()
    with penstock.write(file, Row, format="json") as writer:
        writer.write_all(rows(1))
    assert bytes(file.taken) == expected
    file = Short()
    penstock.json.dump(rows(1), file, list[Row])
    assert bytes(file.taken) == expected


@pytest.mark.parametrize("error", [LookupError("mine"), KeyboardInterrupt(), StopIteration()])
@pytest.mark.parametrize("nth", [0, 1, 3])
def test_a_target_that_raises(error: BaseException, nth: int) -> None:
    chunks: list[bytes] = []

    def take(chunk: bytes) -> None:
        if len(chunks) == nth:
            raise error
        chunks.append(chunk)

    with (
        pytest.raises(type(error)) as raised,
        penstock.write(take, Row, format="ndjson") as writer,
    ):
        writer.write_all(rows(10))
    assert raised.value is error
    assert writer.closed
    text = b"".join(chunks)
    assert text == penstock.ndjson.encode(rows(10))[: len(text)]
    assert len(chunks) == nth
    chunks.clear()
    with pytest.raises(type(error)) as second:
        penstock.json.dump(rows(10), take, list[Row])
    assert second.value is error


def test_a_closed_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as file:
        os.close(reading)
        with pytest.raises(BrokenPipeError), penstock.write(file, Row, format="ndjson") as writer:
            writer.write_all(rows(1))
        assert writer.closed


def test_a_pipe_gets_everything(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with penstock.write(pipe, Row, format="ndjson") as writer:
        writer.write_all(rows(3))
    reader.join()
    assert got == [penstock.ndjson.encode(rows(3))]
    assert names(tmp_path) == ["pipe"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "rows.json", tmp_path / "link.json"
    file.write_bytes(b"old")
    link.symlink_to("folder/rows.json")
    penstock.dump([1], link)
    assert link.is_symlink()
    assert file.read_bytes() == b"[1]"
    assert names(tmp_path / "folder") == ["rows.json"]


# Interrupts.


class Interrupted(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[Callable[[float], None]]:
    """Have a signal come after so many seconds of work."""

    def ring(*_: object) -> None:
        raise Interrupted

    def after(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    before = signal.signal(signal.SIGVTALRM, ring)
    yield after
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("what", ["many records", "one record", "dump"])
def test_an_interrupt(tmp_path: Path, what: str, alarm: Callable[[float], None]) -> None:
    path = tmp_path / "rows.json"
    path.write_bytes(b"old")
    many = [[number, {"a": "text"}] for number in range(1_000)] * 3_000
    alarm(0.05)
    started = time.process_time()

    def records() -> None:
        with penstock.write(path) as writer:
            if what == "one record":
                writer.write(many)
            else:
                writer.write_all(many)

    with pytest.raises(Interrupted):
        penstock.dump(many, path) if what == "dump" else records()
    assert time.process_time() - started < 1
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["rows.json"]


def test_a_writer_goes_on_after_an_interrupt(alarm: Callable[[float], None]) -> None:
    many = [[number, {"a": "text"}] for number in range(1_000)] * 1_000
    chunks: list[bytes] = []
    with penstock.ndjson.write(chunks.append) as writer:
        writer.write("first")
        alarm(0.02)
        with pytest.raises(Interrupted):
            writer.write(many)
        alarm(0.02)
        with pytest.raises(Interrupted):
            writer.write_all(many)
        count = writer.progress.records
        writer.write("last")
    found = penstock.ndjson.decode(b"".join(chunks))
    assert found == ["first", *many[: count - 1], "last"]


@pytest.mark.usefixtures("alarm")
def test_an_interrupt_while_a_pipe_is_full() -> None:
    reading, writing = os.pipe()
    main = threading.main_thread().ident or 0
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb", buffering=0) as file:
        timer = threading.Timer(0.05, signal.pthread_kill, [main, signal.SIGVTALRM])
        timer.start()
        with pytest.raises(Interrupted), penstock.write(file, Row, format="ndjson") as writer:
            writer.write_all(row for version in range(100) for row in rows(version))
        timer.join()
        assert writer.closed
