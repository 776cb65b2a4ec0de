"""Bugs of time, memory and files that were fixed, by number."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import json
import os
import plistlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import penstock
from penstock import csv, plist
from penstock._parts import ranges as _ranges

UID = plistlib.UID

# Rows that do not end


def refused(work: Any) -> list[str]:
    """Return the errors of rows, by their text."""
    errors: list[str] = []
    rows = list(work(lambda error: errors.append(str(error))))
    return [*map(str, rows), *errors]


LINES = ['"x"y,"\n', 'x","\n', ',"\n', 'a,"b""\n', '"x""y,z","","\n', "a,b\n"]


def naive(text: str, columns: int) -> list[Any]:
    """Read the rows of the usual dialect one by one, and go on behind the line of one without an end."""
    at, rows = 0, []
    while at < len(text):
        cells, cell, wrong, i, state = [], "", False, at, "begin"
        while True:
            if i >= len(text):
                ended = state != "quoted"
                break
            c = text[i]
            if state == "quoted":
                if c == '"' and text[i + 1 : i + 2] == '"':
                    cell, i = cell + '"', i + 1
                elif c == '"':
                    state = "behind"
                else:
                    cell += c
            elif c in {",", "\n"}:
                cells.append(cell)
                cell, state = "", "begin"
                if c == "\n":
                    ended = True
                    break
            elif c == '"' and state == "begin":
                state = "quoted"
            else:
                wrong |= c == '"' or state == "behind"
                state, cell = ("behind" if state == "behind" else "text"), cell + c
            i += 1
        if not ended:
            at = text.index("\n", at) + 1 if "\n" in text[at:] else len(text)
            rows.append(None)
            continue
        at = i + 1
        rows.append(cells if not wrong and len(cells) == columns else None)
    return rows


@pytest.mark.parametrize("cut", [None, 7, 64, 1000])
@pytest.mark.parametrize("lines", list(itertools.combinations(LINES, 2)))
def test_650_rows_behind_quotes_that_nothing_closes(
    lines: tuple[str, ...], cut: int | None
) -> None:
    for pattern in ((0, 1), (0, 0, 1), (1, 1, 0, 1)):
        text = "".join(lines[one] for one in pattern * 60)
        wanted = naive(text, 2)
        data = ("p,q\n" + text).encode()
        size = cut or len(data)
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        errors: list[penstock.DecodeError] = []
        rows = list(csv.read(pieces, list[str], errors=errors.append))
        assert rows == [row for row in wanted if row is not None]
        assert len(errors) == wanted.count(None)
        assert [error.record for error in errors] == [
            number for number, row in enumerate(wanted, 1) if row is None
        ]


def test_650_every_verb_reads_the_same_rows(tmp_path: Path) -> None:
    text = "a,b\n" + ('"x"y,"\n' * 300 + '1,2\nx","\n') * 4 + '3,"4"\n'
    path = tmp_path / "rows.csv"
    path.write_text(text)
    wanted = list(csv.read(path, list[str], errors="skip"))
    assert wanted == [row for row in naive(text[4:], 2) if row is not None]
    whole = []
    with csv.open(path, list[str]) as rows:
        for place in range(len(rows)):
            with contextlib.suppress(penstock.DecodeError):
                whole.append(rows[place])
    assert whole == wanted
    parts = penstock.split(path, parts=3)
    assert [row for part in parts for row in part.read(list[str], errors="skip")] == wanted
    found = []
    penstock.convert(path, found.append, to="ndjson", errors="skip")
    read = [list(json.loads(line).values()) for line in b"".join(found).splitlines()]
    assert read == [list(map(str, row)) for row in wanted]
    columns = penstock.columns(path, errors="skip")
    assert sum(len(batch) for batch in columns) == len(wanted)


# Batches of columns


@pytest.mark.parametrize("threads", [1, 2])
def test_651_nulls_count_as_bytes_of_a_batch(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "wide.ndjson"
    names = [f"k{n}" for n in range(2_000)]
    path.write_bytes(json.dumps(dict.fromkeys(names, 1)).encode() + b"\n" + b"{}\n" * 4_000)
    sizes = [len(batch) for batch in penstock.columns(path, threads=threads)]
    assert sum(sizes) == 4_001
    # 8 bytes for each column of each row, and 16 MiB for a batch.
    assert max(sizes) <= 2 * (16 << 20) // (8 * len(names))
    row = dataclasses.make_dataclass("Row", [(name, int | None, None) for name in names])
    sizes = [len(batch) for batch in penstock.columns(path, row, threads=threads)]
    assert sum(sizes) == 4_001
    assert max(sizes) <= 2 * (16 << 20) // (8 * len(names))


@pytest.mark.parametrize("kind", ["int", "float", "str", "bool", "dict[str, int]", "list[int]"])
def test_651_nulls_of_csv_and_of_parts(kind: str) -> None:
    width = {"int": 8, "float": 8, "bool": 1}.get(kind, 4)
    count = 1_000
    inner = dataclasses.make_dataclass(
        "Inner", [(f"k{n}", eval(f"{kind} | None"), None) for n in range(count)]
    )
    row = dataclasses.make_dataclass("Row", [("inner", inner | None, None)])
    rows = 2 * (16 << 20) // (width * count) + 50
    batches = penstock.columns([b"{}\n" * rows], row, format="ndjson", rows=10**9)
    sizes = [len(batch) for batch in batches]
    assert sum(sizes) == rows
    assert len(sizes) > 1
    if kind in {"int", "float", "str"}:
        header = ",".join(f"k{n}" for n in range(count))
        text = (header + "\n" + ("," * (count - 1) + "\n") * rows).encode()
        sizes = [len(batch) for batch in penstock.columns([text], inner, format="csv", rows=10**9)]
        assert sum(sizes) == rows
        assert len(sizes) > 1


# Files


ENDS = {
    "a daemon thread": "threading.Thread(target=lambda: writer.write_all(iter(int, 1)), daemon=True)"
    ".start(); time.sleep(.2)",
    "SIGTERM": "writer.write(1); os.kill(os.getpid(), signal.SIGTERM)",
    "SIGHUP": "writer.write(1); os.kill(os.getpid(), signal.SIGHUP)",
    "SIGKILL": "writer.write(1); os.kill(os.getpid(), signal.SIGKILL)",
    "os._exit": "writer.write(1); os._exit(3)",
    "the end": "writer.write(1)",
}


@pytest.mark.parametrize("old", [None, b"old"])
@pytest.mark.parametrize("end", ENDS)
def test_652_nothing_is_left_of_a_file_that_is_not_complete(
    tmp_path: Path, end: str, old: bytes | None
) -> None:
    if not has_nameless_files(tmp_path):
        pytest.skip("the file system has no files without a name")
    if old is not None:
        (tmp_path / "o.json").write_bytes(old)
    program = "import os, signal, threading, time, penstock\nwriter = penstock.write('o.json')\n"
    subprocess.run([sys.executable, "-c", program + ENDS[end]], cwd=tmp_path, check=False)
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert left == ({} if old is None else {"o.json": old})


def has_nameless_files(folder: Path) -> bool:
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except (AttributeError, OSError):
        return False
    return True


PRINTING = """
import os, sys, penstock
print("before", flush=True)
place = sys.argv[1].replace("PID", str(os.getpid()))
match sys.argv[2]:
    case "dump": penstock.dump([1, 2], place, format="json")
    case "write":
        with penstock.write(place, format="ndjson") as writer: writer.write_all([1, 2])
    case "convert": penstock.convert([b"[1, 2]"], place, format="json", to="ndjson")
print("after", flush=True)
os.write(1, b"end")
"""


@pytest.mark.parametrize("mode", ["wb", "ab", "pipe"])
@pytest.mark.parametrize("verb", ["dump", "write", "convert"])
@pytest.mark.parametrize(
    "place", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/PID/fd/1", "link"]
)
def test_653_what_is_printed_next_overwrites_nothing(
    tmp_path: Path, place: str, verb: str, mode: str
) -> None:
    if place == "link":
        place = str(tmp_path / "link")
        Path(place).symlink_to("/dev/stdout")
    command = [sys.executable, "-c", PRINTING, place, verb]
    if mode == "pipe":
        got = subprocess.run(command, capture_output=True, check=True).stdout
    else:
        path = tmp_path / "out"
        path.write_bytes(b"there\n")
        with path.open(mode) as out:
            subprocess.run(command, stdout=out, check=True)
        got = path.read_bytes().removeprefix(b"there\n")
    said = {"dump": b"[1,2]", "write": b"1\n2\n", "convert": b"1\n2\n"}[verb]
    assert got == b"before\n" + said + b"after\nend"


# Keyed archives


@dataclasses.dataclass
class Thing:
    x: Any = None


FOUNDATION = {
    "NSNull": {},
    "NSData": {"NS.data": b"d"},
    "NSString": {"NS.string": "s"},
    "NSDate": {"NS.time": 1.0},
    "NSNumber": {"NS.intval": 5},
    "NSURL": {"NS.relative": UID(3), "NS.base": UID(0)},
    "NSUUID": {"NS.uuidbytes": bytes(16)},
    "NSAttributedString": {"NSString": UID(3)},
    "NSArray": {"NS.objects": []},
    "NSSet": {"NS.objects": []},
    "NSDictionary": {"NS.keys": [], "NS.objects": []},
}


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("above", FOUNDATION)
def test_654_a_class_of_yours_goes_before_those_above_it(above: str, nested: bool) -> None:
    objects = [
        "$null",
        {"$class": UID(2), "x": 5, **FOUNDATION[above]},
        {"$classname": "XYThing", "$classes": ["XYThing", above, "NSObject"]},
        "str",
        {"$class": UID(5), "y": UID(1)},
        {"$classname": "Around", "$classes": ["Around", "NSObject"]},
    ]
    archive = {
        "$archiver": "NSKeyedArchiver",
        "$version": 100_000,
        "$top": {"root": UID(4 if nested else 1)},
        "$objects": objects,
    }
    data = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
    mine = {"XYThing": Thing}
    decoded = plist.decode(data, archive=True, classes=mine)
    opened = plist.open(data, archive=True, classes=mine)
    if nested:
        decoded, opened = decoded.fields["y"], opened["y"]
    assert decoded == Thing(5)
    assert isinstance(opened, plist.OpenedObject)
    assert opened.to() == Thing(5)
    assert opened["x"] == 5


# Several processes


class Refused(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")


class Picky(Exception):
    def __reduce__(self) -> Any:
        raise TypeError("not me")


class Result:
    def __init__(self, value: int) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return Refused, ("only one argument",)


def refuse(records: Any) -> int:
    for record in records:
        if record == 1:
            raise Refused(402, "pay first")
        if record == 2:
            raise Picky("do not copy me")
        if record == 3:
            raise ValueError("usual")
        if record == 4:
            raise KeyError("key")
    return 1


def strange(records: Any) -> Result:
    return Result(sum(records))


def slow(records: Any) -> int:
    time.sleep(30)
    return len(list(records))


@pytest.mark.thread_unsafe(reason="it starts processes")
@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (1, RuntimeError, "cannot bring to this process: .*Refused: 402: pay first"),
        (2, RuntimeError, "cannot bring to this process: .*Picky: do not copy me"),
        (3, ValueError, "^usual$"),
        (4, KeyError, "^'key'$"),
    ],
)
def test_655_an_exception_of_a_worker_is_not_lost(
    tmp_path: Path, number: int, kind: type[Exception], said: str
) -> None:
    path = tmp_path / "f.ndjson"
    path.write_text(f"{number}\n" * 10)
    with pytest.raises(kind, match=said) as raised:
        list(penstock.map(path, int, refuse, processes=1))
    # The traceback of the worker.
    assert "in refuse" in str(raised.value.__cause__)


@pytest.mark.thread_unsafe(reason="it starts processes")
def test_655_a_result_that_cannot_be_unpickled_is_no_killed_worker(tmp_path: Path) -> None:
    path = tmp_path / "f.ndjson"
    path.write_text("1\n" * 10)
    with pytest.raises(TypeError, match="text"):
        list(penstock.map(path, int, strange, processes=1))


class Alarm(BaseException):
    pass


def ring(*_: object) -> None:
    raise Alarm


def interrupted(path: Path, how: str) -> None:
    if how == "iterator":
        signal.setitimer(signal.ITIMER_REAL, 1)
        list(penstock.map(path, int, slow, processes=1))
        return
    with penstock.map(path, int, slow, processes=1) as results:
        signal.setitimer(signal.ITIMER_REAL, 1)
        next(results)


@pytest.mark.thread_unsafe(reason="it sets an alarm")
@pytest.mark.parametrize("how", ["iterator", "with"])
def test_656_an_interrupt_does_not_wait_for_the_parts_at_work(tmp_path: Path, how: str) -> None:
    path = tmp_path / "f.ndjson"
    path.write_text("1\n" * 100)
    before = signal.signal(signal.SIGALRM, ring)
    begun = time.monotonic()
    try:
        with pytest.raises(Alarm):
            interrupted(path, how)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # The function takes 30 seconds.
    assert time.monotonic() - begun < 20


# Schemas of others


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private", ctypes.c_void_p),
]


def damaged(field: str, value: bytes | None) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    def change(capsule: Any) -> Any:
        place = ctypes.cast(pointer(capsule, b"arrow_schema"), ctypes.POINTER(Schema))
        setattr(place.contents.children[0].contents, field, value)
        return capsule

    class Table:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            schema, array = pyarrow.record_batch({"a": [1]}).__arrow_c_array__()
            return change(schema), array

        def __arrow_c_schema__(self) -> Any:
            return change(pyarrow.schema([("a", pyarrow.int64())]).__arrow_c_schema__())

    return Table()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", b"\xff", 'the name of a column is not UTF-8: "\ufffd"'),
        ("format", b"\xff", 'the type of a column is not UTF-8: "\ufffd"'),
        ("format", None, "a column has no type"),
        ("format", b"+r", "a type without the types that are in it"),
        ("format", b"+l", "a type without the types that are in it"),
        ("format", b"+w:3", "a type without the types that are in it"),
        ("format", b"+ud:0,7", "a type without the types that are in it"),
        ("format", b"+us:0", "a type without the types that are in it"),
    ],
)
def test_657_a_damaged_schema_of_another_library(
    field: str, value: bytes | None, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(penstock.DecodeError) as raised:
        penstock.load(damaged(field, value))
    assert raised.value.reason == f"the columns are not valid: {said}"
    with pytest.raises(penstock.PlanError) as planned:
        penstock.decode(b"{}", damaged(field, value))
    assert str(planned.value) == f"the Arrow schema is not valid: {said}"
    # No panic was printed.
    assert capfd.readouterr() == ("", "")


@pytest.mark.thread_unsafe(reason="no thread can be started meanwhile")
def test_658_no_memory_for_a_thread_is_a_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError(f"can't start new thread {thread.name}")

    points: Any = SimpleNamespace(
        chain=SimpleNamespace(at=[0]),
        is_done=False,
        text=10,
        asked=lambda begin, end: (begin, end),
        ranges=SimpleNamespace(scan=print),
    )
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(MemoryError, match="can't start new thread"):
        _ranges.by_threads(points, 2)


@pytest.mark.thread_unsafe(reason="no thread can be started meanwhile")
def test_658_nor_for_the_threads_of_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError(f"can't start new thread {thread.name}")

    path = tmp_path / "f.ndjson"
    path.write_text("1\n" * 10)
    results = penstock.map(path, int, sum, processes=1)
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(MemoryError, match="can't start new thread"):
        next(results)


# Classes in classes


def interconnected(count: int, names: int) -> Any:
    """Return the last of some classes, each of which names some before it."""
    made: list[Any] = []
    for number in range(count):
        fields: list[Any] = [("value", int)]
        for place, inner in enumerate(made[-names:]):
            fields.append((f"ref{place}", inner | None, None))
        made.append(dataclasses.make_dataclass(f"C{number}", fields))
    return made[-1]


@pytest.mark.parametrize("count", [16, 20, 60, 200])
def test_659_classes_that_name_classes_are_bounded_in_csv(count: int) -> None:
    last = interconnected(count, 3)
    said = "would have more than 4096 fields, with those of its parts"
    with pytest.raises(penstock.PlanError, match=said) as raised:
        csv.decode("value\n1\n", last)
    # The class and the field.
    assert "field 'ref" in str(raised.value)
    with pytest.raises(penstock.PlanError, match=said):
        csv.encode([last(1)], last)
    with pytest.raises(penstock.PlanError, match=said):
        csv.read([b"value\n1\n"], last)
    # Other formats have no such columns.
    assert penstock.json.decode(penstock.json.encode(last(1), last), last) == last(1)


@pytest.mark.parametrize(("count", "names"), [(10, 3), (12, 3), (40, 1), (100, 1)])
def test_659_below_that_they_go_both_ways(count: int, names: int) -> None:
    last = interconnected(count, names)
    value, at = last(0), last
    for number in range(min(count, 30) - 1):
        if len(dataclasses.fields(at)) == 1:
            break
        inner = dataclasses.fields(at)[1].type.__args__[0]
        within = inner(number + 1)
        holder = value
        while getattr(holder, "ref0", None) is not None:
            holder = holder.ref0
        holder.ref0, at = within, inner
    text = csv.encode([value, last(7)], last)
    assert csv.decode(text, last) == [value, last(7)]


@pytest.mark.parametrize("count", [600, 1_000])
def test_659_many_classes_inside_of_each_other(count: int) -> None:
    last = interconnected(count, 1)
    said = "the classes would have more than 65536 fields together, with those of their parts"
    with pytest.raises(penstock.PlanError, match=said):
        csv.decode("value\n1\n", last)
    with pytest.raises(penstock.PlanError, match=said):
        csv.encode([last(1)], last)


# Places and messages


def test_660_a_checkpoint_of_other_records(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('{"a": [1, 2], "b": [3]}')
    reader = penstock.read(path, at="a/*")
    next(reader)
    with pytest.raises(ValueError, match="checkpoint") as raised:
        penstock.read(path, at="b/*", resume=reader.checkpoint())
    assert str(raised.value) == (
        "the checkpoint is one of other records: it was made for those at "
        '"a/*", and not for those at "b/*"'
    )


@pytest.mark.parametrize(
    ("verb", "data"),
    [
        (penstock.json.decode, b"1 \xc2\x9b31m"),
        (penstock.xml.decode, "<r>&\ufeff;</r>"),
        (penstock.xml.decode, "<r></\ufeff>"),
        (penstock.json.decode, "[\u200e]"),
        (plist.decode, "{a = \u202e;}"),
    ],
)
def test_661_a_reason_has_no_control_characters(verb: Any, data: Any) -> None:
    with pytest.raises(penstock.DecodeError) as raised:
        verb(data)
    error = raised.value
    assert error.reason.isprintable()
    assert error.to_dict()["reason"] == error.reason
    assert error.reason in str(error)


@dataclasses.dataclass
class Dicts:
    f: dict[str, int]
    g: int = 0


@pytest.mark.parametrize(
    "text",
    [
        '[{"f": {"a": 1, ',
        '[{"f": {"a": 1',
        '[{"f": {"a": 1}, ',
        '[{"f": {"a": ',
        '[{"f": {}, "g": 1, ',
        '[{"f": {"a": 1,, }',
        '[{"f": {"a": 1, "b": x}}]',
    ],
)
def test_662_columns_name_the_same_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(penstock.DecodeError) as read:
        list(penstock.read(path, Dicts))
    with pytest.raises(penstock.DecodeError) as columns:
        list(penstock.columns(path, Dicts))
    assert str(columns.value) == str(read.value)
    assert (columns.value.path, columns.value.steps) == (read.value.path, read.value.steps)


@pytest.mark.parametrize("lost", [b"\xed\xa0\x80;\n", b"ab\xff;\n", b"\xff\n\xff\n"])
def test_663_the_place_of_a_header_that_does_not_fit(lost: bytes) -> None:
    data = lost + b"\t\xc3\xa9;x\n"
    dialect = csv.Dialect("|", header=["a"])

    def told(size: int) -> str:
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        with pytest.raises(penstock.DecodeError) as raised:
            list(csv.read(pieces, tuple[str, str], dialect=dialect, errors="skip"))
        return str(raised.value)

    assert len({told(size) for size in (1, 2, 3, 4, 5, 6, 99)}) == 1


@pytest.mark.parametrize("first", [b"\xff,2\n", b"\xff\n\xfe,1\n"])
def test_664_a_first_row_that_is_no_text(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(first + b"3,4\n5,6\n")
    dialect = csv.Dialect(header=None)
    wrong = first.count(b"\n")
    with csv.open(path, dialect=dialect) as rows:
        assert len(rows) == wrong + 2
        for place in range(wrong):
            with pytest.raises(penstock.DecodeError):
                rows[place]
        assert list(rows[wrong:]) == list(csv.read(path, dialect=dialect, errors="skip"))


FROZEN = """
import gc
counts = []
freeze = gc.freeze
gc.freeze = lambda: (counts.append(gc.get_count()[0]), freeze())
import penstock, sys
data = b'{"a": [1]}\\n' * 300_000
found = penstock.ndjson.load((data[at:at + 65_536] for at in range(0, len(data), 65_536)))
assert len(found) == 300_000
print(len(counts), gc.get_threshold()[2])
"""


def test_665_objects_of_a_load_do_not_become_old_one_piece_at_a_time() -> None:
    """The incremental collector of the first releases of 3.14 visits all objects each time."""
    command = [sys.executable, "-W", "ignore", "-c", FROZEN]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    times, third = map(int, done.stdout.split())
    if third == 0:
        assert 1 <= times < 20


@pytest.mark.thread_unsafe(reason="a signal handler is the process's")
@pytest.mark.parametrize("verb", ["read", "open", "split"])
def test_666_a_signal_behind_quotes_that_nothing_closes(tmp_path: Path, verb: str) -> None:
    """While the end of the quotes was looked for, no signal was answered."""
    path = tmp_path / "quotes.csv"
    path.write_bytes(b"a,b\n" + b'"x"y,"\n' * 4_000_000)

    verbs: dict[str, Callable[[], object]] = {
        "read": lambda: list(csv.read(path, errors="skip")),
        "open": lambda: csv.open(path),
        "split": lambda: penstock.split(path, parts=4),
    }
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Alarm):
            verbs[verb]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
