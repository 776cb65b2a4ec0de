"""What pipelines do with items: values, order, branches, ends, and the five ways to run them."""

# ruff: noqa: ARG001, ARG002, PT012, PLW0108 - stages ignore their items, and lambdas are what is tested

import io
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock.streams import Pipeline, Stream, Summary, batch, take


def double(n: int) -> int:
    return 2 * n


def even(n: int) -> int | None:
    return n if n % 2 == 0 else None


def each(n: int) -> Iterator[int]:
    for k in range(n):
        yield 10 * n + k


class Log(Stream):
    """Passes items on and keeps what happened."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def open(self):
        self.events.append("open")

    def write(self, obj: Any) -> bool | None:
        self.events.append(obj)
        return self.emit(obj)

    def flush(self):
        self.events.append("flush")

    def close(self):
        self.events.append("close")

    def abort(self):
        self.events.append("abort")


class Twice(Stream):
    def write(self, obj: Any) -> bool | None:
        self.emit(obj)
        return self.emit(obj)


class Total(Stream):
    def open(self):
        self.total = 0

    def write(self, obj: int) -> None:
        self.total += obj

    def close(self):
        self.emit(self.total)


class Writer:
    """An end like that of `penstock.write`: it is finished or aborted."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.state = "open"

    def write(self, item: Any) -> None:
        assert self.state == "open"
        self.items.append(item)

    def close(self):
        self.state = "closed"

    def abort(self):
        self.state = "aborted"


STAGES: list[tuple[Any, Callable[[list[int]], list[int]]]] = [
    (double, lambda items: [2 * n for n in items]),
    (even, lambda items: [n for n in items if n % 2 == 0]),
    (each, lambda items: [10 * n + k for n in items for k in range(n)]),
    (partial(double), lambda items: [2 * n for n in items]),
]


def test_functions_map_filter_and_expand():
    numbers = [3, 0, 2]
    for stage, expected in STAGES:
        assert list(numbers | Pipeline(stage)) == expected(numbers)


def simple(draw: Any, depth: int) -> tuple[Any, Callable[[list[Any]], list[Any]]]:
    """Draw a stage, and the function that says what comes out of it."""
    kind = draw(st.integers(0, 6 if depth else 4))
    if kind == 0:
        return (lambda n: n + 1), (lambda items: [n + 1 for n in items])
    if kind == 1:
        return even, (lambda items: [n for n in items if n % 2 == 0])
    if kind == 2:
        return (lambda n: iter((n, n + 1))), (lambda items: [m for n in items for m in (n, n + 1)])
    if kind == 3:
        return Twice(), (lambda items: [n for n in items for _ in range(2)])
    if kind == 4:
        return Total(), (lambda items: [sum(items)])
    if kind == 5:
        inner = [simple(draw, depth - 1) for _ in range(2)]
        return Pipeline(*(stage for stage, _ in inner)), chained([says for _, says in inner])
    # Branches give their items in turn only if each of them gives as many for each item.
    first, second = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    return (
        (lambda n: n + first, Pipeline(lambda n: n * second)),
        lambda items: [m for n in items for m in (n + first, n * second)],
    )


def chained(says: list[Callable[[list[Any]], list[Any]]]) -> Callable[[list[Any]], list[Any]]:
    def all_of(items: list[Any]) -> list[Any]:
        for one in says:
            items = one(items)
        return items

    return all_of


@given(st.data(), st.lists(st.integers(-3, 9), max_size=6))
def test_all_ways_to_run_give_the_same(data: st.DataObject, numbers: list[int]):
    parts = [simple(data.draw, 2) for _ in range(data.draw(st.integers(0, 4)))]
    expected = chained([says for _, says in parts])(numbers)
    stages = [stage for stage, _ in parts]

    assert list(Pipeline(*stages, source=numbers)) == expected
    out: list[Any] = []
    assert Pipeline(*stages, out, source=iter(numbers)).run() == Summary(len(numbers), 0, False)
    assert out == expected
    source = b"[" + b",".join(b"%d" % n for n in numbers) + b"]"
    out.clear()
    penstock.json.read(io.BytesIO(source), int).into(Pipeline(*stages, out))
    assert out == expected
    out.clear()
    with Pipeline(*stages, out) as pipeline:
        for n in numbers:
            assert pipeline.write(n) is None
    # Nothing was written, so nothing was opened or closed.
    assert out == (expected if numbers else [])
    if len(numbers) == 1:
        assert Pipeline(*stages).process(numbers[0]) == expected


def test_nothing_runs_before_it_is_asked_to():
    log, calls = Log(), []
    pipeline = [1, 2] | Pipeline(lambda n: calls.append(n), log)
    iterator = iter(pipeline)
    assert log.events == calls == []
    assert list(iterator) == []
    assert (log.events, calls) == (["open", "close"], [1, 2])


def test_a_pipeline_runs_again():
    log = Log()
    pipeline = Pipeline(take(2), log)
    first, second = [], []
    Pipeline(pipeline, first, source=[1, 2, 3]).run()
    Pipeline(pipeline, second, source=[4, 5, 6]).run()
    assert (first, second) == ([1, 2], [4, 5])
    assert log.events == ["open", 1, 2, "close", "open", 4, 5, "close"]
    assert pipeline.process(7) == [7]


def test_what_comes_out_behind_the_last_stage_is_dropped():
    assert ([1, 2, 3] | Pipeline(double)).run() == Summary(3, 0, False)


def test_branches_get_each_item_and_join_in_order():
    pipeline = Pipeline(double, (str, each, Pipeline(lambda n: -n) | double), take(100))
    assert pipeline.process(1) == ["2", 20, 21, -4]
    assert list([1, 2] | Pipeline((double, str))) == [2, "1", 4, "2"]
    assert list([1] | Pipeline((double,))) == [2]


def test_a_branch_that_stops_is_finished_while_the_others_go_on():
    few, all_of_them = [], []
    stopped = Log()
    pipeline = Pipeline((Pipeline(take(2), stopped, few), all_of_them))
    assert (range(5) | pipeline).run() == Summary(5, 0, False)
    assert (few, all_of_them) == ([0, 1], [0, 1, 2, 3, 4])
    assert stopped.events == ["open", 0, 1, "close"]


def test_when_all_branches_have_stopped_so_has_the_pipeline():
    first, second = [], []
    source = iter(range(100))
    pipeline = Pipeline((Pipeline(take(2), first), Pipeline(take(4), second)))
    assert Pipeline(pipeline, source=source).run() == Summary(4, 0, True)
    assert (first, second, next(source)) == ([0, 1], [0, 1, 2, 3], 4)


def test_a_branch_without_an_end_stops_with_what_follows():
    source = iter(range(100))
    never = Pipeline((lambda _: None, double))
    assert list(Pipeline(never, take(2), source=source)) == [0, 2]
    assert next(source) == 2


def test_a_branch_with_an_end_goes_on_when_what_follows_has_stopped():
    kept: list[int] = []
    out: list[int] = []
    assert (range(5) | Pipeline((kept, double), take(2), out)).run() == Summary(5, 0, False)
    assert (kept, out) == ([0, 1, 2, 3, 4], [0, 2])


def test_a_stage_that_emits_only_at_the_end_reaches_the_stages_behind_it():
    assert list([1, 2, 3] | Pipeline(Total(), double, batch(5))) == [[12]]
    assert list([1, 2, 3] | Pipeline(batch(2), (Total0(), len))) == [2, 1, 3]


class Total0(Stream):
    """The number of items in all lists."""

    def open(self):
        self.count = 0

    def write(self, obj: list[int]) -> None:
        self.count += len(obj)

    def close(self):
        self.emit(self.count)


def test_open_may_emit():
    class Header(Stream):
        def open(self):
            self.emit("name")

    assert list(["a"] | Pipeline(Header(), str.upper)) == ["NAME", "A"]
    out: list[str] = []
    assert Pipeline(str.lower, Header(), out, source=["A"]).run().items == 1
    assert out == ["name", "a"]


def test_what_is_emitted_after_a_stop_does_not_arrive():
    class Late(Stream):
        def close(self):
            assert self.emit("late") is False

    out: list[Any] = []
    Pipeline(Late(), take(1), out, source=[1, 2]).run()
    assert out == [1]
    assert list(Pipeline(Late(), take(1), source=[1, 2])) == [1]
    assert Pipeline(batch(2), take(1)).process(1) == [[1]]


def test_a_stage_may_stop_and_still_say_something():
    class UntilBlank(Stream):
        def open(self):
            self.lines: list[str] = []

        def write(self, line: str) -> bool | None:
            self.lines.append(line)
            return bool(line)

        def close(self):
            self.emit(self.lines)

    source = iter(["a", "b", "", "c"])
    assert list(source | UntilBlank()) == [["a", "b", ""]]
    assert next(source) == "c"


def test_true_goes_on_although_the_next_stage_has_stopped():
    class Count(Stream):
        def open(self):
            self.count = 0

        def write(self, obj: Any) -> bool:
            self.count += 1
            self.emit(obj)
            return True

    count = Count()
    assert list(range(10) | Pipeline(count, take(3))) == [0, 1, 2]
    assert count.count == 10


def test_none_stops_with_the_next_stage_even_if_nobody_returned_it():
    class Forgetful(Stream):
        def write(self, obj: Any) -> None:
            self.emit(obj)

    source = iter(range(10))
    assert list(source | Pipeline(Forgetful(), take(3))) == [0, 1, 2]
    assert next(source) == 3


def test_a_function_stops_by_raising_stop():
    def until_two(n: int) -> int:
        if n == 2:
            raise penstock.Stop
        return n

    def until_three(n: int) -> Iterator[int]:
        yield n
        if n == 3:
            raise penstock.Stop

    for way in (list, pushed):
        source = iter(range(9))
        assert way(source | Pipeline(until_two)) == [0, 1]
        assert next(source) == 3
        source = iter(range(9))
        assert way(source | Pipeline(until_three)) == [0, 1, 2, 3]
        assert next(source) == 4


def pushed(pipeline: Pipeline[Any]) -> list[Any]:
    """Run it with all stages pushed: a branch is."""
    out: list[Any] = []
    Pipeline((Pipeline(pipeline._scope, out),), source=pipeline._source).run()
    return out


def test_a_stop_closes_the_iterator_of_a_function():
    closed = []

    def many(n: int) -> Iterator[int]:
        try:
            yield n
            yield n + 1
        finally:
            closed.append(n)

    for way in (list, pushed):
        assert way([1, 2] | Pipeline(many, take(1))) == [1]
        assert closed.pop() == 1
        assert closed == []


def test_take_and_batch():
    assert list(range(5) | take(0)) == []
    assert list([] | take(2)) == []
    assert list(range(5) | batch(2)) == [[0, 1], [2, 3], [4]]
    assert list([] | batch(2)) == []
    for wrong, message in (
        (lambda: take(-1), "take() takes no negative number"),
        (lambda: batch(0), "batch() takes a number from 1"),
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
            wrong()
        assert str(caught.value) == message


def test_flush_hands_on_what_is_held_back():
    out: list[Any] = []
    file = Flushed()
    log = Log()
    pipeline = Pipeline((Pipeline(batch(3), log, out), file))
    pipeline.flush()
    assert pipeline.write(b"a") is None
    assert (out, file.flushes) == ([], 0)
    pipeline.flush()
    assert (out, file.flushes) == ([[b"a"]], 1)
    assert log.events == ["open", [b"a"], "flush"]
    pipeline.close()
    assert file.flushes == 2


class Flushed(io.BytesIO):
    flushes = 0

    def flush(self):
        self.flushes += 1


def test_writing_by_hand():
    log = Log()
    pipeline = Pipeline(take(2), log)
    assert log.events == []
    assert [pipeline.write(n) for n in (1, 2, 3)] == [None, False, False]
    pipeline.close()
    pipeline.close()
    assert log.events == ["open", 1, 2, "close"]
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        pipeline.write(4)
    assert str(caught.value) == "this pipeline is closed"


def test_a_with_block_that_raises_aborts():
    writer, log = Writer(), Log()
    pipeline = Pipeline(log, writer)
    with pytest.raises(KeyError), pipeline:
        pipeline.write(1)
        raise KeyError
    assert (writer.items, writer.state, log.events) == ([1], "aborted", ["open", 1, "abort"])
    other = Writer()
    pipeline = Pipeline(other)
    pipeline.write(1)
    pipeline.abort()
    assert other.state == "aborted"


def test_ends():
    numbers: deque[int] = deque(maxlen=2)
    unique: set[int] = set()
    data, text, writer = io.BytesIO(), io.StringIO(), Writer()
    pipeline = Pipeline(
        (
            numbers,
            unique.add,
            Pipeline(str, text),
            Pipeline(lambda n: b"%d" % n, data),
            writer,
        )
    )
    assert ([1, 2, 1, 3] | pipeline).run() == Summary(4, 0, False)
    assert (numbers, unique) == (deque([1, 3], maxlen=2), {1, 2, 3})
    assert (data.getvalue(), text.getvalue()) == (b"1213", "1213")
    # Whoever opened a file closes it.
    assert (data.closed, writer.items, writer.state) == (False, [1, 2, 1, 3], "closed")


def test_a_file_without_a_buffer_gets_all_of_an_item(tmp_path: Path):
    class Slow(io.RawIOBase):
        got = b""

        def writable(self):
            return True

        def write(self, data: Any) -> int:
            self.got += bytes(data[:3])
            return min(3, len(data))

    slow = Slow()
    Pipeline(slow, source=[b"abcdefgh", b"ij"]).run()
    assert slow.got == b"abcdefghij"
    with (tmp_path / "out").open("wb", buffering=0) as file:
        Pipeline(file, source=[b"x" * 100_000]).run()
    assert (tmp_path / "out").stat().st_size == 100_000


def test_an_end_may_say_that_it_wants_no_more():
    class Full:
        def write(self, item: int) -> bool:
            return item < 2

    source = iter(range(9))
    assert Pipeline(Full(), source=source).run() == Summary(3, 0, True)
    assert next(source) == 3


def test_a_writer_of_penstock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    path = Path("out.json")
    pipeline = range(4) | Pipeline(lambda n: {"n": n}, (penstock.write(path), len))
    assert (
        repr(pipeline) == "Pipeline(range | <lambda> | (Writer(out.json, 0 records, 0 bytes), len))"
    )
    assert pipeline.run() == Summary(4, 0, False)
    assert path.read_bytes() == b'[{"n":0},{"n":1},{"n":2},{"n":3}]'
    # What was there stays, if the run fails or a loop is left early.
    with pytest.raises(ZeroDivisionError):
        ([1, 0] | Pipeline(lambda n: 1 / n, penstock.write(path))).run()
    for _ in [1, 2] | Pipeline((penstock.write(path), double)):
        break
    assert penstock.load(path, list[dict[str, int]])[3] == {"n": 3}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.json"]
    # A stop finishes it.
    Pipeline(take(2), penstock.write(path), source=[7, 8, 9]).run()
    assert path.read_bytes() == b"[7,8]"
    failures: list[Any] = []
    writer = penstock.ndjson.write("out.ndjson")
    items = [1, object(), 2]
    assert Pipeline(writer, source=items, errors=failures).run() == Summary(3, 1, False)
    assert Path("out.ndjson").read_bytes() == b"1\n2\n"
    assert [type(each.error) for each in failures] == [penstock.EncodeError]
    # Its method is a function like any other, and closes nothing.
    with penstock.write(path) as kept:
        for each in ([1], [2, 3]):
            (each | Pipeline(kept.write)).run()
    assert path.read_bytes() == b"[1,2,3]"


def test_one_writer_in_two_branches_is_closed_once():
    class Once(Writer):
        def close(self):
            assert self.state == "open"
            super().close()

    writer = Once()
    Pipeline((writer, Pipeline(double, writer)), source=[1, 2]).run()
    assert (writer.items, writer.state) == ([1, 2, 2, 4], "closed")


def test_operands_on_the_left():
    assert list([1, 2] | Total()) == [3]
    assert list({3: "x"} | take(1)) == [3]
    assert list(range(3) | Pipeline(double)) == [0, 2, 4]
    assert (double | Total() | str).process(4) == ["8"]
    assert ((double, str) | batch(9)).process(4) == [[8, "4"]]
    assert (int | batch(2)).process("4") == [[4]]
    assert list((n for n in (1, 2)) | Pipeline()) == [1, 2]


def test_the_graph_as_text(tmp_path: Path):
    def parse(x: Any) -> Any:
        return x

    path = tmp_path / "out.bin"
    with path.open("wb") as file:
        pipeline = Pipeline(parse, (Pipeline(take(3), []), batch(2)), Log(), (str.upper, {}.get))
        assert (
            repr(pipeline)
            == "Pipeline(parse | (take(3) | list, batch(2)) | Log() | (str.upper, dict.get))"
        )
        assert repr(Pipeline()) == "Pipeline()"
        assert repr([1] | Pipeline(parse, errors=[])) == "Pipeline(list | parse, errors=list)"
        inner = Pipeline(parse, errors=print)
        assert (
            repr(Pipeline(inner, (partial(parse),)))
            == "Pipeline((parse, errors=print) | (partial,))"
        )
        long = [1] | Pipeline(*[parse] * 4, *[Log()] * 9, lambda n: n, io.BytesIO())
        assert repr(long) == (
            "Pipeline(\n    list\n"
            + 4 * "    | parse\n"
            + 9 * "    | Log()\n"
            + "    | <lambda>\n    | BytesIO\n)"
        )
        assert repr(Pipeline(file)).startswith("Pipeline(file '")
    reader = penstock.json.read(io.BytesIO(b"[1]"), int, at="*")
    assert repr(reader | parse) == f"Pipeline({reader!r} | parse)"
    assert repr(penstock.json.read(io.BytesIO(b"[1]"), int, at="*") | Broken()).endswith(
        "| Broken)"
    )


class Broken(Stream):
    def __repr__(self) -> str:
        raise ValueError


async def later(item: Any) -> Any:
    return item


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Pipeline(3),
            "an int is no stage: pass a function, a Stream, a tuple of branches, or as an end a list, a binary file or a writer",
        ),
        (lambda: Pipeline(()), "an empty tuple is no stage: a tuple holds the branches"),
        (lambda: Pipeline(Total), "Total is a class: did you mean Total()?"),
        (
            lambda: Pipeline("gzip -9"),
            "a str is no stage: for a program use shell(), for a file penstock.write()",
        ),
        (
            lambda: Pipeline(Path("a.json")),
            "a PosixPath is no stage: for a program use shell(), for a file penstock.write()",
        ),
        (
            lambda: Pipeline(penstock.json.read([b"[]"])),
            "a Reader begins a pipeline: write it first",
        ),
        (
            lambda: Pipeline([1] | Pipeline(), []) | [],
            "nothing comes out of list, so there can be no stage behind it",
        ),
        (
            lambda: Pipeline([], print),
            "nothing comes out of list, so there can be no stage behind it",
        ),
        (lambda: Pipeline(later), "later is asynchronous: nobody would wait for it"),
        (
            lambda: Pipeline(print, [1] | Pipeline(print)),
            "a pipeline with a source begins a pipeline: it cannot stand in one",
        ),
        (
            lambda: Pipeline([1] | Pipeline(), source=[2]),
            "the pipeline has a source, so it takes no other",
        ),
        (
            lambda: [1] | ([2] | Pipeline()),
            "the pipeline has a source, so nothing can stand before it",
        ),
        (
            lambda: "abc" | Pipeline(),
            "a str is no source of a pipeline: put it into a list, or read() the file of that name",
        ),
        (lambda: 3 | Pipeline(), "an int is no source of a pipeline: it is not iterable"),
    ],
)
def test_what_is_no_stage_and_no_source(make: Callable[[], object], message: str):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            lambda: Pipeline(double).run(),
            "run() needs a source: reader | pipeline, or reader.into(pipeline)",
        ),
        (
            lambda: list(Pipeline(double)),
            "iterating needs a source: reader | pipeline, or reader.into(pipeline)",
        ),
        (
            lambda: ([1] | Pipeline(double)).process(1),
            "process() is for a pipeline without a source",
        ),
        (lambda: ([1] | Pipeline(double)).write(1), "write() is for a pipeline without a source"),
    ],
)
def test_a_source_or_none(run: Callable[[], object], message: str):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        run()
    assert str(caught.value) == message


def test_a_stage_stands_in_one_place_of_one_run():
    total = Total()
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        Pipeline(total, (total, print)).process(1)
    assert str(caught.value) == "Total() stands twice in the pipeline: make another"
    pipeline = Pipeline(total)
    pipeline.write(1)
    with pytest.raises(RuntimeError) as at_work:
        Pipeline(total).process(2)
    assert str(at_work.value) == "Total() is at work in another run of a pipeline"
    pipeline.close()
    assert Pipeline(total).process(2) == [2]


def test_emit_outside_a_run():
    with pytest.raises(RuntimeError) as caught:
        Total().emit(1)
    assert str(caught.value) == "Total.emit() was called outside a run"


def test_a_stage_can_be_copied_and_pickled():
    import copy
    import pickle

    stage = take(3)
    assert list(range(9) | stage) == [0, 1, 2]
    assert list(range(9) | copy.copy(stage)) == [0, 1, 2]
    assert list(range(9) | pickle.loads(pickle.dumps(stage))) == [0, 1, 2]
    inside = []

    class Copies(Stream):
        def write(self, obj: Any) -> None:
            inside.append(copy.copy(self))

    list([1] | Copies())
    with pytest.raises(RuntimeError):
        inside[0].emit(1)


@pytest.mark.thread_unsafe(reason="it measures the memory of the process")
def test_memory_stays_the_same_however_much_comes_out():
    import tracemalloc

    def many(n: int) -> Iterator[bytes]:
        for _ in range(20_000):
            yield bytes(1000)

    seen = 0

    def count(item: bytes) -> None:
        nonlocal seen
        seen += len(item)

    for run in (
        lambda: [count(item) for item in [1, 2] | Pipeline(many) if count(item)],
        lambda: ([1, 2] | Pipeline(many, count)).run(),
        lambda: ([1, 2] | Pipeline((many, many), (count, lambda b: b), count)).run(),
        lambda: ([1, 2] | Pipeline(Twice(), many, (count,))).run(),
    ):
        seen = 0
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert seen >= 40_000_000
        assert peak < 500_000
