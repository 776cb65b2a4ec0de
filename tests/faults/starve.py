"""Decodes while one allocation of the interpreter after the other fails.

A program: a bug here can crash the process, so `test_memory.py` runs it with the names of cases.
Each attempt must end with the usual result or with a MemoryError, the next one must work as if
nothing had happened, and nothing may leak. Violations are printed on standard output, and the
number of the allocation that fails next on standard error.

`--cold` makes each attempt in a child process in which nothing was decoded before, so that
allocations that happen only once fail as well.

Some faults are the interpreter's own; `interpreter.py` shows each of them without Penstock. Its
compiler crashes: so no annotation here or in the catalogue is a string, and no `__init__` is
compared with the code that only stores its parameters. `list[T][int]`, regular expressions, time
zones and the first context of a thread crash as well. And some failures make the interpreter leak
an object: KEEPING lists them.
"""

import atexit
import ctypes
import decimal
import functools
import gc
import os
import re
import shutil
import sys
import tempfile
from _testcapi import remove_mem_hooks, set_nomemory
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import annotated_types
from catalogue import EXAMPLES, Color, Named, Post, Slots
from fresh import in_child

import penstock
from penstock import Plan
from penstock._annotations import constraints as _constraints
from penstock._annotations import conversions as _conversions
from penstock._base import views as _views
from penstock._io import targets as _targets
from penstock._parts import lookup as _lookup
from penstock._parts import rows as _rows
from penstock._verbs import send as _send

ROWS = (
    b'[{"number": 1000, "text": "some text", "items": [1000]}, {"number": 2000}, {"number": 3000}]'
)
MARKUP = b'<p:rows xmlns:p="urn:p"><row a="some text"><b>text</b></row><row>more &amp; more</row></p:rows>'
THRESHOLDS = gc.get_threshold()
# More attempts than any case has allocations mean an endless loop.
MOST = 20_000
# So many attempts in a row must succeed, because some callers survive a failed allocation.
ENOUGH = 60
# Leaks of the interpreter, not ours: `IPv6Network` captures variables, so does `IPv6Address` when it
# is printed, and a list is made from another.
KEEPING = frozenset({"addresses, from JSON", "addresses, to JSON", "class of lists, from JSON"})
# Imported now instead of at first use, because the importer raises RuntimeError.
assert _conversions
assert _lookup
assert _rows
assert penstock.csv
assert _views
# The interpreter crashes when it makes a context, a regular expression or a time zone. So they are
# made before, and cached.
MADE = (decimal.getcontext(), re.compile("a+b"), ZoneInfo("UTC"))
# These are all Python, and the interpreter leaks the variables that they capture: so they are
# cached.
_constraints.said = functools.cache(_constraints.said)
_send.reachable = functools.cache(_send.reachable)


class Never:
    """Nothing decodes it, but a plan with this type is made anew each time."""


# Handlers.


class Handler:
    def row(self, element: Any) -> Any:
        items, repeated = element.attributes, element.children
        return [
            element.text,
            element.namespace,
            items.items(),
            items.get("number"),
            repeated.all("b"),
            repr(element),
        ]

    @penstock.on("b/text()")
    def b(self, text: Any) -> Any:
        return text

    @penstock.on("")
    def document(self, element: Any) -> Any:
        children = element.children
        return [element.name, children.values(), list(children), repr(element.attributes)]


class Keep:
    def b(self, element: Any) -> Any:
        return element.value

    @penstock.on("{urn:p}row")
    def row(self, element: Any) -> Any:
        return element


class NoHandler:
    @penstock.on("a")
    def a(self, element: Any) -> Any:
        return element

    @penstock.on("a")
    def b(self, element: Any) -> Any:
        return element


HANDLER, NO_HANDLER, KEEP = Handler(), NoHandler(), Keep()


def kept(source: Any) -> Any:
    row = penstock.xml.send(source, KEEP)
    items = row.attributes
    return [
        row.name,
        row.prefix,
        row.namespace,
        row.text,
        row.children.all("b"),
        row.children["b"],
        items.get("q"),
        items.keys(),
        items.values(),
        items.items(),
        items[0],
        repr(row),
        repr(items),
        items == {"a": 1},
        "q" in items,
    ]


NoType = 1000
LIMITED = Annotated[int, annotated_types.Interval(gt=0, le=9_000)]


@dataclass(slots=True)
class Cells:
    number: int
    text: str = ""


@dataclass
class NoField:
    text: complex | bytes


# The functions of the cases.


@functools.cache
def file() -> tuple[str]:
    path = Path(tempfile.mkdtemp(), "rows.ndjson")
    path.write_bytes(b'{"number": 1000}\n{"number": 2000, "text": "a b"}\n{"number": "x"}\n')
    atexit.register(shutil.rmtree, path.parent)
    return (str(path),)


@functools.cache
def table() -> tuple[str]:
    path = Path(tempfile.mkdtemp(), "rows.csv")
    path.write_bytes(b'number,text\n1000,x\n\n2000,"a\nb"\n3000\n')
    atexit.register(shutil.rmtree, path.parent)
    return (str(path),)


def rows_at_random(path: str) -> Any:
    with penstock.csv.open(path, Cells) as rows:
        lookup = rows.index(by="text")
        wrong = refused(rows.to, Cells, 2)
        found = [len(lookup), lookup["a\nb"][0], "x" in lookup, "y" in lookup]
        return [len(rows), rows[1], *rows[:2], rows.raw(1), wrong, *found]


def at_random(path: str) -> Any:
    with penstock.ndjson.open(path, Slots) as rows:
        wrong = refused(rows.to, Slots, 2)
        return [len(rows), rows[1], *rows[:2], rows.raw(0), wrong, rows.closed]


def written(data: bytes, path: str) -> Any:
    """Replace a file, append to it and leave it, and return it with whatever is beside it."""
    # Without pathlib, which raises TypeError if memory is short.
    new = f"{path}.gz"
    with _targets.open_target("write", new) as target:
        target.write(data)
    with _targets.open_target("write", new, append=True) as target:
        target.write(data)
        target.mark()
        target.flush()
    target = _targets.open_target("write", new)
    target.write(data)
    target.abort()
    folder = path.removesuffix("/rows.ndjson")
    return ndjson.load(new), [name for name in os.listdir(folder) if ".part" in name]  # noqa: PTH208


def records_written(_: bytes, path: str) -> list[Any]:
    new = f"{path}.new.ndjson"
    with penstock.write(new, Slots) as writer:
        writer.write(Slots(1000, "some text"))
        said = refused(writer.write, Slots("a"))  # type: ignore[arg-type]
        writer.flush()
        writer.write_all([Slots(2000), Slots(3000, items=[1.5])])
        shown = repr(writer).replace(new, "")
    return [ndjson.load(new), said, shown, writer.progress.records, writer.closed]


def records_given_up(_: bytes, path: str) -> list[Any]:
    writer = json.write(path, Slots, at="a/*", compression="gzip")
    writer.write(Slots(1000))
    writer.abort()
    return [len(ndjson.load(path)), writer.closed]


def converted(data: bytes, path: str) -> Any:
    """Convert a file, and data that has errors; return all of what is written."""
    new = f"{path}.xml"
    done = penstock.convert(path, new, errors="skip", indent=1)
    chunks: list[bytes] = []
    said = refused(penstock.convert, cut(data), chunks.append, format="xml", to="ndjson")
    penstock.convert(cut(b"<r><a/>x</r>"), chunks.append, format="xml", to="json", form="element")
    return [done.records, done.skipped, xml.load(new), said, b"".join(chunks)]


def dumped(_: bytes) -> list[Any]:
    chunks: list[bytes] = []
    json.dump([Slots(1000), {"a": "text"}], chunks.append)
    return [chunks, refused(json.dump, [Slots(1000, 5)], chunks.append)]  # type: ignore[arg-type]


async def sent() -> list[bytes]:
    chunks: list[bytes] = []

    async def send(chunk: bytes) -> None:
        chunks.append(chunk)

    async with penstock.aio.write(send, Slots, format="json") as writer:
        await writer.write(Slots(1000))
        await writer.write_all([Slots(2000)])
    return chunks


def handed_on(data: bytes) -> Any:
    chunks: list[bytes] = []
    with _targets.open_target("write", chunks.append, compression="zstd") as target:
        target.write(data)
        target.flush()
    return chunks


def looked_into(document: Any) -> Any:
    rows = document["a"]
    seen = [list(document), list(document.items()), document.get("z"), rows[::-1], rows[0]["text"]]
    found = [list(document.at("a/*/number")), rows[1].to(Slots), document.to(int, at="a/0/number")]
    return seen, found, rows[1].path, rows[1].line, "z" in document, document == 1


def cut(data: bytes) -> Iterator[bytes]:
    """Give the bytes in two pieces."""
    return iter([data[:9], data[9:]])


def fed(decoder: Any, data: bytes) -> Any:
    return decoder.feed(data) + decoder.finish()


def repaired(data: bytes) -> Any:
    reader = penstock.xml.read([data], Slots, repair="all")
    return list(reader), reader.repairs, reader.repair_counts


def refused(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the error that this raises, as Penstock made it."""
    try:
        return work(*arguments, **options)
    except ExceptionGroup as group:
        return list(map(Told, group.exceptions))
    except penstock.PenstockError as error:
        return Told(error.with_traceback(None))


def refused_otherwise(work: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except ValueError as error:
        return Told(error.with_traceback(None))


class Told(NamedTuple):
    """An error that is shown later, with all its attributes, when there is memory again."""

    error: BaseException

    def __repr__(self) -> str:
        error = self.error
        notes = getattr(error, "__notes__", None)
        return f"{type(error)} {error.args} {sorted(vars(error).items())} {notes}"


async def gathered(records: AsyncIterator[Any]) -> list[Any]:
    rows = []
    async for row in records:
        rows.append(row)  # noqa: PERF401 - the interpreter keeps what a comprehension captures
    return rows


async def cut_later(data: bytes) -> AsyncIterator[bytes]:
    yield data[:9]
    yield data[9:]


def awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    return "it waits"


def new_class() -> Any:
    @dataclass(slots=True)
    class Local:
        number: int
        text: str | None = None
        items: list[dict[str, Slots]] = field(default_factory=list)

    return Local


class Case(NamedTuple):
    """A function of the data; `prepare` returns more arguments for it, and may not fail."""

    work: Callable[..., Any]
    data: bytes
    prepare: Callable[[], tuple[Any, ...]] = tuple


json, ndjson, xml = penstock.json, penstock.ndjson, penstock.xml
CASES: dict[str, Case] = {
    "strings": Case(
        lambda data: json.decode(data, list[Slots]),
        b"[" + b", ".join(b'{"number": 1, "text": "value %d"}' % (n % 3) for n in range(24)) + b"]",
    ),
    "buffer": Case(lambda data: json.decode(bytearray(data), list[Slots]), ROWS),
    "load": Case(lambda data: json.load(cut(data), list[Slots]), ROWS),
    "read": Case(lambda data: [row.number for row in json.read(cut(data), Slots)], ROWS),
    "batches": Case(lambda data: list(json.read([data], Slots).batches(2)), ROWS),
    "lines": Case(
        lambda data: list(ndjson.read(cut(data), Slots)), b'{"number": 1000}\n\n{"number": 2000}\n'
    ),
    "feed": Case(
        lambda data: fed(penstock.Decoder(Slots, format="ndjson", errors="skip"), data),
        b'{"number": 1000}\n{"number": "x"}\n{"number": 2000}\n',
    ),
    "path": Case(
        lambda data: list(json.read([data], Slots, at="a/*", unknown="collect")),
        b'{"a": {"k": {"number": 1000, "more": []}, "l": {"number": 2000}}}',
    ),
    "misfit": Case(
        lambda data: refused(json.decode, data, list[Slots]),
        b'[{"number": 1000}, {"items": [[1.5, "text text"]], "number": "x"}]',
    ),
    "all misfits": Case(
        lambda data: refused(json.decode, data, list[Slots], all_errors=True),
        b'[{"number": 1000.5, "text": 1000}, {"items": [[1.5, "text text"]], "number": "x"}]',
    ),
    "collected misfits": Case(
        lambda data: refused(list, ndjson.read([data], Slots, errors="collect")),
        b'{"number": 1000.5}\n{"number": 1000}\n{"number": "x"}\n',
    ),
    "raised": Case(
        lambda data: refused(json.decode, data, EXAMPLES["own type"].type), b'["10 x y"]'
    ),
    "malformed": Case(
        lambda data: refused(json.decode, data),
        b'{"number": [1000, {"a b": "text text"}, tru',
    ),
    "malformed markup": Case(lambda data: refused(xml.decode, data), b"<a><b>text</c></a>"),
    "misfit that is not met": Case(
        lambda data: refused(json.decode, data, list[LIMITED], all_errors=True), b'[0, 9.5, "x"]'
    ),
    "misfit of a union": Case(
        lambda data: refused(json.decode, data, EXAMPLES["union by tag"].type, all_errors=True),
        b'[{"type": "x"}, {"side": 1}, {"type": "o", "radius": "x"}]',
    ),
    "misfit of an enum": Case(
        lambda data: refused(json.decode, data, list[Color], all_errors=True), b'["rod", 3]'
    ),
    "misfit, unknown": Case(
        lambda data: refused(json.decode, data, Slots, unknown="error", all_errors=True),
        b'{"number": 1000, "txet": "a"}',
    ),
    "no type": Case(lambda _: refused(Plan, NoType), b""),
    "no type of a field": Case(lambda _: refused(Plan, list[NoField]), b""),
    "no handler": Case(lambda data: refused_otherwise(json.send, [data], NO_HANDLER), b"[]"),
    "asynchronous": Case(
        lambda data: awaited(gathered(penstock.aio.read(cut_later(data), Slots, format="json"))),
        ROWS,
    ),
    "send": Case(
        lambda data: json.send(cut(data), HANDLER),
        b'{"row": [{"number": 1000, "text": "some text"}, {"number": 2000, "text": "\\u6771"}]}',
    ),
    "send markup": Case(lambda data: xml.send([data], HANDLER), MARKUP),
    "kept": Case(
        lambda data: kept([data]),
        b'<p:row xmlns:p="urn:p" a="some text" q="1000"><b>text</b><b>more</b></p:row>',
    ),
    "open": Case(
        lambda data: looked_into(json.open(data)),
        b'{"a": [{"number": 1000, "text": "some text"}, {"number": 2000}], "\\u6771": 123456789012345678901234567890}',
    ),
    "open records": Case(
        lambda data: json.open(data, Slots, at="a/*")[:],
        b'{"a": [{"number": 1000, "text": "some text"}, {"number": 2000}]}',
    ),
    "at random": Case(lambda _, path: at_random(path), b"", file),
    "rows at random": Case(lambda _, path: rows_at_random(path), b"", table),
    "targets": Case(written, b"[1000]\n", file),
    "a function as a target": Case(handed_on, b"[1000]\n"),
    "events": Case(
        lambda data: list(xml.events([data[:40], data[40:]])),
        b'<?target data?><p:row xmlns:p="urn:p" a="some text"><!--words-->more &amp; more<b/></p:row>',
    ),
    "load markup": Case(
        lambda data: xml.load(cut(data), list[Slots]),
        b"<rows><row><number>1000</number><text>a &lt; b</text></row><row number='2000'/></rows>",
    ),
    "read markup": Case(
        lambda data: [row.number for row in xml.read(cut(data), Slots, at="rows/row")],
        b"<rows><row><number>1000</number><text>a &lt; b</text></row><row number='2000'/></rows>",
    ),
    "repairs": Case(
        repaired,
        b"<rows><row><number>1000</number><text>this & that</text></row></rows> junk",
    ),
    "kinds": Case(
        lambda data: list(xml.read([data], at={"rows/row": Slots, "rows/n": int})),
        b"<rows><row><number>1000</number><text>some text</text></row><n>2000</n></rows>",
    ),
    "planning": Case(
        lambda data, cls: json.decode(data, cls).number,
        b'{"number": 1000}',
        lambda: (new_class(),),
    ),
    "planning a list": Case(
        lambda data, cls: len(json.decode(data, list[cls])),
        b'[{"number": 1000}]',
        lambda: (new_class(),),
    ),
    "saying a plan": Case(
        lambda _, cls: repr(Plan(cls | int, rename="camel")).replace(hex(id(cls)), ""),
        b"",
        lambda: (new_class(),),
    ),
    "calling off": Case(
        lambda data: next(json.read(cut(data), Named)).number,
        b'[{"number": 1000}, {"number": 2000}]',
    ),
    "encode without a type": Case(
        lambda _, value: [json.encode(value), ndjson.encode(value, sort_keys=True)],
        b"",
        functools.cache(lambda: ([Slots(1000, "a \u6771", [1.5, {"a b": None}]), {"x": 2**70}],)),
    ),
    "encode what is refused": Case(
        lambda _, value: refused(json.Encoder(omit="defaults").encode, value),
        b"",
        functools.cache(lambda: ({"a b": [Slots(1000, 5)]},)),  # type: ignore[arg-type]
    ),
    "write records": Case(records_written, b"", file),
    "write records, given up": Case(records_given_up, b"", file),
    "dump": Case(dumped, b""),
    "convert": Case(converted, b"<r><a b='1'>x</a><a><c/><c/></a><a></b></r>", file),
    "chunks": Case(
        lambda _: [
            list(json.Encoder(Slots).chunks([Slots(1000), Slots(2000)], size=1)),
            list(ndjson.Encoder().chunks(Slots(n) for n in range(1000, 1003))),
        ],
        b"",
    ),
    "write asynchronously": Case(lambda _: awaited(sent()), b""),
    "after it is made": Case(
        lambda data: list(json.read([data], Post)), b'[{"number": 1000}, {"number": 2000}]'
    ),
}
# 3.14 crashes when it puts a type into a union (`interpreter.py`).
CRASHING = {"generic class"} if sys.version_info[:2] == (3, 14) else set()
for _name, _example in EXAMPLES.items():
    if _name in CRASHING:
        continue
    CASES[f"{_name}, from JSON"] = Case(
        lambda data, cls=_example.type: json.decode(data, Plan(cls, types={Never: Never})),
        _example.json,
    )
    if _example.xml is not None:
        CASES[f"{_name}, from XML"] = Case(
            lambda data, cls=_example.type: xml.decode(data, Plan(cls, types={Never: Never})),
            _example.xml,
        )
    CASES[f"{_name}, to JSON"] = Case(
        lambda _, value, cls=_example.type: refused(json.encode, value, cls),
        b"",
        functools.cache(lambda example=_example: (json.decode(example.json, example.type),)),
    )


# A case that leaks on purpose, to test the check.
LEFT: list[object] = []


def leave() -> str:
    try:
        return str(object())
    except MemoryError:
        LEFT.append(object())
        raise


LEAVING = "leaving"
CASES[LEAVING] = Case(lambda _: leave() and None, b"")


# The attempts.


# The interpreter's exceptions in place of a MemoryError: where it loses an exception because it
# cannot make a frame object, where it looks for the functions of the module datetime, and where it
# makes the dict of an object. (If a function of ours returned null and set no exception, the
# message would be another.)
OTHERWISE = re.compile(
    "SystemError: error return without exception set"
    "|SystemError: <function .*> returned NULL without setting an exception"
    '|ImportError: PyCapsule_Import could not import module "datetime"'
    "|AttributeError: This object has no __dict__"
)


class Failed(NamedTuple):
    """The allocation failed, and this is the result."""

    error: BaseException
    within: str
    """The innermost function of Python that was running."""


def forget() -> None:
    """Drop the cached plans, as at the beginning of a full collection."""
    for callback in gc.callbacks:
        if callback.__name__ == "_penstock_plans":
            callback("start", {"generation": 2})


def attempt(case: Case, n: int, prepared: tuple[Any, ...]) -> Any:
    """Return the case's result when its n-th allocation fails, or its exception."""
    forget()
    try:
        set_nomemory(n, n + 1)
        try:
            return case.work(case.data, *prepared)
        finally:
            remove_mem_hooks()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is looked at
        within = innermost(error.__traceback__)
        return Failed(error.with_traceback(None), within)


def innermost(traceback: TracebackType | None) -> str:
    name = ""
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_qualname
        traceback = traceback.tb_next
    return name


def misdeed(name: str, outcome: Any, expected: str) -> str:
    """Return what is wrong with an outcome, or an empty string."""
    if not isinstance(outcome, Failed):
        given = repr(outcome)
        return "" if given == expected else f"gave {given[:200]}"
    error = outcome.error
    lost = OTHERWISE.fullmatch(f"{type(error).__name__}: {error}")
    # Pydantic's core is also in Rust, and panics. In ours, no panic gets through.
    panicked = type(error).__name__ == "PanicException" and name.startswith("pydantic")
    if isinstance(error, MemoryError) or lost or panicked:
        return ""
    return f"gave {type(error).__name__} {str(error)[:200]}"


def sweep(name: str, case: Case, expected: str) -> Iterator[tuple[int, str]]:
    """Let one allocation after the other fail, until there are no more; yield what was wrong."""
    clean = 0
    for n in range(1, MOST):
        sys.stderr.write(f"{n}\n")
        prepared = case.prepare()
        outcome = attempt(case, n, prepared)
        wrong = misdeed(name, outcome, expected)
        clean = 0 if wrong or isinstance(outcome, Failed) else clean + 1
        del outcome
        if gc.get_threshold() != THRESHOLDS:
            wrong += " and left the collector paused"
            gc.set_threshold(*THRESHOLDS)
        again = repr(case.work(case.data, *prepared))
        if again != expected:
            wrong += f" and then {again[:200]}"
        yield n, wrong
        if clean == ENOUGH:
            return
    yield MOST, "and there is no end"


def cold_sweep(name: str, case: Case, expected: str) -> Iterator[tuple[int, str]]:
    """Do the same, each time in a process in which nothing was decoded before."""
    clean = 0
    for n in range(1, MOST):
        sys.stderr.write(f"{n}\n")
        said, status = in_child(lambda n=n: cold_attempt(name, case, n, expected))
        if status != 0:
            said = f"ended with status {status}"
        clean = clean + 1 if said == "" else 0
        yield n, "" if said == "failed" else said
        if clean == ENOUGH:
            return
    yield MOST, "and there is no end"


def cold_attempt(name: str, case: Case, n: int, expected: str) -> str:
    """Return what is wrong, or `failed` if only the allocation failed."""
    prepared = case.prepare()
    outcome = attempt(case, n, prepared)
    wrong = misdeed(name, outcome, expected)
    again = repr(case.work(case.data, *prepared))
    if again != expected:
        wrong += f" and then {again[:200]}"
    return wrong or ("failed" if isinstance(outcome, Failed) else "")


# Leaks.


def in_use() -> tuple[int, int]:
    """Return the interpreter's small blocks, and the bytes of all large ones."""
    gc.collect()
    gc.collect()
    info = LIBC.mallinfo2()
    return sys.getallocatedblocks(), info.uordblks + info.hblkhd


class Memory(ctypes.Structure):
    """The result of `mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


LIBC = ctypes.CDLL(None)
LIBC.mallinfo2.restype = Memory
# The smallest block of the C library.
SMALLEST = 32


def growth(case: Case, numbers: range, rounds: int) -> tuple[int, int, set[str]]:
    """Return how much more is in use after that many rounds of attempts, and what was running."""
    within = set()
    outcome = None
    before = in_use()
    before = in_use()  # The result takes memory too: the second call counts the first one's.
    for _ in range(rounds):
        for n in numbers:
            outcome = attempt(case, n, case.prepare())
            if isinstance(outcome, Failed):
                within.add(outcome.within)
    outcome = None
    after = in_use()
    return after[0] - before[0], after[1] - before[1], within


def grows(case: Case, numbers: range, rounds: int, times: int = 6) -> bool:
    """Return whether the memory in use grows with each round, however often it is tried.

    Caches, and objects that are made once, stop growing.
    """
    for _ in range(times):
        blocks, size, _ = growth(case, numbers, rounds)
        if blocks < rounds and size < SMALLEST * rounds:
            return False
    return True


def leaks(case: Case, last: int) -> Iterator[tuple[int, str]]:
    """Yield the allocations whose failure leaks each time."""
    growth(case, range(1, last + 1), 1)  # Makes everything that is made once.
    if not grows(case, range(1, last + 1), 3):
        return
    for n in range(1, last + 1):
        alone = range(n, n + 1)
        if grows(case, alone, 20) and grows(case, alone, 1_000, 2):
            blocks, size, within = growth(case, alone, 100)
            yield n, f"leaves {blocks} blocks and {size} bytes behind, 100 times, in {within}"


def codes() -> Iterator[CodeType]:
    """Yield the code objects of all functions."""
    met: set[int] = set()
    waiting: list[object] = [
        each.__code__ for each in gc.get_objects() if isinstance(each, FunctionType)
    ]
    while waiting:
        code = waiting.pop()
        if isinstance(code, CodeType) and id(code) not in met:
            met.add(id(code))
            waiting.extend(code.co_consts)
            yield code


def try_case(name: str, *, cold: bool) -> int:
    """Try the case, print what is wrong, and return the number of the last failed allocation."""
    case = CASES[name]
    sys.stderr.write(f"{name}\n")
    case.prepare()  # Files that children share belong to this process, which removes them.

    def work() -> str:
        return repr(case.work(case.data, *case.prepare()))

    # Twice, because some objects are made only at the second use.
    expected = in_child(work)[0] if cold else (work(), work())[1]
    last = 0
    for last, wrong in (cold_sweep if cold else sweep)(name, case, expected):
        if wrong:
            say(f"{name}: allocation {last} {wrong}")
    last -= ENOUGH
    if not cold and name not in KEEPING:
        for n, wrong in leaks(case, last):
            say(f"{name}: allocation {n} {wrong}")
    return last


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(names: list[str], *, cold: bool) -> None:
    # From 3.12 on, the interpreter releases a code object twice if there is no memory for a
    # function made of it (`interpreter.py` shows that). These extra references are for it to
    # release. A list of references would not be enough, since some cases are tried thousands of
    # times.
    for code in codes() if sys.version_info >= (3, 12) else ():
        ctypes.c_uint32.from_address(id(code)).value += 1 << 24
    # Objects that exist already need not be visited by the collector.
    gc.collect()
    gc.freeze()
    tried = sum(try_case(name, cold=cold) for name in names)
    say(f"tried {tried} allocations in {len(names)} cases")


if __name__ == "__main__":
    main(
        [name for name in sys.argv[1:] if name != "--cold"]
        or [name for name in CASES if name != LEAVING],
        cold="--cold" in sys.argv,
    )
