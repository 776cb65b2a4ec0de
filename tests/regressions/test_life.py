"""What lives how long: threads at the end of the interpreter, the collector, locks and cycles.

Numbered from 120, with the symptom of each bug that was fixed.
"""

import enum
import gc
import itertools
import json
import sys
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fresh import finished, printed

import penstock


@dataclass
class Row:
    x: int


LARGE = json.dumps([{"x": number} for number in range(20_000)]).encode()

# Threads that are inside a call back when the interpreter ends.
THREADS_AT_THE_END = """
import threading, time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import penstock
from penstock import via

arrived = threading.Semaphore(0)

def stay(*_):
    arrived.release()
    while True:
        time.sleep(0.0001)

class Object:
    __del__ = stay

def an_object(_):
    return Object()

@dataclass
class Row:
    number: int

@dataclass
class Steps(Row):
    __post_init__ = stay

class Called:
    def __init__(self, number: int) -> None:
        stay()

@dataclass
class Converted:
    number: Annotated[int, via(stay)]

@dataclass
class Dropped:
    number: Annotated[Object, via(an_object)]
    second: int

class Handler:
    def number(self, element):
        stay()

def chunks():
    yield b"["
    stay()

def work():
    CALL

threads = [threading.Thread(target=work, daemon=True) for _ in range(25)]
for thread in threads:
    thread.start()
for _ in threads:
    assert arrived.acquire(timeout=60)
print("the end")
"""


@pytest.mark.parametrize(
    "call",
    [
        "penstock.json.decode(b'{\"number\": 1}', Steps)",
        "penstock.json.decode(b'{\"number\": 1}', Called)",
        "penstock.json.decode(b'{\"number\": 1}', Converted)",
        'penstock.json.decode(b\'{"number": "1"}\', Dropped)',
        "penstock.xml.decode(b'<row><number>1</number></row>', Steps)",
        "penstock.json.load([b'{\"number\": 1}'], Steps)",
        "penstock.json.load(chunks())",
        "next(penstock.json.read([b'[{\"number\": 1}]'], Converted))",
        "next(penstock.json.read([b'[{\"number\": 1}]'], Steps).batches(2))",
        "penstock.json.Decoder(Steps).feed(b'{\"number\": 1}')",
        "list(penstock.ndjson.read([b'{}\\n'], Row, errors=stay))",
        "penstock.json.send([b'{\"number\": 1}'], Handler())",
        "penstock.xml.send([b'<row><number>1</number></row>'], Handler())",
        "penstock.open(b'[{\"number\": 1}]', Steps)[0]",
    ],
)
def test_120_threads_in_a_call_back_when_the_interpreter_ends(call: str) -> None:
    """The process aborted: the interpreter unwound them through the functions of the library."""
    done = finished(THREADS_AT_THE_END.replace("CALL", call))
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr


WAITING: dict[str, Any] = {
    "load": lambda chunks: penstock.json.load(chunks, list[Row]),
    "batches": lambda chunks: next(iter(penstock.json.read(chunks, Row).batches(100_000))),
}


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
@pytest.mark.parametrize("way", WAITING)
def test_121_the_collector_goes_on_while_a_load_waits(way: str) -> None:
    """It was off until a slow source had given everything, and cycles of other threads piled up."""

    class Cycle:
        def __init__(self) -> None:
            self.me = self

    waits, go = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        yield LARGE[:200_000]
        waits.set()
        assert go.wait(60)
        yield LARGE[200_000:]

    rows: list[Row] = []
    thread = threading.Thread(target=lambda: rows.extend(WAITING[way](chunks())))
    thread.start()
    assert waits.wait(60)
    alive: weakref.WeakSet[Cycle] = weakref.WeakSet()
    begun: list[str] = []
    count = lambda phase, _: begun.append(phase)  # noqa: E731 - removed below
    gc.callbacks.append(count)
    for _ in range(20_000):
        alive.add(Cycle())
    gc.callbacks.remove(count)
    left = len(alive)
    go.set()
    thread.join()
    assert len(rows) == 20_000
    assert begun.count("start") > 5
    # From 3.14 on, a collection looks at a part of the objects only.
    assert left < 5_000 or sys.version_info >= (3, 14)
    gc.collect()
    assert len(alive) == 0


def test_122_a_finalizer_that_looks_into_the_records_it_was_made_for() -> None:
    """The class's own code made the record too, and the second one was dropped under a lock."""
    script = """
        import penstock
        from dataclasses import dataclass

        @dataclass
        class Row:
            x: int

            def __post_init__(self):
                if not begun:
                    begun.append(self)
                    assert rows[0] is not self
                    begun[0] = None

            def __del__(self):
                seen.append((self.x, rows[0].x, rows[1].x, len(rows)))

        begun, seen = [], []
        rows = penstock.open(b'[{"x": 1}, {"x": 2}]', Row)
        assert rows[0] is rows[0]
        print(seen)
    """
    assert printed(script) == "[(1, 1, 2, 2)]\n"


@dataclass(slots=True)
class Slots:
    x: object
    more: object = None


class Owner:
    """Holds a reader that holds a function of the owner's."""

    reader: Any = None

    def convert(self, number: int) -> object:
        return [self, number]

    def plan(self, cls: Any = Row) -> Any:
        return penstock.Plan(cls, types={int: self.convert})


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def a_reader(owner: Owner, path: Path) -> Any:
    return penstock.ndjson.read(path, owner.plan())


def a_reader_in_use(owner: Owner, path: Path) -> Any:
    reader = penstock.ndjson.read(path, owner.plan(Slots))
    # The first rows are kept, to be filled again.
    for row in itertools.islice(reader, 3):
        row.more = owner
    return reader


def batches(owner: Owner, path: Path) -> Any:
    found = penstock.ndjson.read(path, owner.plan()).batches(2)
    next(found)
    return found


def an_interrupted_reader(owner: Owner, path: Path) -> Any:
    def interrupt(number: int) -> object:
        if number == 3:
            raise KeyboardInterrupt
        return owner

    reader = penstock.ndjson.read(path, penstock.Plan(Row, types={int: interrupt}))
    with pytest.raises(KeyboardInterrupt):
        next(reader.batches(5))
    return reader


def a_decoder(owner: Owner, _: Path) -> Any:
    return penstock.ndjson.Decoder(owner.plan())


def a_decoder_in_use(owner: Owner, _: Path) -> Any:
    decoder = penstock.ndjson.Decoder(owner.plan())
    assert len(decoder.feed(b'{"x": 1}\n{"x": 2, ')) == 1
    return decoder


def rows(owner: Owner, path: Path) -> Any:
    found = penstock.ndjson.open(path, owner.plan())
    assert found[1].x[0] is owner
    return found


def records(owner: Owner, _: Path) -> Any:
    found = penstock.open(LARGE, owner.plan())
    assert found[1].x[0] is owner
    return found


def a_walk(owner: Owner, path: Path) -> Any:
    return iter(rows(owner, path))


def a_plan(owner: Owner, _: Path) -> Any:
    plan = owner.plan()
    penstock.json.decode(b'{"x": 1}', plan)
    penstock.xml.decode(b"<r><x>1</x></r>", plan)
    return plan


def several(owner: Owner, path: Path) -> Any:
    plan = owner.plan()
    return [penstock.ndjson.read(path, plan), penstock.ndjson.Decoder(plan), plan]


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
@pytest.mark.parametrize(
    "made",
    [
        a_reader,
        a_reader_in_use,
        batches,
        an_interrupted_reader,
        a_decoder,
        a_decoder_in_use,
        rows,
        records,
        a_walk,
        a_plan,
        several,
    ],
)
def test_123_a_cycle_through_what_a_reader_holds_is_collected(made: Any, tmp_path: Path) -> None:
    """The collector did not see a plan's functions, nor the rows: owners and files stayed open."""
    path = tmp_path / "data.ndjson"
    path.write_text("".join(f'{{"x": {number}}}\n' for number in range(10)))
    gc.collect()
    files = open_files()
    owners = []
    for _ in range(10):
        owner = Owner()
        owner.reader = made(owner, path)
        owners.append(weakref.ref(owner))
    del owner
    gc.collect()
    assert [owner() for owner in owners] == [None] * 10
    assert open_files() == files


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
def test_123_and_what_somebody_still_holds_stays() -> None:
    """Readers share a plan, and each alone must keep it."""
    owner = Owner()
    plan = owner.plan()
    keeping, dropped = penstock.json.Decoder(plan), penstock.json.Decoder(plan)
    owner.reader = dropped
    held = weakref.ref(owner)
    del owner, plan, dropped
    gc.collect()
    gc.collect()
    row = keeping.decode(b'{"x": 7}')
    assert row.x == [held(), 7]
    row.x[0].reader = None
    del row
    assert held() is not None
    del keeping
    gc.collect()
    assert held() is None


def test_123_and_what_a_call_leaves_behind_for_the_next() -> None:
    """If no plan was cached, the collector was not listened to, and spare builders stayed."""
    script = """
        import gc, weakref, penstock

        class Owner:
            def convert(self, number: int) -> object:
                return self

        owner = Owner()
        owner.plan = penstock.Plan(list[int], types={int: owner.convert})
        assert penstock.json.decode(b"[1]", owner.plan) == [owner]
        owner.decoder = penstock.json.Decoder(owner.plan)
        assert owner.decoder.decode(b"[1]") == [owner]
        held = weakref.ref(owner)
        del owner
        gc.collect()
        print(held())
    """
    assert printed(script) == "None\n"


def test_124_a_class_that_gets_a_finalizer_while_a_reader_runs() -> None:
    """Rows were filled again without coming to their end: it was called for 2 of 91."""

    @dataclass(slots=True)
    class Local:
        x: int

    ended = []
    for seen, row in enumerate(penstock.json.read([LARGE], Local), 1):
        if seen == 10:
            Local.__del__ = lambda row: ended.append(row.x)  # type: ignore[attr-defined]
        if seen == 100:
            break
        last = row.x
    assert last == 98
    del row
    assert ended[-91:] == list(range(9, 100))
    # The row before the tenth was kept to be filled again.
    assert ended[:-91] == [8]


class Break(BaseException):
    """As an interrupt: no error of the record."""


def breaks(number: int) -> int:
    if number == 3:
        raise Break
    return number


def broken_source() -> Iterator[bytes]:
    yield b'{"x": 1}\n{"x": 2}\n'
    raise Break


def refuse(_: object) -> None:
    raise Break


FIVE = b"".join(b'{"x": %d}\n' % number for number in range(1, 6))
BREAKING: dict[str, Any] = {
    "conversion": lambda: penstock.ndjson.read([FIVE], penstock.Plan(Row, types={int: breaks})),
    "source": lambda: penstock.ndjson.read(broken_source(), Row),
    "errors": lambda: penstock.ndjson.read([FIVE.replace(b"3", b'"3"')], Row, errors=refuse),
}


@pytest.mark.parametrize("way", BREAKING)
def test_125_a_reader_that_was_broken_off_is_not_silently_empty(way: str) -> None:
    """The next loop ended at once, as if there were no more records."""
    reader = BREAKING[way]()
    rows = []
    with pytest.raises(Break):
        rows.extend(iter(lambda: next(reader).x, None))
    assert rows == [1, 2]
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"^this Reader was broken off by Break: make a new one"
        ):
            list(reader)
    reader.close()
    with pytest.raises(ValueError, match=r"^this Reader is closed$"):
        next(reader)


@pytest.mark.parametrize("way", BREAKING)
def test_125_nor_are_its_batches(way: str) -> None:
    reader = BREAKING[way]()
    with pytest.raises(Break):
        next(reader.batches(4))
    assert [row.x for row in next(reader.batches(4))] == [1, 2]
    with pytest.raises(ValueError, match=r"^this Reader was broken off by Break: make a new one"):
        next(reader.batches(4))


def test_125_nor_are_events() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"<a><b/>"
        raise Break

    events = penstock.xml.events(chunks())
    seen = []
    with pytest.raises(Break):
        seen.extend(events)
    assert len(seen) < 4
    with pytest.raises(ValueError, match=r"^these Events were broken off by Break: make new ones"):
        next(events)


# A source that waits, or gives nothing, while a signal comes.
SIGNALS = """
import itertools, os, signal, threading, time
import penstock

class Alarm(Exception):
    pass

def alarm(*_):
    raise Alarm

def loop(reader):
    for _ in reader:
        pass

class Handler:
    def a(self, element):
        pass

os.mkfifo(PATH)
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.2)
"""
WAYS = [
    "penstock.json.load(SOURCE)",
    "loop(penstock.json.read(SOURCE))",
    "loop(penstock.json.read(SOURCE).batches(10))",
    "penstock.open(SOURCE, format='json')",
    "penstock.xml.send(SOURCE, Handler())",
    "loop(penstock.xml.events(SOURCE))",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("waiting", ["for a writer", "for bytes", "empty chunks"])
def test_126_a_signal_while_a_source_gives_nothing(way: str, waiting: str, tmp_path: Path) -> None:
    """It was answered when there were bytes, or never."""
    script = f"PATH = {str(tmp_path / 'pipe')!r}" + SIGNALS
    if waiting == "for bytes":
        script += "writer = os.open(PATH, os.O_RDWR)\n"
    source = "itertools.repeat(b'')" if waiting == "empty chunks" else "PATH"
    script += f"""
try:
    {way.replace("SOURCE", source)}
except Alarm as error:
    print("answered", *getattr(error, "__notes__", []))
"""
    assert printed(script) == "answered\n"


def test_126_and_the_reader_goes_on(tmp_path: Path) -> None:
    script = (
        f"PATH = {str(tmp_path / 'pipe')!r}"
        + SIGNALS
        + """
writer = os.open(PATH, os.O_RDWR)
os.write(writer, b'[1, 2')
reader = penstock.json.read(PATH, int)
seen = []
try:
    for number in reader:
        seen.append(number)
except Alarm:
    os.write(writer, b'3, 4]')
    os.close(writer)
print(seen, next(reader), list(reader))
"""
    )
    assert printed(script) == "[1] 23 [4]\n"


def test_126_and_other_threads_run_while_all_chunks_are_empty() -> None:
    script = """
        import itertools, os, threading, penstock
        begun = threading.Event()
        def chunks():
            begun.set()
            return itertools.repeat(b"")
        work = lambda: penstock.json.load(chunks())
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        print(sum(range(1_000_000)))
    """
    assert printed(script) == "499999500000\n"


def test_127_a_subinterpreter_cannot_import_it() -> None:
    """It shared the process's caches, and left the main interpreter with classes of its own."""
    pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    script = """
        import sys
        if sys.version_info < (3, 13):
            import _xxsubinterpreters as interpreters
        else:
            import _interpreters as interpreters

        def ask():
            if sys.version_info < (3, 13):
                other = interpreters.create(isolated=False)
            else:
                other = interpreters.create("legacy")
            interpreters.run_string(other, '''if True:
                for _ in range(2):
                    try:
                        import penstock
                    except ImportError as error:
                        print(error, flush=True)
            ''')
            interpreters.destroy(other)

        ask()
        import penstock
        print(penstock.json.decode(b'{"a": [1]}', dict[str, list[int]]), flush=True)
        ask()
        print(penstock.json.decode(b'{"b": [2]}', dict[str, list[int]]), flush=True)
    """
    refused = "penstock can be imported by the main interpreter only"
    assert printed(script).splitlines() == [
        *[refused] * 2,
        "{'a': [1]}",
        *[refused] * 2,
        "{'b': [2]}",
    ]


class Level(enum.IntFlag):
    LOW = 1
    HIGH = 4


def test_128_an_int_flag_has_no_other_bits() -> None:
    """It took any number, and its class kept each one for good."""
    assert penstock.json.decode(b"[0, 1, 4, 5]", list[Level]) == [0, 1, 4, 5]
    kept = dict(Level._value2member_map_)
    for number in [2, 6, 8, 1 << 40, -1, -2]:
        with pytest.raises(penstock.ValidationError, match="some of its bits are no flags"):
            penstock.json.decode(str(number), Level)
    assert Level._value2member_map_ == kept


class Grade(enum.Enum):
    A = "a"
    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if value in {"type", 2}:
            raise TypeError("no such type")
        if value == "value":
            raise ValueError("no such value")
        if value == "other":
            raise KeyError("other")
        return cls.A if value == "A" else None


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("type", TypeError, "no such type"),
        (2, TypeError, "no such type"),
        ("value", ValueError, "no such value"),
        ("b", ValueError, "'b' is not a valid Grade"),
    ],
)
def test_129_what_an_enum_says_of_a_value_is_the_cause(
    value: object, kind: type[Exception], message: str
) -> None:
    """A TypeError left as it was, and a ValueError was no cause."""
    assert penstock.json.decode('"A"', Grade) is Grade.A
    for data, into in [(json.dumps(value), Grade), (json.dumps([value]), list[Grade])]:
        with pytest.raises(penstock.ValidationError) as caught:
            penstock.json.decode(data, into)
        assert type(caught.value.__cause__) is kind
        assert str(caught.value.__cause__) == message
    with pytest.raises(KeyError):
        penstock.json.decode('"other"', Grade)


def test_129_nor_does_a_bad_value_end_a_stream() -> None:
    reader = penstock.ndjson.read([b'"a"\n"type"\n1\n'], Grade, errors="skip")
    assert list(reader) == [Grade.A, Grade.ONE]
    assert reader.skipped == 1


def test_130_a_number_beyond_a_float_is_told_as_other_values_are() -> None:
    """It was a plain ValueError."""

    class Handler:
        def a(self, element: Any) -> None:
            with pytest.raises(
                penstock.ValidationError, match="1e400 is beyond the range"
            ) as caught:
                _ = element.value
            assert caught.value.reason.endswith("; .text has its digits")
            assert element.text == "1e400"

    penstock.json.send([b'{"a": 1e400}'], Handler())
