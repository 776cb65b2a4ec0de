"""`WriteBehind`: the last value of each reference reaches the slow store, with few writes."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fresh import finished
from hypothesis import given
from hypothesis import strategies as st

from penstock._stores.pending import Pending
from penstock.stores import Folder, Memory, Undrained, WriteBehind


class Slow(Memory):
    """A store that does something else before it writes, and knows what was written."""

    def __init__(self, before: Callable[[str], object] = lambda _: None) -> None:
        super().__init__()
        self.before, self.writes = before, list[str]()

    def _put(self, ref: str, value: object) -> None:
        self.writes.append(ref)
        self.before(ref)
        super()._put(ref, value)

    def _delete(self, ref: str) -> None:
        self.writes.append(ref)
        self.before(ref)
        super()._delete(ref)


def values(store: Any) -> dict[str, Any]:
    return {ref: store.get(ref) for ref in store.list()}


def test_an_update_while_the_value_is_written_is_not_lost() -> None:
    """Peeking, serving and removing leaves `{a: 1}`."""
    slow = Slow(lambda ref: len(slow.writes) == 1 and store.put(ref, 2))
    with WriteBehind(Memory(), slow) as store:
        store.put("a", 1)
        store.flush()
    assert (values(slow), slow.writes) == ({"a": 2}, ["a", "a"])


def test_put_delete_put_is_a_value() -> None:
    """With (verb, reference) as the key, the last PUT is a duplicate, and `{}` is left."""
    gate = threading.Event()
    slow = Slow(lambda _: gate.wait())
    with WriteBehind(Memory(), slow) as store:
        store.put("first", 0)
        store.put("a", 1)
        store.delete("a")
        store.put("a", 2)
        store.put("b", 1)
        store.delete("b")
        assert (store.get("a"), store.list()) == (2, ["a", "first"])
        gate.set()
    assert values(slow) == {"a": 2, "first": 0}
    assert sorted(slow.writes) == ["a", "b", "first"]


def test_a_hundred_thousand_updates_of_a_hundred_references() -> None:
    """The slow store writes once for each thousand updates, and then what is left."""
    rounds = threading.Semaphore(0)
    slow = Slow(lambda _: rounds.acquire())
    store = WriteBehind(Memory(), slow)
    for n in range(100_000):
        store.put(f"task/{n % 100}", n)
        if n % 1_000 == 999:
            rounds.release()
        if n % 10_000 == 0:
            assert len(store.undrained) <= 100
    done = len(slow.writes)
    rounds.release(1_000)
    store.close()
    # One is written when the last update comes.
    assert len(slow.writes) <= done + 100
    assert done <= 101
    assert values(slow) == {f"task/{n % 100}": n for n in range(99_900, 100_000)}
    assert store.undrained == []


def test_a_disk_that_takes_a_millisecond(tmp_path: Path) -> None:
    class Disk(Folder):
        count = 0

        def _put(self, ref: str, value: object) -> None:
            self.count += 1
            time.sleep(0.001)
            super()._put(ref, value)

    disk = Disk(tmp_path, int)
    start = time.monotonic()
    with WriteBehind(Memory(), disk) as store:
        for n in range(100_000):
            store.put(f"task/{n % 100}", n)
        seconds = time.monotonic() - start
    assert disk.count <= 100 + seconds / 0.001 + 1
    assert values(disk) == {f"task/{n % 100}": n for n in range(99_900, 100_000)}


def test_put_waits_where_too_many_wait() -> None:
    gate = threading.Event()
    slow = Slow(lambda _: gate.wait())
    store = WriteBehind(Memory(), slow, most=3)
    for ref in "abcabc":
        store.put(ref, ref)
    late = threading.Thread(target=store.put, args=("d", "d"))
    late.start()
    late.join(0.05)
    assert late.is_alive()
    assert sorted(store.undrained) == ["a", "b", "c"]
    with pytest.raises(TimeoutError, match="not written yet: 'a', 'b', 'c'"):
        store.flush(0.01)
    gate.set()
    late.join()
    store.close()
    assert values(slow) == {ref: ref for ref in "abcd"}
    with pytest.raises(ValueError, match="the store is closed"):
        store.put("a", 1)
    assert store.get("a") == "a"
    store.close()
    with pytest.raises(ValueError, match="most must be at least 1"):
        WriteBehind(Memory(), slow, most=0)


def test_what_was_deleted_is_gone_at_once() -> None:
    gate = threading.Event()
    gate.set()
    slow = Slow(lambda _: gate.wait())
    slow.put("a", "old")
    slow.put("b", "old")
    with WriteBehind(Memory(), slow) as store:
        assert (store.get("a"), store.list()) == ("old", ["a", "b"])
        gate.clear()
        store.delete("a")
        with pytest.raises(KeyError):
            store.get("a")
        with pytest.raises(KeyError):
            store.version("a")
        assert (store.list(), store.version("b")) == (["b"], "slow 2")
        gate.set()
        store.flush()
        assert (slow.list(), store.list()) == (["b"], ["b"])


def test_what_cannot_be_written_stays_undrained() -> None:
    def refuse(ref: str) -> None:
        if ref in broken:
            raise OSError(f"no room for {ref}")

    broken = {"a", "b"}
    slow = Slow(refuse)
    store = WriteBehind(Memory(), slow)
    for ref in "abc":
        store.put(ref, 1)
    with pytest.raises(ExceptionGroup, match="not written: 'a', 'b'") as caught:
        store.flush()
    assert [str(error) for error in caught.value.exceptions] == ["no room for a", "no room for b"]
    assert caught.value.exceptions[0].__notes__ == ["while 'a' was written"]
    assert (store.undrained, store.get("a"), slow.list()) == (["a", "b"], 1, ["c"])
    broken.remove("a")
    store.put("b", 2)
    with pytest.raises(ExceptionGroup, match="not written: 'b'"):
        store.close()
    assert (store.undrained, values(slow)) == (["b"], {"a": 1, "c": 1})


def test_errors_go_to_a_target() -> None:
    def refuse(ref: str) -> None:
        raise OSError(ref)

    found: list[Undrained] = []
    slow = Slow(refuse)
    with WriteBehind(Memory(), slow, errors=found.append) as store:
        store.put("a", 1)
        store.flush()
        # Once when it was put, and perhaps again by `flush`.
        assert {(each.ref, repr(each.error)) for each in found} == {("a", "OSError('a')")}
        assert store.undrained == ["a"]
        slow.before = lambda _: None
    assert (store.undrained, values(slow)) == ([], {"a": 1})


def test_a_target_that_raises() -> None:
    def refuse(_: object) -> None:
        raise OSError("refused")

    store = WriteBehind(Memory(), Slow(refuse), errors=refuse)
    store.put("a", 1)
    with pytest.raises(OSError, match="refused"):
        store.flush()
    assert store.undrained == ["a"]


def test_errors_of_which_nobody_was_told() -> None:
    def refuse(_: object) -> None:
        raise OSError("refused")

    store = WriteBehind(Memory(), Slow(refuse))
    store.put("a", 1)
    thread = store._thread
    assert thread is not None
    thread.join()
    kept = [store]
    del store

    def drop() -> None:
        kept.clear()
        # The error knows where it was raised.
        gc.collect()

    with pytest.warns(ResourceWarning, match="never written: 'a': OSError"):
        drop()


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_the_interpreter_waits_at_its_end(tmp_path: Path) -> None:
    script = f"""
        import time
        from penstock.stores import Folder, Memory, WriteBehind
        class Disk(Folder):
            def _put(self, ref, value):
                time.sleep(0.01)
                super()._put(ref, value)
        store = WriteBehind(Memory(), Disk({str(tmp_path)!r}))
        for n in range(20):
            store.put(f"a/{{n}}", n)
    """
    done = finished(script)
    assert (done.returncode, done.stderr) == (0, "")
    assert values(Folder(tmp_path)) == {f"a/{n}": n for n in range(20)}


@pytest.mark.thread_unsafe(reason="it forks")
def test_a_child_does_not_write(tmp_path: Path) -> None:
    with WriteBehind(Memory(), Folder(tmp_path)) as store:
        store.put("a", 1)
        store.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                store.put("a", 2)
            except RuntimeError:
                status = 7
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert values(Folder(tmp_path)) == {"a": 1}


@pytest.mark.thread_unsafe(reason="it forks")
def test_killed(tmp_path: Path) -> None:
    """Each file is whole, and one that was put."""
    for _ in range(5):
        child = os.fork()
        if child == 0:
            try:
                store = WriteBehind(Memory(), Folder(tmp_path, list[int]))
                for n in range(1_000_000):
                    store.put(f"a/{n % 10}", [n] * 100)
            finally:
                os._exit(0)
        time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for ref, value in values(Folder(tmp_path, list[int])).items():
            assert len(value) == 100
            assert len(set(value)) == 1
            assert value[0] % 10 == int(ref[-1])
    assert Folder(tmp_path).list()


# Any interleaving, of the queue alone and of the store that stands on it

REFS = st.sampled_from("abc")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), REFS),
        st.tuples(st.just("delete"), REFS),
        st.tuples(st.sampled_from(["take", "write", "done"]), st.integers(0, 3)),
        st.tuples(st.just("crash"), st.none()),
    ),
    max_size=60,
)


@given(STEPS)
def test_any_interleaving_of_put_delete_serve_and_crash(steps: list[tuple[str, Any]]) -> None:
    """A worker takes a reference, looks at the value, writes it and says so, each at any moment."""
    fast: dict[str, int] = {}
    slow: dict[str, int] = {}
    pending = Pending()
    # The references at work, with the value that was read.
    taken: dict[str, int | None] = {}
    # The values of each reference that the slow store may have: all since it was last up to date.
    history: dict[str, list[int | None]] = {ref: [None] for ref in "abc"}

    def serve(verb: str, which: int) -> None:
        if verb == "take":
            if pending.is_waiting:
                ref = pending.take()
                assert ref not in taken, "two at work on one reference"
                taken[ref] = fast.get(ref)
            return
        if not taken:
            return
        ref = sorted(taken)[which % len(taken)]
        value = taken[ref]
        if value is None:
            slow.pop(ref, None)
        else:
            slow[ref] = value
        if verb == "done":
            del taken[ref]
            pending.done(ref)

    for count, (verb, argument) in enumerate(steps, 1):
        if verb == "put":
            fast[argument] = count
            history[argument].append(count)
            pending.mark(argument)
        elif verb == "delete":
            fast.pop(argument, None)
            history[argument].append(None)
            pending.mark(argument)
        elif verb == "crash":
            # What is left is the slow store: of each reference a value that it once had.
            assert all(slow.get(ref) in history[ref] for ref in "abc")
            fast, pending, taken = dict(slow), Pending(), {}
            history = {ref: [slow.get(ref)] for ref in "abc"}
        else:
            serve(verb, argument)
        assert len(pending) <= 3
        assert all(slow.get(ref) in history[ref] for ref in "abc")
        # Whatever is not pending is as it is.
        assert all(slow.get(ref) == fast.get(ref) for ref in "abc" if ref not in pending)
    while pending:
        serve("take", 0)
        serve("done", 0)
    assert slow == fast


@given(
    st.lists(st.tuples(st.sampled_from(["put", "delete", "serve"]), REFS), max_size=40),
    st.lists(st.tuples(st.sampled_from(["put", "delete"]), REFS), max_size=5),
)
def test_any_change_while_it_serves(steps: list[Any], during: list[Any]) -> None:
    """The same with the store itself: changes come while a value is written."""
    rest = list(during)

    def change(verb: str, ref: str, value: int) -> None:
        if verb == "put":
            store.put(ref, value)
        else:
            store.delete(ref)

    def meanwhile(_: str) -> None:
        if rest:
            change(*rest.pop(), len(rest))

    slow = Slow(meanwhile)
    store = WriteBehind(Memory(), slow)
    # No thread: this test serves.
    store._thread = threading.current_thread()
    for count, (verb, ref) in enumerate(steps, 100):
        if verb == "serve":
            if store._pending.is_waiting:
                store._serve_one()
        else:
            change(verb, ref, count)
    while store._pending.is_waiting:
        store._serve_one()
    assert values(slow) == values(store._fast) == values(store)
    assert store.undrained == []
    store._thread = None
