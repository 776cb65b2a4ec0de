"""All stores are one: the same values by the same references, however they are stacked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock.stores import (
    Cached,
    Folder,
    Logged,
    Mapped,
    Memory,
    Operation,
    Overlay,
    Remote,
    Store,
    WriteBehind,
)


@dataclass
class Task:
    title: str
    done: bool = False


MAKERS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: Memory(),
    "folder": lambda path: Folder(path / "a", Task),
    "compressed": lambda path: Folder(path / "a", Task, suffix=".json.gz", sync=True),
    "plist": lambda path: Folder(str(path / "a"), Task, suffix=".plist"),
    "overlay": lambda path: Overlay(Folder(path / "a", Task), Memory()),
    "cached": lambda path: Cached(Memory(), Folder(path / "a", Task)),
    "small cache": lambda path: Cached(Memory(), Folder(path / "a", Task), bytes=80),
    "mapped": lambda path: Mapped(
        Folder(path / "a"), lambda plain: penstock.make(plain, Task), penstock.plain
    ),
    "logged": lambda _: Logged(Memory(), []),
    "behind": lambda path: WriteBehind(Memory(), Folder(path / "a", Task)),
}


@pytest.fixture(params=MAKERS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = MAKERS[request.param](tmp_path)
    yield made
    if isinstance(made, WriteBehind):
        made.close()


def test_the_five_methods(store: Store) -> None:
    milk, bread = Task("milk"), Task("bread", True)
    assert store.list() == []
    store.put("list/7/a", milk)
    store.put("list/7", bread)
    store.put("list/70", milk)
    assert (store.get("list/7/a"), store.get("list/7")) == (milk, bread)
    assert store.list() == ["list/7", "list/7/a", "list/70"]
    assert store.list("list/7") == ["list/7", "list/7/a"]
    assert store.list("list/70/x") == store.list("lis") == []
    before = store.version("list/7")
    assert store.version("list/7") == before
    store.put("list/7", Task("other"))
    assert store.version("list/7") != before
    store.delete("list/7")
    store.delete("list/7")
    assert store.list() == ["list/7/a", "list/70"]
    for missing in ("list/7", "list", "list/7/a/b", "x"):
        with pytest.raises(KeyError):
            store.get(missing)
        with pytest.raises(KeyError):
            store.version(missing)
    store.put("list/7", bread)
    assert store.get("list/7") == bread


@pytest.mark.parametrize("ref", ["", "/", "a/", "/a", "a//b", ".", "a/..", "../a", "a/./b", "a\0"])
def test_what_is_no_reference(store: Store, ref: str) -> None:
    for use in (store.get, store.delete, store.version, lambda ref: store.put(ref, Task("x"))):
        with pytest.raises(ValueError, match="is no reference"):
            use(ref)
    if ref:
        with pytest.raises(ValueError, match="is no reference"):
            store.list(ref)
    with pytest.raises(TypeError, match="a reference is a text such as 'task/7/notes', not int"):
        store.get(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ref", ["a.json", "a.json/b", "a.json.json/b.json", "a%2Ejson/b", "%", "a b/ü/.x", "a\\b/*?"]
)
def test_references_that_look_like_files(tmp_path: Path, ref: str) -> None:
    store = Folder(tmp_path, str)
    for each in ("a", "a.json", ref):
        store.put(each, each)
    assert set(store.list()) == {"a", "a.json", ref}
    assert [store.get(each) for each in store.list()] == store.list()
    for each in store.list():
        store.delete(each)
    assert store.list() == []


def test_a_value_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    store = Folder(tmp_path, Task)
    store.put("a", Task("milk"))
    with pytest.raises(penstock.EncodeError):
        store.put("a", {"titel": 3})
    assert store.get("a") == Task("milk")
    (tmp_path / "a.json").write_text('{"title": 3}')
    with pytest.raises(penstock.ValidationError, match=r"a\.json"):
        store.get("a")
    assert store.get("a", dict[str, int]) == {"title": 3}


def test_none_is_a_value(tmp_path: Path) -> None:
    for store in (
        Memory(),
        Folder(tmp_path),
        Cached(Memory(), Memory()),
        Overlay(Memory(), Memory()),
    ):
        store.put("a", None)
        assert (store.get("a"), store.list()) == (None, ["a"])


def test_any_format_by_the_suffix(tmp_path: Path) -> None:
    rows = [Task("milk"), Task("bread", True)]
    for suffix in (".csv", ".ndjson", ".ndjson.zst"):
        store = Folder(tmp_path, list[Task], suffix=suffix)
        store.put("a", rows)
        assert store.get("a") == rows
    assert (tmp_path / "a.csv").read_text() == "title,done\nmilk,false\nbread,true\n"
    for suffix in ("json", ".txt", ".pickle", ".json/x", ""):
        with pytest.raises(ValueError, match="is the suffix of no format"):
            Folder(tmp_path, suffix=suffix)
    with pytest.raises(TypeError, match="takes a path, not int"):
        Folder(3)  # type: ignore[arg-type]


def test_an_overlay_changes_the_upper_store_only() -> None:
    upper, lower = Memory(), Memory()
    lower.put("a", 1)
    lower.put("b", 2)
    store = Overlay(upper, lower)
    before = store.version("a")
    store.put("a", 3)
    store.put("c", 4)
    assert store.version("a") != before
    assert [store.get(ref) for ref in store.list()] == [3, 2, 4]
    with pytest.raises(PermissionError, match="the lower store has it"):
        store.delete("a")
    store.delete("c")
    store.delete("x")
    assert (upper.list(), lower.list(), lower.get("a")) == (["a"], ["a", "b"], 1)


class Counting(Memory):
    """Counts what is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def _get(self, ref: str, into: Any) -> Any:
        self.reads += 1
        return super()._get(ref, into)


def test_a_cache_asks_once() -> None:
    slow = Counting()
    slow.put("a", "x" * 8)
    store = Cached(Memory(), slow, bytes=25)
    assert [store.get("a") for _ in range(3)] == ["x" * 8] * 3
    assert slow.reads == 1
    # A value of ten bytes each: the third one takes the place of who was asked for first.
    store.put("b", "y" * 8)
    assert store.get("a") == "x" * 8
    store.put("c", "z" * 8)
    assert (store.get("a"), slow.reads) == ("x" * 8, 1)
    assert (store.get("b"), slow.reads) == ("y" * 8, 2)
    store.put("large", "w" * 100)
    assert (store.get("large"), slow.reads) == ("w" * 100, 3)
    store.delete("a")
    with pytest.raises(KeyError):
        store.get("a")
    with pytest.raises(ValueError, match="bytes must not be negative"):
        Cached(Memory(), slow, bytes=-1)
    with pytest.raises(ValueError, match="the fast store must be empty"):
        Cached(slow, Memory())


def test_a_value_that_could_not_be_written_is_not_cached(tmp_path: Path) -> None:
    store = Cached(Memory(), Folder(tmp_path, Task))
    store.put("a", Task("milk"))
    with pytest.raises(penstock.EncodeError):
        store.put("a", Task(3))  # type: ignore[arg-type]
    assert store.get("a") == Task("milk")


def test_what_was_written_while_it_was_read_is_not_cached() -> None:
    class Slow(Memory):
        def _get(self, ref: str, into: Any) -> Any:
            value = super()._get(ref, into)
            if value == 1:
                store.put(ref, 2)
            return value

    slow = Slow()
    slow.put("a", 1)
    store = Cached(Memory(), slow)
    assert (store.get("a"), store.get("a")) == (1, 2)


def test_operations_are_what_was_done(tmp_path: Path) -> None:
    done: list[Operation] = []
    store = Logged(Memory(), done.append)
    store.put("a", 1)
    store.delete("b")
    with pytest.raises(KeyError):
        store.get("b")
    assert (store.get("a"), store.list(), store.version("a")) == (1, ["a"], "1")
    assert done == [("put", "a"), ("delete", "b"), ("get", "a"), ("list", ""), ("version", "a")]
    path = tmp_path / "done.ndjson"
    with penstock.write(path, Operation) as writer:
        Logged(Memory(), writer).put("a", 1)
    assert list(penstock.read(path, Operation)) == [Operation("put", "a")]
    with pytest.raises(TypeError, match="not int"):
        Logged(Memory(), 3)


def test_a_store_is_copied_by_its_operations() -> None:
    done: list[Operation] = []
    original, copy = Memory(), Memory()
    store = Logged(original, done)
    for number in range(20):
        store.put(f"a/{number % 7}", number)
        store.delete(f"a/{number % 3}")
    for ref in {operation.ref for operation in done}:
        try:
            copy.put(ref, original.get(ref))
        except KeyError:
            copy.delete(ref)
    assert {ref: copy.get(ref) for ref in copy.list()} == {
        ref: original.get(ref) for ref in original.list()
    }


def test_remote_reads_only() -> None:
    obstore = pytest.importorskip("obstore.store")
    server = obstore.MemoryStore()
    server.put("tasks/list/7.json", b'{"title":"milk"}')
    store = Remote("tasks", Task, store=server)
    assert store.get("list/7") == Task("milk")
    assert store.version("list/7") == store.version("list/7")
    server.put("tasks/list/7.json", b'{"title":"bread"}')
    assert store.get("list/7") == Task("bread")
    for missing in (store.get, store.version):
        with pytest.raises(KeyError):
            missing("list/8")
    for use in (lambda: store.put("a", Task("x")), lambda: store.delete("a"), store.list):
        with pytest.raises(OSError, match="what is behind an address cannot be"):
            use()
    mine = Overlay(Memory(), store)
    mine.put("list/7", Task("mine"))
    assert (mine.get("list/7"), store.get("list/7")) == (Task("mine"), Task("bread"))


# Laws

REFS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "delete", "get", "list"]), REFS, st.integers()), max_size=30
)


@given(st.sampled_from(["memory", "cached", "small cache", "logged", "overlay", "behind"]), STEPS)
def test_each_store_is_a_dict(name: str, steps: list[Any]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        slow = Folder(folder, int)
        makers: dict[str, Callable[[], Store]] = {
            "memory": Memory,
            "cached": lambda: Cached(Memory(), slow),
            "small cache": lambda: Cached(Memory(), slow, bytes=3),
            "logged": lambda: Logged(slow, []),
            "overlay": lambda: Overlay(slow, Memory()),
            "behind": lambda: WriteBehind(Memory(), slow, most=2),
        }
        store, known = makers[name](), dict[str, int]()
        for verb, ref, value in steps:
            if verb == "put":
                store.put(ref, value)
                known[ref] = value
            elif verb == "delete":
                store.delete(ref)
                known.pop(ref, None)
            elif verb == "get":
                try:
                    assert store.get(ref) == known[ref]
                except KeyError:
                    assert ref not in known
            else:
                assert store.list(ref) == sorted(
                    each for each in known if f"{each}/".startswith(f"{ref}/")
                )
        if isinstance(store, WriteBehind):
            store.close()
            assert {ref: slow.get(ref) for ref in slow.list()} == known
        assert store.list() == sorted(known)


def test_threads_see_whole_values(tmp_path: Path) -> None:
    store = Cached(Memory(), Folder(tmp_path, list[int]), bytes=1000)
    store.put("a", [0] * 50)

    def work(number: int) -> None:
        for _ in range(30):
            store.put("a", [number] * 50)
            assert len(set(store.get("a"))) == 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get("a") == Folder(tmp_path, list[int]).get("a")
