"""`penstock.ndjson.open`: any record of a file of lines, with the results of `read`."""

from __future__ import annotations

import errno
import gc
import gzip
import json
import os
import pickle
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, Limits, Rows, ndjson

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class City:
    name: str
    population: int = 0


TEXT = (
    '{"name": "Bern", "population": 134591}\n\n  \r\n'
    '{"name": "Chur"}\r\n{"name": "Żuk"}\n{"name": 7}\n{"name" "x"}\n{"name": "end"}'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cities.ndjson"
    path.write_bytes(TEXT.encode())
    return path


def outcomes(path: Path, into: Any) -> list[Any]:
    """Return the records of `read`, with the errors in their places."""
    errors: list[DecodeError] = []
    with ndjson.read(path, into, errors=errors.append) as reader:
        made: list[Any] = list(reader)
    for error in sorted(errors, key=lambda error: error.record or 0):
        assert error.record is not None
        made.insert(error.record - 1, error)
    return made


def outcome(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except DecodeError as error:
        return error


def same(one: Any, other: Any) -> bool:
    if isinstance(one, DecodeError):
        return type(one) is type(other) and one.report() == other.report()
    return type(one) is type(other) and one == other


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", " ", "\t\r", "1", " [1, 2]  ", '"\xe9\u20ac"', "{", '{"a" 1}', "1 2", "nul"]
        ),
        st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps),
    )
)


@given(
    lines=LINES,
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\n\n"]), min_size=1),
    last=st.booleans(),
    mark=st.booleans(),
)
def test_each_record_is_that_of_read(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    ends: list[str],
    last: bool,
    mark: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "some.ndjson"
    text = "".join(line + ends[at % len(ends)] for at, line in enumerate(lines))
    if not last:
        text = text.removesuffix("\n")
    path.write_bytes(b"\xef\xbb\xbf" * mark + text.encode())
    expected = outcomes(path, object)
    with ndjson.open(path) as rows:
        assert len(rows) == len(expected)
        for place, record in enumerate(expected):
            assert same(outcome(lambda place=place: rows[place]), record)
        iterator = iter(rows)
        for record in expected:
            assert same(outcome(lambda: next(iterator)), record)
        assert list(iterator) == []


def test_a_class(path: Path) -> None:
    rows = ndjson.open(path, City)
    assert isinstance(rows, Sequence)
    expected = outcomes(path, City)
    assert len(rows) == len(expected) == 6
    assert rows[0] == City("Bern", 134591)
    assert rows[-1] == City("end")
    for place, record in enumerate(expected):
        assert same(outcome(lambda place=place: rows[place]), record)
    assert rows.to(dict[str, Any], 0) == {"name": "Bern", "population": 134591}
    assert rows.raw(1) == b'{"name": "Chur"}'
    assert rows.raw(4) == b'{"name" "x"}'
    with pytest.raises(penstock.ValidationError) as raised:
        rows[3]
    assert str(raised.value) == f"{path}:6:10: expected str, got the integer 7 (record 4, at name)"
    assert raised.value.offset == TEXT.encode().index(b"7}")


def test_slices(path: Path) -> None:
    everything = outcomes(path, object)
    with ndjson.open(path) as rows:
        for cut in (slice(1, 3), slice(None, 3), slice(2, None, -1), slice(5, 1, -4), slice(9, 99)):
            part = rows[cut]
            assert type(part) is Rows
            assert len(part) == len(everything[cut])
            assert list(part) == everything[cut]
            assert [part[at] for at in range(len(part))] == everything[cut]
        assert rows[1:5][1:3][0] == everything[2]
        assert list(rows[:0]) == []
        assert everything[1] in rows[:3]
        assert rows[:3].index(everything[2]) == 2
        assert list(reversed(rows[:3])) == everything[:3][::-1]
        chosen = random.Random(7).choice(rows[:3])
        assert chosen in everything


def test_wrong_places(path: Path) -> None:
    with ndjson.open(path) as rows:
        for place in (6, -7, 1 << 70):
            with pytest.raises(IndexError, match=f"^record {place} of 6$"):
                rows[place]
        with pytest.raises(IndexError, match=r"^record 2 of 2$"):
            rows[:2][2]
        with pytest.raises(TypeError, match="is an int or a slice, not str"):
            rows["name"]  # type: ignore[call-overload]


def files_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_closed_file(path: Path) -> None:
    rows = ndjson.open(path)
    part, iterator = rows[:2], iter(rows)
    assert repr(rows) == f"<Rows of {str(path)!r}: 6 records>"
    with rows:
        assert not part.closed
    assert part.closed
    assert len(rows) == 6
    assert repr(part) == f"<Rows of {str(path)!r}: 2 records, closed>"
    for ask in (lambda: rows[0], lambda: part.raw(0), lambda: next(iterator)):
        with pytest.raises(ValueError, match=r"^these Rows are closed$"):
            ask()
    rows.close()
    # Errors of other tests hold rows in cycles.
    gc.collect()
    before = files_open()
    opened = [ndjson.open(path) for _ in range(5)]
    assert files_open() == before + 5
    del opened
    assert files_open() == before


@pytest.mark.thread_unsafe(reason="all threads have one file")
def test_a_file_that_changes(path: Path) -> None:
    rows = ndjson.open(path)
    iterator = iter(rows)
    assert next(iterator) == rows[0]
    kept = pickle.dumps(rows)
    with path.open("a") as file:
        file.write("\n{}\n")
    for ask in (lambda: rows[0], lambda: rows.raw(0), lambda: next(iterator)):
        with pytest.raises(DecodeError, match="has changed since it was opened: open it again"):
            ask()
    with pytest.raises(DecodeError, match="has changed since these Rows were pickled"):
        pickle.loads(kept)
    assert len(ndjson.open(path)) == 7


@pytest.mark.thread_unsafe(reason="all threads have one file")
def test_a_file_that_changes_without_a_trace(path: Path) -> None:
    # The same size and date with other lines: the positions of the index are no line beginnings.
    rows, about = ndjson.open(path), path.stat()
    path.write_bytes(TEXT.encode().replace(b"\n", b" ").replace(b"end", b"x\n "))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    with pytest.raises(DecodeError, match="has changed since it was opened"):
        rows[1]


def test_pickles(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    rows = ndjson.open("cities.ndjson", City, unknown="error", limits=Limits(token=100))[2::-2]
    kept = pickle.dumps(rows)
    monkeypatch.chdir("/")
    again = pickle.loads(kept)
    assert list(again) == list(rows) == [City("Żuk"), City("Bern", 134591)]


def test_an_index_is_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = path.with_name("cities.ndjson.penstock-index")
    rows = ndjson.open(path, index=True)
    assert not rows._file.is_kept
    first = beside.read_bytes()
    again = ndjson.open(path, index=True)
    assert again._file.is_kept
    assert list(again[:3]) == list(rows[:3])
    assert set(path.parent.iterdir()) == {path, beside}
    # A damaged index, or one of another file, is made again.
    for wrong in (
        b"PENSTIX",
        b"PENSTIX\2",
        first[:-1],
        first[:20] + bytes([first[20] ^ 1]) + first[21:],
        first + b"\0" * 9,
    ):
        beside.write_bytes(wrong)
        assert not ndjson.open(path, index=True)._file.is_kept
        assert beside.read_bytes() == first
    with path.open("a") as file:
        file.write("\n{}\n")
    assert len(ndjson.open(path, index=True)) == 7
    assert beside.read_bytes() != first
    elsewhere = path.with_name("elsewhere")
    assert len(ndjson.open(path, index=elsewhere)) == 7
    assert elsewhere.read_bytes() == beside.read_bytes()

    close = os.close

    def refuse(descriptor: int) -> None:
        close(descriptor)
        raise OSError(errno.EDQUOT, "full")

    monkeypatch.setattr(os, "close", refuse)
    for index in (path.with_name("third"), elsewhere):
        elsewhere.write_bytes(first)
        with pytest.raises(OSError, match=rf"Disk quota exceeded: '{index}'$"):
            ndjson.open(path, index=index)
    assert elsewhere.read_bytes() == first
    assert set(path.parent.iterdir()) == {path, beside, elsewhere}


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    packed = tmp_path / "x.ndjson.gz"
    packed.write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(ValueError, match=r"x.ndjson.gz is gzip data, so .* decompress it first"):
        ndjson.open(packed)
    wide = tmp_path / "x.ndjson"
    wide.write_bytes("{}\n".encode("utf-16"))
    with pytest.raises(penstock.MalformedInput, match="UTF-16"):
        ndjson.open(wide)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keeper = os.open(pipe, os.O_RDWR)
    with pytest.raises(ValueError, match=r"pipe is no regular file.* go through it with read\(\)"):
        ndjson.open(pipe)
    os.close(keeper)
    with pytest.raises(FileNotFoundError):
        ndjson.open(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        ndjson.open(tmp_path)
    with pytest.raises(TypeError, match=r"takes the path of a file .*, not bytes"):
        ndjson.open(b"{}")  # type: ignore[arg-type]
    empty = tmp_path / "empty.ndjson"
    empty.write_bytes(b"")
    assert list(ndjson.open(empty, index=True)) == []


def test_a_record_may_be_too_long(path: Path) -> None:
    rows = ndjson.open(path, limits=Limits(token=30))
    assert rows[1] == {"name": "Chur"}
    with pytest.raises(LimitExceeded) as raised:
        rows[0]
    message = "a record longer than 30 bytes (limits.token)"
    assert str(raised.value) == f"{path}:1:1: {message} (record 1)"
    with pytest.raises(LimitExceeded):
        list(rows)


@pytest.mark.thread_unsafe(reason="a process forks where it has one thread")
def test_threads_and_forks(tmp_path: Path) -> None:
    path = tmp_path / "many.ndjson"
    path.write_text("".join(f'{{"at": {at}, "pad": "{"x" * (at % 97)}"}}\n' for at in range(5_000)))
    rows = ndjson.open(path)
    wrong: list[int] = []

    def ask(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(500):
            at = chance.randrange(5_000)
            if rows[at]["at"] != at:
                wrong.append(at)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    child = os.fork()
    if child == 0:
        ask(9)
        os._exit(1 if wrong or rows[4_999]["at"] != 4_999 else 0)
    assert os.waitpid(child, 0)[1] == 0
    assert [row["at"] for row in rows] == list(range(5_000))
