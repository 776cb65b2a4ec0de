"""`write` and `Writer`: records to a file, one at a time."""

import gc
import gzip
import io
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from folders import names

import penstock
from penstock import EncodeError, PlanError


@dataclass
class City:
    name: str
    population: int
    twins: list[str] = field(default_factory=list)


BERN, CHUR = City("Bern", 134591), City("Chur", 37424, ["Bad Homburg"])
TEXTS = [
    b'{"name":"Bern","population":134591,"twins":[]}',
    b'{"name":"Chur","population":37424,"twins":["Bad Homburg"]}',
]


def written(write: Callable[..., Any], *records: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    with write(file, **options) as writer:
        writer.write_all(records)
    return file.getvalue()


def test_json_is_an_array() -> None:
    text = written(penstock.json.write, BERN, CHUR)
    assert text == b"[" + TEXTS[0] + b"," + TEXTS[1] + b"]"
    assert text == penstock.json.encode([BERN, CHUR])
    assert written(penstock.json.write) == b"[]"
    assert written(penstock.json.write, BERN) == b"[" + TEXTS[0] + b"]"


def test_ndjson_is_lines() -> None:
    text = written(penstock.ndjson.write, BERN, CHUR)
    assert text == TEXTS[0] + b"\n" + TEXTS[1] + b"\n" == penstock.ndjson.encode([BERN, CHUR])
    assert written(penstock.ndjson.write) == b""
    assert written(penstock.ndjson.write, 1, 2, framing="sequence") == b"\x1e1\n\x1e2\n"


@pytest.mark.parametrize("at", ["*", "cities/*", "a/b/c/*", "x~1y/~4/*", "0/*"])
def test_at_is_where_read_finds_them(tmp_path: Path, at: str) -> None:
    path = tmp_path / "cities.json"
    for records in ([], [BERN], [BERN, CHUR]):
        with penstock.write(path, City, at=at) as writer:
            writer.write_all(records)
        assert list(penstock.read(path, City, at=at)) == records
    assert written(penstock.json.write, 1, 2, at="a/b/*") == b'{"a":{"b":[1,2]}}'
    assert written(penstock.json.write, at="a/*") == b'{"a":[]}'
    assert written(penstock.json.write, 1, at="a/*", indent=1) == (b'{\n "a": [\n  1\n ]\n}\n')


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        ("a/b", "records of JSON are the elements of an array: 'rows/*'"),
        ("//a/*", "records of JSON are the elements of an array: 'rows/*'"),
        ("*/a/*", "the steps before the last must be keys, as in 'data/rows/*'"),
        ("@a/*", "the steps before the last must be keys, as in 'data/rows/*'"),
        ("a//*", "'//' is only allowed at the beginning"),
    ],
)
def test_a_path_that_no_writer_can_follow(tmp_path: Path, at: str, reason: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text follows
        penstock.json.write(tmp_path / "rows.json", at=at)
    assert str(raised.value) == f'at="{at}": {reason}'
    assert names(tmp_path) == []


def test_nothing_is_opened_before_all_options_are_right(tmp_path: Path) -> None:
    torn = tmp_path / "log.ndjson"
    torn.write_bytes(b"1\n2")

    class Odd:
        def __init__(self, a, b):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
            pass

    for options, error in [
        ({"into": Odd}, PlanError),
        ({"omit": "all"}, ValueError),
        ({"at": "a/*"}, ValueError),
        ({"level": 100}, ValueError),
    ]:
        into = options.pop("into", None)
        with pytest.raises(error):
            penstock.write(torn, into, append=True, torn="cut", **options)  # type: ignore[arg-type]
    assert torn.read_bytes() == b"1\n2"
    assert names(tmp_path) == ["log.ndjson"]


def test_the_format_is_that_of_the_suffix(tmp_path: Path) -> None:
    for name, text in {"a.json": b"[1]", "a.ndjson": b"1\n", "a.JSONL": b"1\n"}.items():
        with penstock.write(tmp_path / name) as writer:
            writer.write(1)
        assert (tmp_path / name).read_bytes() == text
    with penstock.write(tmp_path / "a.jsonl.gz") as writer:
        writer.write(1)
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b"1\n"
    with penstock.write(tmp_path / "rows", format="ndjson") as writer:
        writer.write(1)
    assert (tmp_path / "rows").read_bytes() == b"1\n"


@pytest.mark.parametrize(
    ("target", "options", "reason"),
    [
        (
            io.BytesIO(),
            {},
            (
                "cannot tell the format of a stream without a name: "
                "pass format='json', 'ndjson', 'xml', 'csv' or 'plist'"
            ),
        ),
        (
            "rows",
            {},
            "cannot tell the format of 'rows': pass format='json', 'ndjson', 'xml', 'csv' or 'plist'",
        ),
        (
            "rows.csv",
            {"omit": "none"},
            "omit= leaves out members of objects, and a row has a cell for each column",
        ),
        (
            "rows",
            {"format": "x"},
            "format='x' is not a format: 'json', 'ndjson', 'xml', 'csv' and 'plist' are",
        ),
        (
            "a.json",
            {"append": True},
            "append= and torn= are for NDJSON and CSV, whose records are lines",
        ),
        (
            "a.json",
            {"torn": "cut"},
            "append= and torn= are for NDJSON and CSV, whose records are lines",
        ),
        ("a.ndjson", {"at": "a/*"}, "records of NDJSON are lines: they have no path"),
        (
            io.BytesIO(),
            {"format": "ndjson", "append": True},
            "append= needs a path: write() does not open this target itself",
        ),
    ],
)
def test_what_cannot_be_opened(target: Any, options: Any, reason: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text follows
        penstock.write(target, **options)
    assert str(raised.value) == reason


def test_a_file_has_its_name_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "cities.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with penstock.write(path, City) as writer:
        writer.write(BERN)
        writer.flush()
        assert path.read_bytes() == b"old"
        # Where the file system can do that, the new file has no name yet.
        assert [name for name in names(tmp_path) if not name.endswith(".part")] == ["cities.json"]
        assert not writer.closed
    assert path.read_bytes() == b"[" + TEXTS[0] + b"]"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["cities.json"]
    assert writer.closed


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, GeneratorExit])
def test_an_exception_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "cities.json"
    path.write_bytes(b"old")
    writer = penstock.write(path, City)

    def work() -> None:
        with writer:
            writer.write_all([BERN] * 5_000)
            assert writer.progress.bytes_written > 100_000
            raise error

    with pytest.raises(error):
        work()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["cities.json"]
    assert writer.closed
    writer.close()
    writer.abort()
    with pytest.raises(ValueError, match=r"^this Writer was aborted$"):
        writer.write(BERN)


def test_closing_and_aborting_again_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    writer = penstock.write(path, int)
    writer.write(1)
    writer.close()
    writer.close()
    writer.abort()
    assert path.read_bytes() == b"[1]"
    for work in (lambda: writer.write(2), lambda: writer.write_all([]), writer.flush):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the text follows
            work()
        assert str(raised.value) == "this Writer is closed"
    with penstock.write(path, int) as again:
        again.abort()
    assert path.read_bytes() == b"[1]"


# Records that cannot be written.


@pytest.mark.parametrize("write", [penstock.json.write, penstock.ndjson.write])
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_record_in_error_leaves_nothing(write: Any, bad: int) -> None:
    file = io.BytesIO()
    wrong = City("x" * 200_000, 1, [*["y"] * 1_000, 7])  # type: ignore[list-item]
    cities = [BERN, CHUR]
    with write(file, City) as writer:
        for place in range(3):
            if place == bad:
                with pytest.raises(EncodeError) as raised:
                    writer.write(wrong)
                assert str(raised.value) == (
                    f"twins[1000]: expected str, got int (record {bad + 1})"
                )
                assert (raised.value.path, raised.value.record) == ("twins[1000]", bad + 1)
            if place < 2:
                writer.write(cities[place])
        assert writer.progress.records == 2
    assert file.getvalue() == written(write, BERN, CHUR)


def test_write_all_keeps_the_records_before_an_error() -> None:
    def several() -> Iterator[Any]:
        yield BERN
        yield CHUR
        raise LookupError("mine")

    file = io.BytesIO()
    with penstock.json.write(file, City) as writer:
        with pytest.raises(EncodeError, match=r"^population: expected int, got str \(record 2\)$"):
            writer.write_all([BERN, City("x", "y")])  # type: ignore[arg-type]
        with pytest.raises(LookupError, match="mine"):
            writer.write_all(several())
        assert writer.progress.records == 3
        writer.write(BERN)
    assert file.getvalue() == penstock.json.encode([BERN, BERN, CHUR, BERN])


@pytest.mark.parametrize("records", ["text", b"bytes", bytearray(), {"a": 1}, 7, None])
def test_one_record_is_no_iterable_of_records(records: Any) -> None:
    file = io.BytesIO()
    kind = type(records).__name__
    with penstock.json.write(file) as writer:
        with pytest.raises(TypeError) as raised:
            writer.write_all(records)
        assert str(raised.value) == f"write_all() takes an iterable of records, not {kind}"
    assert file.getvalue() == b"[]"
    with pytest.raises(TypeError, match=rf"^chunks\(\) takes an iterable of records, not {kind}$"):
        penstock.json.Encoder().chunks(records)


def test_a_property_that_raises_is_the_cause() -> None:
    class Raising(City):
        @property
        def population(self) -> int:  # type: ignore[override]
            if self.name == "x":
                raise ZeroDivisionError("mine")
            return BERN.population

        @population.setter
        def population(self, value: int) -> None:
            pass

    file = io.BytesIO()
    with penstock.ndjson.write(file, Raising) as writer:
        with pytest.raises(EncodeError) as raised:
            writer.write(Raising("x", 1))
        assert isinstance(raised.value.__cause__, ZeroDivisionError)
        writer.write(Raising(BERN.name, 1))
    assert file.getvalue() == TEXTS[0] + b"\n"


def test_code_that_uses_the_writer_which_calls_it() -> None:
    file = io.BytesIO()
    writer: Any = penstock.ndjson.write(file)
    busy = "this Writer is already at work: in another thread, or in code that it is calling"

    @dataclass
    class Nested:
        a: int

        def __getattribute__(self, name: str) -> Any:
            if name == "a":
                writer.write(1)
            return super().__getattribute__(name)

    with writer:
        with pytest.raises(EncodeError) as raised:
            writer.write(Nested(1))
        assert str(raised.value.__cause__) == busy
        with pytest.raises(RuntimeError) as second:
            writer.write_all(writer.close() for _ in range(2))
        assert str(second.value) == busy
        writer.write(2)
    assert file.getvalue() == b"2\n"

    def target(chunk: bytes) -> None:
        with pytest.raises(RuntimeError) as raised:
            outer.write(1)
        assert str(raised.value) == busy
        taken.append(chunk)

    taken: list[bytes] = []
    with penstock.ndjson.write(target) as outer:
        outer.write(3)
    assert taken == [b"3\n"]


# Numbers.


def test_progress_and_repr(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.gz"
    with penstock.write(path, City) as writer:
        assert repr(writer) == f"Writer(City -> {path}, 0 records, 0 bytes)"
        writer.write_all([BERN] * 3_000)
        now = writer.progress
        assert now.records == 3_000
        assert 65_536 <= now.bytes_encoded <= 3_000 * 47
        assert now.bytes_written <= now.bytes_encoded
        assert now.elapsed >= 0
    done = writer.progress
    assert done.bytes_encoded == 3_000 * 47
    assert done.bytes_written == path.stat().st_size
    size = f"{done.bytes_written:,}"
    assert repr(writer) == f"Writer(City -> {path}, 3,000 records, {size} bytes)"
    assert repr(done).startswith(
        "WriterProgress(records=3000, bytes_encoded=141000, bytes_written="
    )
    with penstock.json.write(io.BytesIO()) as plain:
        plain.write(1)
        assert repr(plain) == "Writer(JSON stream, 1 record, 0 bytes)"


def test_text_is_handed_on_in_pieces_of_whole_records() -> None:
    chunks: list[bytes] = []
    with penstock.ndjson.write(chunks.append) as writer:
        writer.write_all("x" * 100 for _ in range(3_000))
        assert [len(chunk) for chunk in chunks] == [637 * 103] * 4
        assert all(chunk.endswith(b'"\n') for chunk in chunks)
        writer.write("y" * 1_000_000)
        assert len(chunks[-1]) > 1_000_000
    assert b"".join(chunks).count(b"\n") == 3_001


# Whoever forgets to close it.


@pytest.mark.thread_unsafe(reason="warnings are recorded for the whole process")
def test_a_writer_that_nobody_closes(tmp_path: Path) -> None:
    path, log = tmp_path / "n.json", tmp_path / "log.ndjson"
    path.write_bytes(b"old")
    log.write_bytes(b"1\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        writer = penstock.write(path, int)
        writer.write(1)
        del writer
        appending = penstock.write(log, append=True)
        appending.write(2)
        del appending
        gc.collect()
    assert [(each.category, str(each.message)) for each in caught] == [
        (ResourceWarning, f"unclosed Writer(int -> {path}): its target was aborted"),
        (ResourceWarning, f"unclosed Writer({log}): its target was aborted"),
    ]
    assert path.read_bytes() == b"old"
    assert log.read_bytes() == b"1\n2\n"
    assert names(tmp_path) == ["log.ndjson", "n.json"]


@pytest.mark.thread_unsafe(reason="the collector is the process's")
def test_a_writer_in_a_cycle_with_its_target_is_collected() -> None:
    class Held(io.BytesIO):
        writer: Any

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        file = Held()
        file.writer = penstock.json.write(file)
        file.writer.write(1)
        gc.collect()
        collected: list[int] = []
        weakref.finalize(file, collected.append, 1)
        del file
        gc.collect()
    assert collected == [1]


# Appending.


def test_appending_keeps_the_whole_records_before_an_exception(tmp_path: Path) -> None:
    for suffix in ("", ".gz", ".zst", ".bz2", ".xz"):
        path = tmp_path / f"log.ndjson{suffix}"
        penstock.dump([0], path)
        with pytest.raises(EncodeError), penstock.write(path, append=True) as writer:
            writer.write_all([*range(1, 30_000), ["x", object()]])
        with penstock.write(path, append=True) as writer:
            writer.write("end")
        assert list(penstock.read(path)) == [*range(30_000), "end"]


def test_dump_of_lines_discards_the_file_and_appending_does_not(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(b"0\n")
    with pytest.raises(EncodeError, match=r"\(record 2\)$"):
        penstock.dump([1, object()], path)
    assert path.read_bytes() == b"0\n"
    with pytest.raises(EncodeError, match=r"\(record 2\)$"):
        penstock.dump([1, object()], path, append=True)
    assert path.read_bytes() == b"0\n1\n"


def test_a_torn_last_line(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(b'{"n": 1}\n{"n"')
    with pytest.raises(penstock.TruncatedInput) as raised:
        penstock.write(path, append=True)
    assert "the last line, at byte 9, has no line feed" in str(raised.value)
    with penstock.ndjson.write(path, append=True, torn="cut") as writer:
        writer.write({"n": 2})
    assert path.read_bytes() == b'{"n": 1}\n{"n":2}\n'


# Threads and processes.


def test_a_second_thread_is_told() -> None:
    inside, done = threading.Event(), threading.Event()

    def records() -> Iterator[int]:
        yield 1
        inside.set()
        assert done.wait(20)
        yield 2

    file = io.BytesIO()
    writer: penstock.Writer[int] = penstock.json.write(file, int)
    thread = threading.Thread(target=writer.write_all, args=[records()])
    thread.start()
    assert inside.wait(20)
    busy = "^this Writer is already at work: in another thread, or in code that it is calling$"
    for work in (lambda: writer.write(7), writer.flush, writer.close, writer.abort):
        with pytest.raises(RuntimeError, match=busy):
            work()
    assert writer.progress.records == 1
    done.set()
    thread.join()
    writer.close()
    assert file.getvalue() == b"[1,2]"


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.thread_unsafe(reason="it forks")
def test_a_forked_process_writes_nothing(tmp_path: Path, append: bool) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(b"0\n")
    forked = "only the process that opened the target can write to it"
    with penstock.write(path, append=append) as writer:
        writer.write(1)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for work in (lambda: writer.write(2), writer.flush, writer.close):
                    with pytest.raises(ValueError, match=forked):
                        work()
                writer.abort()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        writer.write(3)
    assert path.read_bytes() == (b"0\n1\n3\n" if append else b"1\n3\n")
    assert names(tmp_path) == ["log.ndjson"]
