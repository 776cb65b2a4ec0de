"""`Log`: its state is the fold of all events in the file."""

from __future__ import annotations

import io
import os
import resource
import signal
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from events import Drop, Event, Put, State, apply, fold, opened
from folders import names

import penstock

EVENTS: list[Put | Drop] = [Put("a", 1), Put("b", 2), Drop("a"), Put("b", 3)]
LINES = (
    b'{"kind":"Put","key":"a","value":1}\n{"kind":"Put","key":"b","value":2}\n'
    b'{"kind":"Drop","key":"a"}\n{"kind":"Put","key":"b","value":3}\n'
)


def test_the_state_is_the_fold(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        assert log.state == State()
        for n, event in enumerate(EVENTS, 1):
            log.append(event)
            assert log.state == fold(EVENTS[:n])
            # It is in the file when `append` returns.
            assert path.read_bytes() == b"".join(LINES.splitlines(keepends=True)[:n])
    with opened(path) as log:
        assert log.state == fold(EVENTS)
        log.append_all(EVENTS[:1])
    assert opened(str(path)).state == fold(EVENTS + EVENTS[:1])
    assert names(tmp_path) == ["state.ndjson", "state.ndjson.lock"]


def test_what_is_in_the_file_is_what_penstock_writes(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    penstock.dump(EVENTS, path, list[Event])
    with opened(path) as log:
        assert log.state == fold(EVENTS)
        log.append(Put("c", 4))
    assert list(penstock.read(path, Event)) == [*EVENTS, Put("c", 4)]


@pytest.mark.parametrize("sync", [False, True])
def test_csv_is_a_log_too(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "state.csv"
    with opened(path, event=Put, sync=sync) as log:
        log.append(Put("a\nb", 1))
        log.append_all([Put("c", 2)])
    with opened(path, event=Put) as log:
        log.append(Put("d", 3))
        log.snapshot()
        log.append(Put("e", 4))
    assert path.read_bytes() == b'key,value\n"a\nb",1\nc,2\nd,3\ne,4\n'
    with opened(path, event=Put) as log:
        assert log.state == State({"a\nb": 1, "c": 2, "d": 3, "e": 4}, 4)
        log.seal()
        log.append(Put("f", 5))
    assert path.read_bytes() == b"key,value\nf,5\n"
    assert opened(path, event=Put).state.events == 5


def test_a_torn_row_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "state.csv"
    path.write_bytes(b'key,value\na,1\n"b\n')
    with pytest.warns(penstock.LogWarning, match="3 bytes were cut off"):
        log = opened(path, event=Put)
    assert log.state == State({"a": 1}, 1)
    assert path.read_bytes() == b"key,value\na,1\n"


@pytest.mark.parametrize("name", ["state.json", "state.xml", "state.ndjson.zst", "state.csv.gz"])
def test_only_lines_are_a_log(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="a log is"):
        opened(tmp_path / name)
    assert names(tmp_path) == []


def test_arguments_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a log is a file by its path, not BytesIO"):
        opened(io.BytesIO())
    with pytest.raises(penstock.PlanError):
        opened(tmp_path / "a.ndjson", event=threading.Lock())
    with opened(tmp_path / "a.ndjson") as log:
        with pytest.raises(
            TypeError, match=r"append_all\(\) takes an iterable of records, not str"
        ):
            log.append_all("ab")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"follow\(\) takes a LogPlace, not int"):
            log.follow(3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="wait must not be negative: -1"):
            log.follow(wait=-1)
        assert log.state == State()


@pytest.mark.parametrize("cut", range(1, len(LINES)))
def test_a_torn_last_line_is_cut_and_said(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "state.ndjson"
    path.write_bytes(LINES[:cut])
    whole = LINES[:cut].count(b"\n")
    torn = cut - len(b"".join(LINES.splitlines(keepends=True)[:whole]))
    # A reader leaves it alone.
    if torn:
        with pytest.warns(penstock.LogWarning, match=f": {torn} bytes were cut off"):
            log = opened(path)
    else:
        log = opened(path)
    with log:
        assert log.state == fold(EVENTS[:whole])
        log.append(EVENTS[whole])
    assert opened(path).state == fold(EVENTS[: whole + 1])


def test_damage_in_the_middle_is_an_error_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    damaged = LINES.replace(b'"Drop"', b"\0\0\0\0\0\0")
    path.write_bytes(damaged)
    for _ in range(2):
        with pytest.raises(penstock.MalformedInput) as caught:
            opened(path)
        assert caught.value.line == 3
    assert path.read_bytes() == damaged
    # The lock was given up, and what comes before is there.
    good: list[Any] = []
    with pytest.raises(penstock.MalformedInput):
        good.extend(penstock.read(path, Event))
    path.write_bytes(LINES)
    assert opened(path).state == fold(EVENTS)


def test_an_event_that_is_none_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    path.write_bytes(LINES.replace(b'"value":2', b'"value":"x"'))
    with pytest.raises(penstock.ValidationError, match=":2:33: expected int, got a string"):
        opened(path)
    # Also behind a snapshot, which is not to blame.
    path.write_bytes(LINES)
    with opened(path) as log:
        log.snapshot()
    with path.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(penstock.ValidationError, match=":5:2: "):
        opened(path)


def test_what_fold_refuses_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS[:2])
        with pytest.raises(KeyError):
            log.append(Drop("x"))
        assert log.state == fold(EVENTS[:2])
        with pytest.raises(KeyError):
            log.append_all([Put("c", 1), Drop("x"), Put("d", 1)])
        # Those before it are there.
        assert log.state == fold([*EVENTS[:2], Put("c", 1)])
        log.append(Drop("c"))
    assert opened(path).state == fold([*EVENTS[:2], Put("c", 1), Drop("c")])


def test_a_state_that_was_half_changed_is_made_again(tmp_path: Path) -> None:
    def careless(state: State, event: Put) -> State:
        state.values[event.key] = event.value
        if event.value < 0:
            raise ValueError("negative")
        return state

    with opened(tmp_path / "state.ndjson", event=Put, fold=careless) as log:
        log.append(Put("a", 1))
        with pytest.raises(ValueError, match="negative"):
            log.append(Put("a", -1))
        assert log.state.values == {"a": 1}


def test_what_cannot_be_encoded_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path, event=Put) as log:
        log.append(Put("a", 1))
        with pytest.raises(penstock.EncodeError):
            log.append(Put("a", "x"))  # type: ignore[arg-type]
        with pytest.raises(penstock.EncodeError):
            log.append_all([Put("b", 2), Put("a", "x")])  # type: ignore[arg-type]
        assert log.state == fold([Put("a", 1), Put("b", 2)])
    assert opened(path, event=Put).state == fold([Put("a", 1), Put("b", 2)])


def test_a_fold_returns_the_state(tmp_path: Path) -> None:
    def forgetful(state: State, event: Put) -> State:
        state.values[event.key] = event.value
        return None  # type: ignore[return-value]

    path = tmp_path / "state.ndjson"
    with opened(path, event=Put, fold=forgetful) as log:
        with pytest.raises(TypeError, match=r"forgetful\(\) has returned None"):
            log.append(Put("a", 1))
        with pytest.raises(TypeError, match=r"forgetful\(\) has returned None"):
            log.append_all([Put("a", 1)])
    assert path.read_bytes() == b""
    penstock.dump([Put("a", 1)], path)
    with pytest.raises(TypeError, match=r"forgetful\(\) has returned None"):
        opened(path, event=Put, fold=forgetful)


def test_a_fold_that_fails_again_says_where(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    penstock.dump([Put("a", 1), Drop("x")], path, list[Event])
    with pytest.raises(KeyError) as caught:
        opened(path)
    (note,) = caught.value.__notes__
    assert note == f"while a log was folded: record 2 of {path}, line 2"


def test_a_fold_cannot_append(tmp_path: Path) -> None:
    def greedy(state: State, event: Put) -> State:
        log.append(event)
        return state

    with opened(tmp_path / "state.ndjson", event=Put, fold=greedy) as log:
        with pytest.raises(RuntimeError, match="this Log is already at work"):
            log.append(Put("a", 1))
        assert log.state == State()


def test_a_closed_log(tmp_path: Path) -> None:
    log = opened(tmp_path / "state.ndjson")
    assert (log.closed, repr(log)) == (False, f"<Log '{tmp_path}/state.ndjson', writing>")
    log.close()
    log.close()
    assert (log.closed, repr(log)) == (True, f"<Log '{tmp_path}/state.ndjson', closed>")
    for use in (
        lambda: log.state,
        lambda: log.append(Put("a", 1)),
        lambda: log.append_all([]),
        log.snapshot,
        log.seal,
        lambda: log.compact([]),
        log.follow,
    ):
        with pytest.raises(ValueError, match="the log is closed"):
            use()


@pytest.mark.thread_unsafe(reason="a limit of the process")
@pytest.mark.parametrize("room", range(36))
def test_a_full_disk_leaves_what_is_in_the_file(tmp_path: Path, room: int) -> None:
    path = tmp_path / "state.ndjson"
    known = len(LINES.splitlines(keepends=True)[0])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with opened(path) as log:
        log.append(EVENTS[0])
        resource.setrlimit(resource.RLIMIT_FSIZE, (known + room, before[1]))
        try:
            if room < 35:
                with pytest.raises(OSError, match=r"only a part|File too large"):
                    log.append(EVENTS[1])
            else:
                log.append(EVENTS[1])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert log.state == fold(EVENTS[: 1 + (room == 35)])
        assert len(said) == (0 < room < 35)
        log.append(EVENTS[2])
        assert log.state == fold([*EVENTS[: 1 + (room == 35)], EVENTS[2]])


def test_threads_append_in_one_order(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    seen: list[int] = []

    def order(state: list[int], event: int) -> list[int]:
        seen.append(event)
        state.append(event)
        return state

    with penstock.Log(path, int, fold=order, state=list[int]) as log:
        threads = [
            threading.Thread(target=lambda n=n: [log.append(n * 1000 + i) for i in range(200)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert log.state == seen
    assert penstock.load(path, list[int]) == seen
    assert len(seen) == 800


# Who writes


def test_the_second_writer_is_told_who_the_first_one_is(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append(EVENTS[0])
        with pytest.raises(BlockingIOError, match="one writer, and that is this process"):
            opened(path)
        log.append(EVENTS[1])
    assert opened(path).state == fold(EVENTS[:2])


def test_a_writer_that_is_dropped_gives_up_its_lock(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    opened(path).append(EVENTS[0])
    assert opened(path).state == fold(EVENTS[:1])


@pytest.mark.thread_unsafe(reason="it forks")
def test_a_child_is_no_writer_and_holds_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    log = opened(path)
    log.append(EVENTS[0])
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        said = b""
        try:
            for use in (lambda: log.append(EVENTS[1]), log.seal, lambda: log.compact([])):
                try:
                    use()
                except BlockingIOError as error:
                    said += str(error).encode() + b"; "
        finally:
            os.write(ready[1], said)
            os.read(go[0], 1)
            os._exit(0)
    said = os.read(ready[0], 1000).decode()
    log.append(EVENTS[1])
    log.close()
    # The child is still there.
    with opened(path) as again:
        assert again.state == fold(EVENTS[:2])
    os.write(go[1], b".")
    os.waitpid(child, 0)
    for descriptor in (*ready, *go):
        os.close(descriptor)
    assert said.count(f"one writer, and that is process {os.getpid()}") == 3


def test_readers_read_along(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with pytest.raises(FileNotFoundError, match="there is no log"):
        opened(path, writable=False)
    with opened(path) as log, opened(path, writable=False) as reader:
        assert repr(reader) == f"<Log '{path}', reading>"
        for n, event in enumerate(EVENTS, 1):
            log.append(event)
            assert reader.state == fold(EVENTS[:n])
        with path.open("ab") as file:
            file.write(b'{"kind"')
        assert reader.state == fold(EVENTS)
        assert reader.place.events == 4
        for use in (
            lambda: reader.append(Put("a", 1)),
            lambda: reader.append_all([]),
            reader.snapshot,
            reader.seal,
            lambda: reader.compact([]),
        ):
            with pytest.raises(ValueError, match="writable=False"):
                use()


# Snapshots


def test_only_the_events_behind_a_snapshot_are_read(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS[:2])
        log.snapshot()
        log.append_all(EVENTS[2:])
    seen: list[Any] = []

    def watching(state: State, event: Put | Drop) -> State:
        seen.append(event)
        return apply(state, event)

    with opened(path, fold=watching) as log:
        assert (log.state, seen) == (fold(EVENTS), EVENTS[2:])
        log.snapshot()
    seen.clear()
    with opened(path, fold=watching) as log:
        assert (log.state, seen) == (fold(EVENTS), [])
    assert names(tmp_path) == ["state.ndjson", "state.ndjson.lock", "state.ndjson.snapshot"]


def test_a_snapshot_of_another_version_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path, version="1") as log:
        log.append_all(EVENTS)
        log.snapshot()

    def other(state: State, _: Put | Drop) -> State:
        state.events += 10
        return state

    assert opened(path, fold=other, version="1").state.events == 4
    assert opened(path, fold=other, version="2").state.events == 40


def damaged(text: bytes) -> list[bytes]:
    first, second, _ = text.split(b"\n")
    return [
        b"",
        first,
        first + b"\n",
        first + b"\n" + second[:-1],
        first + b"\n" + second.replace(b"3", b"4") + b"\n",
        text + b"x",
        text.replace(b'"records":4', b'"records":-4'),
        text.replace(b'"digest"', b'"digits"'),
        text.replace(b'"offset":', b'"offset":1'),
        b"\0" * len(text),
    ]


@pytest.mark.parametrize("which", range(10))
def test_a_snapshot_that_cannot_be_read_is_a_replay(tmp_path: Path, which: int) -> None:
    path, kept = tmp_path / "state.ndjson", tmp_path / "state.ndjson.snapshot"
    with opened(path) as log:
        log.append_all(EVENTS)
        log.snapshot()
    text = kept.read_bytes()
    other = damaged(text)[which]
    assert other != text
    kept.write_bytes(other)
    with pytest.warns(penstock.LogWarning, match="is not used, and all events are read"):
        log = opened(path)
    with log:
        assert log.state == fold(EVENTS)
        log.snapshot()
    assert kept.read_bytes() == text
    assert opened(path).state == fold(EVENTS)


def test_a_snapshot_of_another_class_is_a_replay(tmp_path: Path) -> None:
    @dataclass
    class Count:
        count: int = 0

    def count(state: Count, _: Any) -> Count:
        return Count(state.count + 1)

    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS)
        log.snapshot()
    kept = tmp_path / "state.ndjson.snapshot"
    # With all keys unknown and a default for each field it would be read: that is what `version` is for.
    assert opened(path, fold=count, state=Count, version="2").state == Count(4)
    text = kept.read_bytes()
    with pytest.warns(penstock.LogWarning, match="expected array, got object|expected"):
        assert opened(path, fold=lambda s, _: [*s, 1], state=list[int]).state == [1] * 4
    assert kept.read_bytes() == text


def test_a_snapshot_of_more_events_than_there_are(tmp_path: Path) -> None:
    """A loss of power may take events that were not synced, and leave the snapshot."""
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS)
        log.snapshot()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    with pytest.warns(penstock.LogWarning, match="is not the file of the checkpoint"):
        assert opened(path).state == fold(EVENTS[:2])


def test_a_state_that_would_be_another_one_has_no_snapshot(tmp_path: Path) -> None:
    def keep(state: dict[str, Any], event: Put) -> dict[str, Any]:
        return {**state, event.key: event}

    path = tmp_path / "state.ndjson"
    with opened(path, event=Put, fold=keep, state=dict) as log:
        log.append(Put("a", 1))
        with pytest.raises(penstock.EncodeError, match="not the same when it is read again"):
            log.snapshot()
    with opened(path, event=Put, fold=keep, state=dict[str, Put]) as log:
        log.snapshot()
    with opened(path, event=Put, fold=keep, state=dict[str, Put]) as log:
        assert log.state == {"a": Put("a", 1)}
    assert "state.ndjson.snapshot" in names(tmp_path)


def test_somebody_else_has_written(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS[:2])
        with path.open("ab") as file:
            file.write(LINES.splitlines(keepends=True)[1])
        with pytest.raises(ValueError, match="has 3 events, of which this log knows 2"):
            log.snapshot()
        # From then on, it is that of the file.
        assert log.state == fold([*EVENTS[:2], EVENTS[1]])


# Generations and sealed files


def smallest(state: State) -> list[Put | Drop]:
    return [Put(key, value) for key, value in state.values.items()]


def test_compacted(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log, opened(path, writable=False) as reader:
        log.append_all(EVENTS)
        assert reader.state == fold(EVENTS)
        log.snapshot()
        log.compact(smallest(log.state))
        assert log.state == State({"b": 3}, 1) == reader.state
        assert (log.place.generation, log.place.events) == (2, 1)
        log.append(Put("c", 4))
        assert reader.state == log.state == State({"b": 3, "c": 4}, 2)
    assert list(penstock.read([tmp_path / "state.2-1.ndjson.zst", path], Event)) == [
        Put("b", 3),
        Put("c", 4),
    ]
    with opened(path) as log:
        assert log.state == State({"b": 3, "c": 4}, 2)
        assert log.paths == [f"{tmp_path}/state.2-1.ndjson.zst", str(path)]
        log.compact([])
        assert log.state == State()
        log.append(Put("d", 5))
    assert opened(path).state == State({"d": 5}, 1)
    assert [name for name in names(tmp_path) if name.startswith("state.2")] == []


def test_a_compaction_that_fails_changes_nothing(tmp_path: Path) -> None:
    def failing() -> Any:
        yield Put("z", 1)
        raise OSError("no more")

    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS)
        with pytest.raises(OSError, match="no more"):
            log.compact(failing())
        with pytest.raises(KeyError):
            log.compact([Drop("x")])
        with pytest.raises(penstock.EncodeError):
            log.compact([3])  # type: ignore[list-item]
        with pytest.raises(RuntimeError, match="already at work"):
            log.compact(log.append(Put("a", n)) for n in range(3))  # type: ignore[misc]
        assert log.state == fold(EVENTS)
        log.append(Put("c", 4))
    assert opened(path).state == fold([*EVENTS, Put("c", 4)])
    assert names(tmp_path) == ["state.ndjson", "state.ndjson.lock"]


def test_sealed(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log, opened(path, writable=False) as reader:
        assert log.seal() is None
        log.append_all(EVENTS[:2])
        log.snapshot()
        sealed = log.seal()
        assert sealed == f"{tmp_path}/state.1-1.ndjson.zst"
        assert penstock.load(sealed, list[Event]) == EVENTS[:2]
        assert [part.load(Event) for part in penstock.split(sealed, parts=2) if part.load(Event)]
        assert log.seal() is None
        assert reader.state == log.state == fold(EVENTS[:2])
        log.append(EVENTS[2])
        assert log.seal() == f"{tmp_path}/state.1-2.ndjson.zst"
        log.append(EVENTS[3])
        assert log.state == reader.state == fold(EVENTS)
        assert log.place.events == reader.place.events == 4
        assert log.paths == reader.paths
    assert names(tmp_path) == [
        "state.1-1.ndjson.zst",
        "state.1-2.ndjson.zst",
        "state.ndjson",
        "state.ndjson.lock",
        "state.ndjson.snapshot",
    ]
    with opened(path) as log:
        # The snapshot is one of a place in what is sealed now.
        assert log.state == fold(EVENTS)
        log.snapshot()
        log.compact(smallest(log.state))
        assert log.state == State({"b": 3}, 1)
    assert opened(path).state == State({"b": 3}, 1)
    assert [name for name in names(tmp_path) if name.startswith("state.1")] == []


def test_what_was_begun_and_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS)
    # The process died before the new generation began, and after the log was sealed for it.
    (tmp_path / "state.2-1.ndjson").write_bytes(LINES[:35])
    path.rename(tmp_path / "state.1-1.ndjson")
    assert opened(path, writable=False).state == fold(EVENTS)
    with opened(path) as log:
        assert log.state == fold(EVENTS)
        log.append(Put("c", 4))
        assert log.seal() == f"{tmp_path}/state.1-2.ndjson.zst"
    # Both are compressed then.
    assert names(tmp_path) == [
        "state.1-1.ndjson.zst",
        "state.1-2.ndjson.zst",
        "state.ndjson",
        "state.ndjson.lock",
    ]
    # It died when it had compressed one, and when it had begun a generation.
    (tmp_path / "state.1-1.ndjson").write_bytes(LINES)
    (tmp_path / "state.2-1.ndjson").write_bytes(LINES[:35])
    assert opened(path, writable=False).state == fold([*EVENTS, Put("c", 4)])
    (tmp_path / "state.ndjson.generation").write_bytes(b"2\n")
    assert opened(path).state == fold(EVENTS[:1])
    assert names(tmp_path) == [
        "state.2-1.ndjson",
        "state.ndjson",
        "state.ndjson.generation",
        "state.ndjson.lock",
    ]


def test_a_number_of_a_generation_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    (tmp_path / "state.ndjson.generation").write_bytes(b"x")
    with pytest.raises(ValueError, match="has no number of a generation: b'x'"):
        opened(path)


def test_a_log_of_csv_needs_columns(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a log of CSV needs a class of events"):
        opened(tmp_path / "state.csv", event=dict)


def test_relative_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened("a.b.ndjson", sync=True) as log:
        log.append(EVENTS[0])
        assert log.seal() == "a.1-1.b.ndjson.zst"
        log.append(EVENTS[1])
        log.compact(smallest(log.state))
    assert opened("a.b.ndjson").state.values == {"a": 1, "b": 2}
