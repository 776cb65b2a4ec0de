"""What becomes of exceptions: notes, error targets, ends that are aborted, sources that are closed."""

# ruff: noqa: ARG001, ARG002, PT012 - stages ignore their items, and blocks raise somewhere inside

import gc
import io
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.streams import Failure, Pipeline, Place, Stream, Summary, batch, take


class Writer:
    """An end like that of `penstock.write`: it is finished or aborted."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.state = "open"

    def write(self, item: Any) -> None:
        self.items.append(item)

    def close(self):
        self.state = "closed"

    def abort(self):
        self.state = "aborted"


class Log(Stream):
    """Raises where it is told to, and keeps what happened."""

    def __init__(self, *raises: str) -> None:
        self.events: list[Any] = []
        self.raises = raises

    def say(self, event: Any):
        self.events.append(event)
        if str(event) in self.raises:
            msg = f"at {event}"
            raise ValueError(msg)

    def open(self):
        self.say("open")

    def write(self, obj: Any) -> bool | None:
        self.say(obj)
        return self.emit(obj)

    def flush(self):
        self.say("flush")

    def close(self):
        self.say("close")

    def abort(self):
        self.say("abort")

    def __repr__(self) -> str:
        return "Log()"


def no_three(n: int) -> int:
    if n == 3:
        msg = "no three"
        raise ValueError(msg)
    return n


def lines(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def test_the_note_names_the_stage_and_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    lines(Path("n.ndjson"), "1\n\n2\n3\n4\n")
    for again in (lambda p: p.run(), list):
        writer = Writer()
        reader = penstock.read("n.ndjson", int)
        with pytest.raises(ValueError, match="no three") as caught:
            again(reader | str | int | no_three | (batch(2), writer))
        assert notes(caught.value) == [
            "raised in stage 3, no_three, for record 3 of n.ndjson, line 4"
        ]
        assert (writer.items, writer.state) == ([1, 2], "aborted")
        with pytest.raises(ValueError, match="this Reader is closed"):
            next(reader)


def test_the_note_without_a_reader():
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        ([1, 3] | Pipeline((no_three, str))).run()
    assert notes(caught.value) == ["raised in stage 1, no_three, for record 2"]
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        Pipeline(str, int, no_three).process(3)
    assert notes(caught.value) == ["raised in stage 3, no_three, for record 1"]


def test_an_exception_gets_one_note_however_many_stages_it_passes():
    log = Log()
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        ([3] | Pipeline(log, Log(), (Log(), no_three), Log())).run()
    assert notes(caught.value) == ["raised in stage 4, no_three, for record 1"]
    assert log.events == ["open", 3, "abort"]


def test_a_stage_may_catch_what_a_later_stage_raises():
    class Careful(Stream):
        def write(self, obj: Any) -> None:
            try:
                self.emit(obj)
            except ValueError as error:
                raise KeyError(obj) from error

    with pytest.raises(KeyError) as caught:
        ([3] | Pipeline(Careful(), no_three)).run()
    assert notes(caught.value) == ["raised in stage 1, Careful(), for record 1"]


def test_an_error_target_gets_the_exception_the_item_and_its_place():
    failures: list[Failure] = []
    out: list[int] = []
    reader = penstock.json.read(io.BytesIO(b"[1,\n3,\n5, 3]"), int)
    pipeline = Pipeline(reader | no_three | out, errors=failures)
    assert pipeline.run() == Summary(4, 2, False)
    assert out == [1, 5]
    assert [(str(each.error), each.item, each.stage) for each in failures] == 2 * [
        ("no three", 3, "no_three")
    ]
    assert [each.place for each in failures] == [Place(None, 2, 2, 5), Place(None, 4, 3, 11)]
    assert notes(failures[0].error) == []


def test_an_error_target_is_a_stage_like_any_other():
    texts: list[str] = []
    log = Log()
    errors = Pipeline(lambda failure: str(failure.error), log, texts)
    assert list(Pipeline(no_three, source=[1, 3, 5], errors=errors)) == [1, 5]
    assert (texts, log.events) == (["no three"], ["open", "no three", "close"])
    # A function, and one that stops.
    seen: list[Any] = []
    assert Pipeline(no_three, source=[3, 3], errors=seen.append).run().failed == 2
    assert len(seen) == 2
    source = iter([3, 3, 3, 3])
    assert Pipeline(no_three, source=source, errors=take(2)).run() == Summary(2, 2, True)
    assert len(list(source)) == 2


def test_each_part_may_have_an_error_target_of_its_own():
    inner: list[Failure] = []
    outer: list[Failure] = []

    def no_five(n: int) -> int:
        if n == 5:
            msg = "no five"
            raise ValueError(msg)
        return n

    pipeline = Pipeline(Pipeline(no_three, errors=inner), no_five, errors=outer)
    for way in (pipeline, Pipeline((pipeline,))):
        assert list([1, 3, 5, 7] | way) == [1, 7]
        assert [str(each.error) for each in inner] == ["no three"]
        assert [str(each.error) for each in outer] == ["no five"]
        inner.clear()
        outer.clear()


def test_an_iterator_that_raises_keeps_what_came_before():
    def some(n: int) -> Iterator[int]:
        yield n
        no_three(n)
        yield n

    failures: list[Failure] = []
    for stages in ((some,), ((some,),)):
        assert list(Pipeline(*stages, source=[1, 3, 5], errors=failures)) == [1, 1, 3, 5, 5]
    assert [each.item for each in failures] == [3, 3]


def test_an_error_target_that_raises_ends_the_run():
    def strict(failure: Failure):
        raise KeyError(failure.item)

    with pytest.raises(KeyError) as caught:
        Pipeline(no_three, source=[3], errors=strict).run()
    where = "test_an_error_target_that_raises_ends_the_run"
    assert where not in notes(caught.value)[0]
    assert notes(caught.value) == ["raised in the error target, strict, for record 1"]
    assert isinstance(caught.value.__context__, ValueError)


def test_what_no_error_target_gets():
    failures: list[Failure] = []

    def starve(n: int):
        raise MemoryError

    class Full(Writer):
        def write(self, item: Any) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(MemoryError):
        Pipeline(starve, source=[1], errors=failures).run()
    full = Full()
    with pytest.raises(OSError, match="No space left") as caught:
        Pipeline(full, source=[1], errors=failures).run()
    assert notes(caught.value) == ["raised in stage 1, Full, for record 1"]
    assert (failures, full.state) == ([], "aborted")

    def interrupted(n: int):
        raise KeyboardInterrupt

    log = Log()
    with pytest.raises(KeyboardInterrupt):
        Pipeline(log, interrupted, source=[1], errors=failures).run()
    assert log.events == ["open", 1, "abort"]


def test_a_stop_iteration_does_not_end_a_loop_silently():
    def first(items: list[int]) -> int:
        return next(iter(items))

    for pipeline in ([[1], []] | Pipeline(first), [[1], []] | Pipeline((first,))):
        with pytest.raises(RuntimeError) as caught:
            list(pipeline)
        assert str(caught.value) == "a stage raised StopIteration"
        assert notes(caught.value) == ["raised in stage 1, first, for record 2"]


@pytest.mark.parametrize("way", ["run", "iterate", "by hand"])
@pytest.mark.parametrize("where", ["open", "2", "close"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_stage_that_raises_at_each_point(at: int, where: str, way: str):
    logs = [Log(*([where] if at == k else [])) for k in range(3)]
    writer = Writer()
    stages = (*logs, (writer, lambda n: n))
    with pytest.raises(ValueError, match=f"at {where}") as caught:
        if way == "run":
            Pipeline(*stages, source=[1, 2, 3]).run()
        elif way == "iterate":
            list(Pipeline(*stages, source=[1, 2, 3]))
        else:
            pipeline = Pipeline(*stages)
            for n in (1, 2, 3):
                pipeline.write(n)
            pipeline.close()
    when = {"open": "when it was opened", "2": "for record 2", "close": "when it was closed"}[where]
    assert notes(caught.value) == [f"raised in stage {at + 1}, Log(), {when}"]
    assert writer.state == "aborted"
    for k, log in enumerate(logs):
        ending = log.events[-1] if log.events else None
        if where == "open":
            # The last stage is opened first.
            assert log.events == ([] if k < at else ["open", "abort"])
        elif where == "2":
            assert ending == "abort"
        else:
            # Those behind it are aborted, because they got too little.
            assert ending == ("abort" if k > at else "close")
        assert log.events.count("close") + log.events.count("abort") <= 1
        # They may be used again.
        log.raises = ()
        assert Pipeline(log).process(1) == [1]


def test_close_goes_through_all_stages():
    class Last(Stream):
        """It has no `abort`, so it is closed in any case."""

        closed = False

        def close(self):
            self.closed = True
            msg = "last"
            raise KeyError(msg)

    log, last, writer = Log("close"), Last(), Writer()
    pipeline = Pipeline(log, last, writer)
    pipeline.write(1)
    with pytest.raises(ExceptionGroup) as caught:
        pipeline.close()
    assert str(caught.value) == "2 stages failed to close (2 sub-exceptions)"
    assert [repr(error) for error in caught.value.exceptions] == [
        "ValueError('at close')",
        "KeyError('last')",
    ]
    assert [notes(error) for error in caught.value.exceptions] == [
        ["raised in stage 1, Log(), when it was closed"],
        ["raised in stage 2, Last(), when it was closed"],
    ]
    assert (last.closed, writer.state) == (True, "aborted")
    pipeline.close()


def test_what_a_close_emits_may_fail_too():
    out: list[Any] = []
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        Pipeline(batch(5), lambda items: no_three(items[-1]), out, source=[1, 3]).run()
    assert notes(caught.value) == ["raised in stage 2, <lambda>"]
    failures: list[Failure] = []
    assert (
        list(Pipeline(batch(5), (lambda items: no_three(items[-1]),), source=[3], errors=failures))
        == []
    )
    assert [(each.item, each.place) for each in failures] == [([3], None)]


def test_what_an_open_emits_may_fail_too():
    class Header(Stream):
        def open(self):
            self.emit(3)

    writer = Writer()
    with pytest.raises(ValueError, match="no three") as caught:
        Pipeline(Header(), no_three, writer, source=[1]).run()
    assert notes(caught.value) == ["raised in stage 2, no_three"]
    assert writer.state == "aborted"


def test_an_end_that_cannot_be_closed_or_aborted():
    class Stuck(Writer):
        def close(self):
            msg = "stuck"
            raise OSError(msg)

        abort = close

    with pytest.raises(OSError, match="stuck") as caught:
        Pipeline(Stuck(), source=[1]).run()
    assert notes(caught.value) == ["raised in stage 1, Stuck, when it was closed"]
    other = Writer()
    with pytest.raises(ValueError, match="no three") as first:
        Pipeline((no_three, Stuck(), other), source=[3]).run()
    assert notes(first.value) == [
        "raised in stage 1, no_three, for record 1",
        "and Stuck could not be aborted: OSError('stuck')",
    ]
    assert other.state == "aborted"


def test_flush_that_raises_aborts():
    writer = Writer()
    pipeline = Pipeline(Log("flush"), writer)
    pipeline.write(1)
    with pytest.raises(ValueError, match="at flush") as caught:
        pipeline.flush()
    assert notes(caught.value) == ["raised in stage 1, Log(), when it was flushed"]
    assert writer.state == "aborted"
    with pytest.raises(ValueError, match="this pipeline is closed"):
        pipeline.write(2)


def test_a_source_that_raises_aborts_the_ends():
    reader = penstock.ndjson.read(io.BytesIO(b"1\n2\n3, "), int)
    writer = Writer()
    with pytest.raises(penstock.MalformedInput) as caught:
        (reader | str | writer).run()
    assert caught.value.record == 3
    assert notes(caught.value) == []
    assert (writer.items, writer.state) == (["1", "2"], "aborted")


class File(io.BytesIO):
    """Says how much was read of it."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.size = len(data)


def opened(path: Path) -> bool:
    """Whether this process has the file open."""
    return any(
        Path(link).resolve() == path for link in Path("/proc/self/fd").iterdir() if link.exists()
    )


@pytest.mark.thread_unsafe(reason="it looks at the open files of the process")
@pytest.mark.parametrize("ending", ["stop", "failure", "left", "end"])
@pytest.mark.parametrize("way", ["run", "into", "iterate"])
def test_the_reader_closes_its_file(tmp_path: Path, way: str, ending: str):
    path = lines(tmp_path / "n.ndjson", "".join(f"{n}\n" for n in range(100_000)))
    stages: dict[str, Any] = {"stop": take(3), "failure": no_three, "left": str, "end": str}
    writer = Writer()
    pipeline = Pipeline(stages[ending], (writer, str))
    reader = penstock.read(path, int)
    assert opened(path)
    try:
        if way == "run":
            (reader | pipeline).run()
        elif way == "into":
            reader.into(pipeline)
        else:
            for _ in reader | pipeline:
                if ending == "left":
                    break
    except ValueError:
        assert ending == "failure"
    assert not opened(path)
    left_early = ending == "left" and way == "iterate"
    assert writer.state == ("aborted" if ending == "failure" or left_early else "closed")
    assert reader.progress.records == {"stop": 3, "failure": 4}.get(
        ending, 1 if left_early else 100_000
    )


def test_a_file_of_the_caller_stays_open():
    file = io.BytesIO(b"1\n2\n")
    assert list(penstock.ndjson.read(file, int) | take(1)) == [1]
    assert not file.closed


def test_a_generator_is_closed_and_an_iterator_is_not():
    closed = []

    def source() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    assert (source() | take(2)).run() == Summary(2, 0, True)
    assert closed == [True]
    numbers = iter(range(5))
    assert list(numbers | take(2)) == [0, 1]
    assert list(numbers) == [2, 3, 4]


def test_into_takes_any_stage():
    def reader() -> penstock.Reader[int]:
        return penstock.json.read(io.BytesIO(b"[1, 2, 3]"), int)

    out: list[int] = []
    assert reader().into(out) == Summary(3, 0, False)
    assert out == [1, 2, 3]
    assert reader().into((out.append, take(2))) == Summary(3, 0, False)
    assert reader().into(take(2)) == Summary(2, 0, True)
    with pytest.raises(TypeError) as caught:
        reader().into([1] | Pipeline())
    assert str(caught.value) == "the pipeline has a source, so it takes no other"
    with pytest.raises(TypeError, match="an int is no stage"):
        reader().into(3)
    with pytest.raises(TypeError):
        3 | reader()


def test_place_in_a_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    lines(Path("a.json"), '[{"n": 1},\n {"n":\n 2}]')
    lines(Path("b.xml"), "<r>\n<i><n>3</n></i>\n\n<i><n>4</n></i></r>")

    class Placed(Stream):
        def write(self, obj: Any) -> bool | None:
            return self.emit(self.place)

        def close(self):
            assert self.place is None

    stage = Placed()
    assert stage.place is None
    assert list(penstock.read("a.json") | stage) == [
        Place("a.json", 1, 1, 9),
        Place("a.json", 2, 3, 21),
    ]
    assert stage.place is None
    out: list[Place] = []
    penstock.read(["a.json", "b.xml"]).into(Pipeline(lambda r: r, (stage,), out))
    assert [tuple(place) for place in out] == [
        ("a.json", 1, 1, 9),
        ("a.json", 2, 3, 21),
        ("b.xml", 1, 2, 19),
        ("b.xml", 2, 4, 36),
    ]
    assert list(["a", "b"] | stage) == [Place(None, 1), Place(None, 2)]
    assert Pipeline(stage).process("a") == [Place(None, 1)]


def test_the_place_of_a_reader():
    reader = penstock.json.read(
        io.BytesIO('{"a": [1, "é", \n2 ], "b": [3]}'.encode()),
        at={"a/*": int, "b/*": int},
        errors="skip",
    )
    assert [(n, tuple(reader.place)) for n in reader] == [
        (1, (None, 1, 1, 8)),
        (2, (None, 3, 2, 18)),
        (3, (None, 4, 2, 29)),
    ]
    assert str(Place("a.json", None, 3, 4)) == "the document of a.json, line 3"
    assert str(Place()) == "the document"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_the_place_does_not_depend_on_how_the_input_is_cut(size: int):
    data = "".join(f'{{"n": "{"é" * (n % 5)}"}} \r\n\n' for n in range(40)).encode()
    expected = []
    offset = 0
    for n in range(40):
        end = data.index(b"}", offset) + 1
        expected.append(Place(None, n + 1, 2 * n + 1, end))
        offset = end
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    with penstock.ndjson.read(iter(chunks)) as reader:
        assert [reader.place for _ in reader] == expected
    with penstock.ndjson.read(iter(chunks)) as reader:
        assert [reader.place for k, _ in enumerate(reader) if k % 7 == 6] == expected[6::7]


def test_nothing_is_kept_of_a_run():
    class Item:
        pass

    def failing(item: Item) -> Item:
        raise ValueError

    def run(stages: Any) -> weakref.ref[Item]:
        item = Item()
        failed = Pipeline(*stages, failing, source=[item])
        with pytest.raises(ValueError):  # noqa: PT011 - any
            failed.run()
        list(Pipeline(*stages, source=[item]))
        Pipeline(*stages).process(item)
        return weakref.ref(item)

    stages = (Log(), (take(5), batch(3)), lambda item: item)
    stages[0].events = Forgetful()
    kept = run(stages)
    gc.collect()
    assert kept() is None


class Forgetful(list[Any]):
    def append(self, item: Any) -> None:
        pass
