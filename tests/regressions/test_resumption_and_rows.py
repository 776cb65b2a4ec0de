"""Bugs in the middle of an operation: after an interrupt, an error, or a lack of memory.

And values in the wrong place. Numbered on from those in `test_regressions.py`, from 11.
"""

import ctypes
import dataclasses
import gc
import io
import itertools
import random
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Annotated, Any, NamedTuple

import pytest
from fresh import finished

import penstock
from penstock import at

in_the_main_thread = pytest.mark.thread_unsafe(reason="signals are the main thread's")

# Allocations fail around the last growth of a large dict's table while the dict is filled, and
# after it, where the load ends. With the debug hooks, a second release fails for certain.
LARGE_DICT = """
import gc

import penstock
from _testcapi import remove_mem_hooks, set_nomemory

DATA = b"{" + b",".join(b'"key%d":"value%d"' % (n, n) for n in range(100_000)) + b"}"

def fails(n):
    set_nomemory(n, n + 1)
    try:
        decoded = penstock.json.decode(DATA)
    except MemoryError:
        return True
    finally:
        remove_mem_hooks()
    assert len(decoded) == 100_000
    return False

assert len(penstock.json.decode(DATA)) == 100_000
low, high = 1, 400_000
assert fails(low)
assert not fails(high)
while high - low > 1:
    middle = (low + high) // 2
    if fails(middle):
        low = middle
    else:
        high = middle
# Two strings for each pair come before it.
assert 190_000 < low < 210_000, low
thresholds = gc.get_threshold()
failed = [n for n in range(low - 12, low + 12) if fails(n) or gc.get_threshold() != thresholds]
assert len(failed) >= 12, failed
decoded = penstock.json.decode(DATA)
assert decoded == {"key%d" % n: "value%d" % n for n in range(100_000)}
print("collects:", gc.get_threshold() == thresholds)
"""


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_11_memory_that_runs_out_while_a_large_dict_is_filled() -> None:
    """The pairs that the dict already had were released twice."""
    pytest.importorskip("_testcapi")
    done = finished(LARGE_DICT, PYTHONMALLOC="debug")
    assert (done.returncode, done.stdout[:9]) == (0, "collects:"), done.stderr[-2_000:]


def _factory() -> type:
    @dataclass
    class Row:
        a: int
        n: int = field(default_factory=iter([1, 2]).__next__)

    return Row


def _post_init() -> type:
    @dataclass
    class Row:
        a: int

        def __post_init__(self) -> None:
            if self.a == 3:
                next(iter(()))

    return Row


def _init() -> type:
    @dataclass(init=False)
    class Row:
        a: int

        def __init__(self, a: int) -> None:
            if a == 3:
                raise StopIteration
            self.a = a

    return Row


def _missing() -> type:
    class Word(Enum):
        ONE = 1
        TWO = 2

        @classmethod
        def _missing_(cls, value: object) -> "Word":
            raise StopIteration(value)

    @dataclass
    class Row:
        a: Word

    return Row


def _one_by_one(reader: Any, size: int | None) -> Iterator[Any]:
    return reader if size is None else itertools.chain.from_iterable(reader.batches(size))


@pytest.mark.parametrize("new_class", [_factory, _post_init, _init, _missing])
@pytest.mark.parametrize("size", [None, 1, 2, 4, 9])
def test_12_stop_iteration_of_the_callers_code_ends_nothing(
    new_class: Callable[[], type], size: int | None
) -> None:
    """It counted as the end of the input: the other records were lost without an error."""
    reader = penstock.ndjson.read([b'{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n'], new_class())
    rows: list[Any] = []
    with pytest.raises(RuntimeError) as caught:
        rows.extend(_one_by_one(reader, size))
    assert type(caught.value) is RuntimeError
    assert type(caught.value.__cause__) is StopIteration
    assert [getattr(row.a, "value", row.a) for row in rows] == [1, 2]


@pytest.mark.parametrize("size", [None, 1, 3])
def test_12_stop_iteration_of_an_errors_target_ends_nothing(size: int | None) -> None:
    """The same for an exception of the function passed as `errors`."""

    def target(_error: penstock.DecodeError) -> None:
        raise StopIteration

    reader = penstock.ndjson.read([b'1\n"x"\n3\n'], int, errors=target)
    rows: list[int] = []
    with pytest.raises(RuntimeError) as caught:
        rows.extend(_one_by_one(reader, size))
    assert type(caught.value.__cause__) is StopIteration
    assert rows == [1]


class Interrupt(BaseException):
    pass


class Complaint(Exception):
    pass


@pytest.fixture(params=[Interrupt, Complaint])
def interrupt(request: pytest.FixtureRequest) -> Iterator[type[BaseException]]:
    """Make SIGUSR1 raise the class."""

    def raised(_number: int, _frame: object) -> None:
        raise request.param

    before = signal.signal(signal.SIGUSR1, raised)
    yield request.param
    signal.signal(signal.SIGUSR1, before)


def _interrupted(last: int, where: int) -> tuple[type, bytes]:
    """Lines from 0 to `last`, one of which sends a signal that the interpreter handles later."""

    @dataclass
    class Row:
        number: int
        told: int = field(default_factory=partial(ctypes.CDLL(None)["raise"], signal.SIGUSR1))

    lines = [b'{"number": %d, "told": 1}\n' % n for n in range(last + 1)]
    lines[where] = b'{"number": %d}\n' % where
    return Row, b"".join(lines)


@in_the_main_thread
@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_13_an_interrupt_within_a_chunk_ends_the_decoder(
    interrupt: type[BaseException], kind: type
) -> None:
    """It continued with the next chunk, as if it had read the rest of this one."""
    into, data = _interrupted(40_000, 30)
    cut = len(data) - 1_000
    decoder = penstock.ndjson.Decoder(into)
    rows: list[Any] = []
    caught = None
    try:
        rows += decoder.feed(kind(data[:cut]))
        # An error that may wait is raised after the rows before it.
        rows += decoder.feed(kind(data[cut:]))
    except interrupt as error:
        caught = error
    assert type(caught) is interrupt
    with pytest.raises(ValueError, match="this Decoder has ended: make a new one"):
        decoder.feed(data[cut:])
    rows += decoder.finish()
    numbers = [row.number for row in rows]
    assert numbers == list(range(len(numbers)))
    assert 30 < len(numbers) < 39_000
    assert decoder.finish() == []


@in_the_main_thread
@pytest.mark.parametrize("size", [30_000, 40_001, 100_000])
@pytest.mark.parametrize("rest", ["batches", "rows"])
def test_14_an_interrupt_within_a_batch_loses_no_rows(
    interrupt: type[BaseException], size: int, rest: str
) -> None:
    """The rows that the batch already had were dropped."""
    into, data = _interrupted(40_000, 30)
    reader = penstock.ndjson.read(io.BytesIO(data), into)
    batches = reader.batches(size)
    numbers: list[int] = []
    raised = 0
    while True:
        try:
            for batch in batches:
                assert 0 < len(batch) <= size
                numbers.extend(row.number for row in batch)
            break
        except interrupt:
            raised += 1
            if rest == "rows":
                numbers.extend(row.number for row in reader)
    assert raised == 1
    assert numbers == list(range(40_001))


@pytest.mark.parametrize(
    ("first", "rows", "errors"),
    [
        (
            '{"a": "bad"}',
            [1],
            [(1, 7, "expected int, got a string"), (2, 11, "expected a value, found 'x'")],
        ),
        ('{"a": 5}', [5, 1], [(2, 11, "expected a value, found 'x'")]),
        (
            '{"b": [1, x]}',
            [1],
            [(1, 11, "expected a value, found 'x'"), (2, 11, "expected a value, found 'x'")],
        ),
    ],
)
def test_15_a_malformed_line_behind_one_that_did_not_fit(
    first: str, rows: list[int], errors: list[tuple[int, int, str]]
) -> None:
    """It was neither reported nor counted if the fault was in a part that `at` skips."""
    data = f'{first}\n{{"b": [1, x]}}\n{{"a": 1}}\n'.encode()
    for chunks in ([data], [bytes([byte]) for byte in data]):
        found: list[Any] = []
        reader = penstock.ndjson.read(chunks, int, at="a", errors=found.append)
        assert list(reader) == rows
        assert [(error.line, error.column, error.reason) for error in found] == errors
        assert reader.skipped == len(errors)
    collecting = penstock.ndjson.read([data], int, at="a", errors="collect")
    with pytest.raises(ExceptionGroup) as caught:
        list(collecting)
    assert len(caught.value.exceptions) == len(errors)


def test_16_a_key_that_does_not_fit_is_told_where_it_stands() -> None:
    """The error had the position of the very beginning of the input."""

    @dataclass
    class Keyed:
        key: Annotated[int, at("key()")]
        value: int

    data = b'\n\n\n{"abc": {"value": 1}}'
    for chunks in ([data], [bytes([byte]) for byte in data]):
        with pytest.raises(penstock.ValidationError) as caught:
            list(penstock.json.read(chunks, Keyed, at="*"))
        error = caught.value
        assert error.reason == "expected int, got a string"
        assert (error.line, error.record, error.path) == (4, 1, "abc")
        assert error.offset is not None
        assert 3 < error.offset <= data.index(b'{"value"')


@pytest.mark.parametrize("number", [0, 1, 63, 64, 65, 69])
def test_17_a_key_of_a_way_that_occurs_again_is_noticed(number: int) -> None:
    """If a key on the path to fields was beyond the 64th, its repetition went unnoticed."""
    fields = [
        (f"f{n}", Annotated[int | None, at(f"k{n}/x")], field(default=None)) for n in range(70)
    ]
    wide: Any = dataclasses.make_dataclass("Wide", fields)
    name = f"k{number}"
    others = [f'"k{n}": {{"x": {n}}}' for n in range(70) if n != number]
    data = f'{{"{name}": {{"x": -1}}, {", ".join(others)}, "{name}": {{}}}}'
    expected = {f"f{n}": n for n in range(70)} | {f"f{number}": None}
    assert dataclasses.asdict(penstock.json.decode(data, wide)) == expected
    # Keys of one object do not count for the next.
    twice = penstock.json.decode(f"[{data}, {data}]", list[wide])
    assert [dataclasses.asdict(row) for row in twice] == [expected, expected]
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(data, wide, duplicates="error")
    assert caught.value.reason == f'the key "{name}" occurs more than once'
    assert caught.value.path == name


@pytest.mark.thread_unsafe(reason="it looks at all objects of the process")
def test_18_a_row_that_a_destructor_keeps_is_not_filled_again() -> None:
    """Code that runs while a row is emptied may find the row and keep it."""

    @dataclass(slots=True)
    class Row:
        a: Any
        b: Any

    kept: list[tuple[Row, Any]] = []

    class Finds:
        def __del__(self) -> None:
            found = [row for row in gc.get_objects() if type(row) is Row]
            kept.extend((row, getattr(row, "a", None)) for row in found)

    reader = penstock.ndjson.read([b'{"a": %d, "b": [%d]}\n' % (n, n) for n in range(6)], Row)
    row = next(reader)
    row.a = Finds()
    del row
    numbers = [1]
    assert next(reader).a == 1
    for row in reader:
        assert all(row is not other for other, _ in kept)
        assert row.b == [row.a]
        numbers.append(row.a)
    assert numbers == [1, 2, 3, 4, 5]
    # The row that was being emptied is one of them, and stays as it is.
    assert None in [a for _, a in kept]
    assert [getattr(row, "a", None) for row, _ in kept] == [a for _, a in kept]


class Spread(NamedTuple):
    a: Annotated[int, at("p/q")]
    b: Annotated[list[int], at("r/*")] = []  # noqa: RUF012 - of a named tuple it is a default
    c: int = -1


class Needed(NamedTuple):
    a: Annotated[int, at("p/q")]
    b: Annotated[list[int], at("r/*")]
    c: int


@pytest.mark.parametrize("into", [Spread, Needed])
def test_19_items_behind_a_gathered_array_of_a_named_tuple(into: type[tuple[Any, ...]]) -> None:
    """They were gathered as well, and their own field was reported as missing."""
    data = "[[1, [2, 3], 7], [4, [], 5], [6, [7], 8]]"
    expected = [(1, [2, 3], 7), (4, [], 5), (6, [7], 8)]
    assert penstock.json.decode(data, list[into]) == expected
    assert all(type(row) is into for row in penstock.json.decode(data, list[into]))


class Shrinking:
    """A file that fills a buffer and leaves it with another size than it returns."""

    def __init__(self, rest: int, count: int) -> None:
        self.rest = rest
        self.count = count

    def readinto(self, buffer: bytearray) -> int:
        buffer[:] = b"1" * self.rest
        return self.count


@pytest.mark.parametrize(("rest", "count"), [(0, 5), (4, 5), (1 << 24, 1 << 24)])
def test_20_a_file_that_claims_more_bytes_than_there_are(rest: int, count: int) -> None:
    """If the buffer had shrunk, it was a panic; surplus bytes were cut off without an error."""
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.json.load(Shrinking(rest, count), int)
    assert type(caught.value) is penstock.DecodeError
    cause = caught.value.__cause__
    assert isinstance(cause, OSError)
    assert f" returned {count} bytes where " in str(cause)
    assert str(cause).endswith(" were asked for")


@pytest.mark.parametrize("kind", [set, frozenset])
@pytest.mark.parametrize("raised", [ValueError, TypeError])
def test_21_an_element_of_a_gathered_set_whose_hash_fails(
    kind: type, raised: type[Exception]
) -> None:
    """Its exception was raised unchanged, while for a plain set it became a ValidationError."""

    @dataclass(frozen=True)
    class Picky:
        x: int

        def __hash__(self) -> int:
            if self.x == 1:
                raise raised("not one")
            return self.x

    @dataclass
    class Gathering:
        elements: Annotated[kind[Picky], at("a/*")]

    with pytest.raises(penstock.ValidationError, match="not one") as plain:
        penstock.json.decode('[{"x": 1}]', kind[Picky])
    with pytest.raises(penstock.ValidationError, match="not one") as gathered:
        penstock.json.decode('{"a": {"q": {"x": 1}}}', Gathering)
    assert gathered.value.reason == plain.value.reason
    assert type(gathered.value.__cause__) is type(plain.value.__cause__) is raised
    lines = [b'{"a": {"q": {"x": %d}}}\n' % n for n in (0, 1, 2)]
    reader = penstock.ndjson.read(lines, Gathering, errors="skip")
    assert [row.elements for row in reader] == [{Picky(0)}, {Picky(2)}]
    assert reader.skipped == 1


@pytest.mark.parametrize("raised", [ValueError, TypeError])
def test_21_a_key_of_a_dict_whose_hash_fails(raised: type[Exception]) -> None:
    """The same for exceptions of an Enum's members as keys."""
    armed = False

    class Key(Enum):
        A = "a"

        def __hash__(self) -> int:
            if armed:
                raise raised("no key")
            return 1

    assert penstock.json.decode('{"a": 1}', dict[Key, int]) == {Key.A: 1}
    armed = True
    for duplicates in ("last", "first", "error"):
        with pytest.raises(penstock.ValidationError, match="no key") as caught:
            penstock.json.decode('{"a": 1}', dict[Key, int], duplicates=duplicates)
        assert type(caught.value.__cause__) is raised


def test_22_an_escaped_line_feed_before_bytes_that_are_no_text() -> None:
    """The first fault was not reported, and the second was reported in the first one's record."""
    data = b'"a\\\n1\xff\n2\n'
    for chunks in ([data], [bytes([byte]) for byte in data]):
        found: list[Any] = []
        reader = penstock.ndjson.read(chunks, int, errors=found.append)
        assert list(reader) == [2]
        assert [(error.line, error.record) for error in found] == [(1, 1), (2, 2)]
        assert [error.offset for error in found][1] == data.index(b"\xff")
        assert all(type(error) is penstock.MalformedInput for error in found)
        assert reader.skipped == 2
    skipping = penstock.ndjson.read([data], int, errors="skip")
    assert (list(skipping), skipping.skipped) == ([2], 2)


@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("order", ["as declared", "one", "another each time", "now and then"])
def test_23_the_order_of_keys_changes_nothing(order: str, slots: bool) -> None:
    """The learned order of keys only predicts the next key."""
    chance = random.Random(23)
    names = [f"field_{n}" for n in range(60)]
    fields: list[Any] = [(name, int, field(default=-1)) for name in names]
    wide: Any = dataclasses.make_dataclass("Wide", fields, slots=slots)
    consistent = chance.sample(names, len(names))
    lines, expected = [], []
    for number in range(300):
        if order == "as declared":
            keys = names
        elif order == "one" or (order == "now and then" and number % 7):
            keys = consistent
        else:
            # Some keys are missing, some unknown.
            keys = chance.sample([*names, "more", "field_60", "field_"], chance.randint(50, 63))
        values = {key: chance.randrange(1_000_000) for key in keys}
        lines.append("{" + ", ".join(f'"{key}": {value}' for key, value in values.items()) + "}\n")
        expected.append(wide(**{key: values[key] for key in names if key in values}))
    data = "".join(lines).encode()
    assert list(penstock.ndjson.read([data], wide)) == expected
    assert list(penstock.ndjson.read([data], wide).batches(1_000)) == [expected]
    assert penstock.json.decode(f"[{','.join(lines)}]", list[wide]) == expected
    decoder = penstock.ndjson.Decoder(wide)
    fed: list[Any] = []
    for cut in range(0, len(data), 997):
        fed += decoder.feed(data[cut : cut + 997])
    assert fed + decoder.finish() == expected


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_24_memory_that_runs_out_where_a_large_load_ends() -> None:
    """The collector, which pauses during a load, was not enabled again."""
    pytest.importorskip("_testcapi")
    done = finished(LARGE_DICT, PYTHONMALLOC="debug")
    assert (done.returncode, done.stdout) == (0, "collects: True\n"), done.stderr[-2_000:]


@pytest.mark.parametrize("chunk", ["1\n", 3, None, [49, 10]])
def test_25_what_is_no_chunk_leaves_a_decoder_as_it_is(chunk: Any) -> None:
    """It ended the decoder, although no byte had been read."""
    decoder = penstock.ndjson.Decoder(int)
    assert decoder.feed(b"1\n2") == [1]
    with pytest.raises(TypeError, match="expected a bytes-like object, got "):
        decoder.feed(chunk)
    assert decoder.feed(b"3\n4") == [23]
    assert decoder.finish() == [4]


def test_26_a_repeated_key_of_a_dict_is_told_where_it_stands() -> None:
    """It was found at the end of the dict, when its position could already be gone."""
    data = b'{"abc":1,"abc":2}\n'
    ways = [[data], [bytes([byte]) for byte in data]]
    ways += [[data[:cut], data[cut:]] for cut in range(1, len(data))]
    for chunks in ways:
        found: list[Any] = []
        reader = penstock.ndjson.read(
            chunks, dict[str, int], duplicates="error", errors=found.append
        )
        assert list(reader) == []
        (error,) = found
        assert error.reason == 'the key "abc" occurs more than once'
        assert (error.offset, error.line, error.column, error.path) == (9, 1, 10, "abc")


@pytest.mark.parametrize("into", [dict[str, Any], Any])
def test_26_keys_of_other_dicts_are_not_repeated(into: Any) -> None:
    """Each dict has its own keys, whatever it holds and however it ends."""
    data = '{"a": {}, "b": {"a": {}, "b": {}}, "c": [{"a": 1}, {"a": 1}, {}], "d": {"a": {"a": 0}}}'
    expected = {
        "a": {},
        "b": {"a": {}, "b": {}},
        "c": [{"a": 1}, {"a": 1}, {}],
        "d": {"a": {"a": 0}},
    }
    assert penstock.json.decode(data, into, duplicates="error") == expected
    for repeated in "abcd":
        longer = f'{data[:-1]}, "{repeated}": 1, "e": 2}}'
        with pytest.raises(penstock.ValidationError) as caught:
            penstock.json.decode(longer, into, duplicates="error")
        assert caught.value.reason == f'the key "{repeated}" occurs more than once'
        assert (caught.value.offset, caught.value.path) == (len(data) + 1, repeated)
    # Each line begins anew, even after a line that was refused inside a dict.
    lines = ['{"a": {"b": 1, "b": 2}}', '{"a": {"b": 1}}', '{"a": {"b": [{]}}', '{"b": {"a": 1}}']
    source = ["\n".join(lines).encode()]
    reader = penstock.ndjson.read(source, into, duplicates="error", errors="skip")
    assert list(reader) == [{"a": {"b": 1}}, {"b": {"a": 1}}]
    assert reader.skipped == 2


@pytest.mark.thread_unsafe(reason="it looks at all objects of the process")
def test_27_a_row_that_a_destructor_gives_another_class_is_not_filled_again() -> None:
    """It was, if nobody kept it: the record was then an object of the other class."""

    @dataclass(slots=True)
    class Row:
        a: Any
        b: Any

    @dataclass(slots=True)
    class Other:
        a: Any
        b: Any

    changed = 0

    class Changes:
        def __del__(self) -> None:
            nonlocal changed
            for row in gc.get_objects():
                if type(row) is Row and not hasattr(row, "a"):
                    row.__class__ = Other
                    changed += 1

    lines = [b'{"a": %d, "b": [%d]}\n' % (n, n) for n in range(6)]
    numbers = []
    for row in penstock.ndjson.read(lines, Row):
        assert type(row) is Row
        numbers.append(row.a)
        if row.a == 0:
            row.a = Changes()
    assert numbers == [0, 1, 2, 3, 4, 5]
    assert changed == 1


@dataclass
class Passage:
    text: Annotated[str, penstock.at("text()")]


LONG_TEXTS = [
    # Mixed text: the error is at the tag behind it.
    (Any, b"<r>\t&quot;a&amp;'<f>1</f></r>", 17),
    (Passage, b"<r>\t&quot;a&amp;'<f>1</f></r>", 17),
    (Any, b"<r><f>1</f>&lt;abc\n&gt;</r>", 23),
    # The text of a value: the error is at its element.
    (dict[str, str], b"<r><f>&lt;abc&gt;</f></r>", 3),
    (dict[str, str], b"<r><f>ab<g/>cde</f></r>", 3),
]


@pytest.mark.parametrize(("into", "document", "offset"), LONG_TEXTS)
def test_366_the_place_of_a_text_that_is_too_long(into: Any, document: bytes, offset: int) -> None:
    """It was the byte that was one too many, as far as no reference stood before it."""
    limits = penstock.Limits(token=4)
    for step in range(1, len(document) + 1):
        chunks = [document[start : start + step] for start in range(0, len(document), step)]
        with pytest.raises(penstock.LimitExceeded) as caught:
            penstock.xml.load(chunks, into, limits=limits)
        assert caught.value.offset == offset, step
        assert caught.value.reason == "the text of an element is longer than 4 bytes (limits.token)"


@pytest.mark.filterwarnings("ignore::penstock.MixedContentWarning")
def test_366_records_behind_it_are_delivered() -> None:
    document = "<r><p>abcde<f/></p><p>abc<f/></p></r>"
    limits = penstock.Limits(token=4)
    reader = penstock.xml.read([document.encode()], Passage, limits=limits, errors="skip")
    assert [passage.text for passage in reader] == ["abc"]
    assert reader.skipped == 1
