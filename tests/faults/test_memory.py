"""Memory that cannot be had, at each of the places where some is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("_testcapi")

# What is decoded while one allocation after the other fails. Each ends in success, or in a
# MemoryError; nothing else, and the next call works as if nothing had been.
COMMON = """
import gc, sys, uuid
import datetime as dt
import enum
import penstock
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict
from _testcapi import set_nomemory, remove_mem_hooks

class Color(enum.Enum):
    RED = "red"

@dataclass(slots=True)
class Slots:
    number: int
    text: str = "t"
    items: list[Any] = field(default_factory=list)

@dataclass
class Attributes:
    number: int
    text: str = "t"
    items: list[Any] = field(default_factory=list)

@dataclass
class Post:
    number: int
    def __post_init__(self):
        self.twice = self.number * 2

@dataclass
class Called:
    number: int
    text: str
    def __init__(self, number, text="u"):
        self.number, self.text = number, text

class Named(NamedTuple):
    number: int
    text: str = "t"

class Handler:
    def row(self, element):
        items, repeated = element.attributes, element.children
        return [element.text, element.namespace, items.items(), items.get("number"), repeated.all("b"), repr(element)]

    @penstock.on("b/text()")
    def b(self, text):
        return text

    @penstock.on("")
    def document(self, element):
        return [element.name, element.children.values(), list(element.children), repr(element.attributes)]

def kept(source):
    class Keep:
        def b(self, element):
            return element.value
        @penstock.on("{urn:p}row")
        def row(self, element):
            return element
    row = penstock.xml.send(source, Keep())
    items = row.attributes
    return [
        row.name, row.prefix, row.namespace, row.text, row.children.all("b"), row.children["b"], items.get("q"),
        items.keys(), items.values(), items.items(), items[0], repr(row), repr(items), items == {"a": 1}, "q" in items,
    ]

class Keys(TypedDict, total=False):
    number: int
    text: str
"""
CASES = {
    "plain": (
        "penstock.json.decode(DATA)",
        b'{"abc": [1, 1000, 1.5, "text", "\\u6771", "\\u00e9\\ud83c\\udff3", null, 123456789012345678901234567890], "key 2": {"x": {}}}',
    ),
    "slots": (
        "penstock.json.decode(DATA, list[Slots])",
        b'[{"number": 1000, "text": "some text", "items": [1000]}, {"number": 2000}]',
    ),
    "attributes": (
        "penstock.json.decode(DATA, list[Attributes])",
        b'[{"number": 1000, "text": "some text", "items": [1000]}, {"number": 2000}]',
    ),
    "post": ("penstock.json.decode(DATA, list[Post])", b'[{"number": 1000}, {"number": 2000}]'),
    "called": (
        "penstock.json.decode(DATA, list[Called])",
        b'[{"number": 1000}, {"number": 2000, "text": "some text"}]',
    ),
    "named": (
        "penstock.json.decode(DATA, list[Named])",
        b'[{"number": 1000}, {"text": "some text", "number": 1}, [1, "b c"]]',
    ),
    "keys": (
        "penstock.json.decode(DATA, list[Keys])",
        b'[{"number": 1000}, {"text": "some text", "number": 1}]',
    ),
    "scalars": (
        "penstock.json.decode(DATA, tuple[Decimal, dt.datetime, dt.date, dt.time, uuid.UUID, bytes, Color, int])",
        b'["1.10", "2026-03-01T12:30:00.5+02:00", "2026-03-01", "12:30:00Z", "12345678-1234-5678-1234-567812345678", "cGVuc3RvY2s=", "red", 123456789012345678901234567890]',
    ),
    "containers": (
        "penstock.json.decode(DATA, tuple[set[int], frozenset[str], dict[str, float], dict[Literal['a b'], int]])",
        b'[[1000, 2000], ["a b"], {"c d": 1.5}, {"a b": 3000}]',
    ),
    "strings": (
        "penstock.json.decode(DATA, list[Slots])",
        b"[" + b", ".join(b'{"number": 1, "text": "value %d"}' % (n % 3) for n in range(24)) + b"]",
    ),
    "buffer": (
        "penstock.json.decode(bytearray(DATA), list[Slots])",
        b'[{"number": 1000, "text": "some text"}]',
    ),
    "load": (
        "penstock.json.load(iter([DATA[:9], DATA[9:]]), list[Slots])",
        b'[{"number": 1000, "text": "some text"}]',
    ),
    "read": (
        "[row.number for row in penstock.json.read(iter([DATA[:9], DATA[9:]]), Slots)]",
        b'[{"number": 1000, "text": "some text"}, {"number": 2000}, {"number": 3000}]',
    ),
    "batches": (
        "list(penstock.json.read([DATA], Slots).batches(2))",
        b'[{"number": 1000, "text": "some text"}, {"number": 2000}, {"number": 3000}]',
    ),
    "feed": (
        "fed(penstock.Decoder(Slots, format='ndjson', errors='skip'))",
        b'{"number": 1000}\\n{"number": "x"}\\n{"number": 2000}\\n',
    ),
    "path": (
        "list(penstock.json.read([DATA], Slots, at='a/*', unknown='collect'))",
        b'{"a": {"k": {"number": 1000, "more": []}, "l": {"number": 2000}}}',
    ),
    "misfit": (
        "refused(lambda: penstock.json.decode(DATA, list[Slots]))",
        b'[{"number": 1000}, {"items": [[1.5, "text text"]], "number": "x"}]',
    ),
    "malformed": (
        "refused(lambda: penstock.json.decode(DATA))",
        b'{"number": [1000, {"a b": "text text"}, tru',
    ),
    "send": (
        "penstock.json.send(iter([DATA[:9], DATA[9:]]), Handler())",
        b'{"row": [{"number": 1000, "text": "some text"}, {"number": 2000, "text": "\\u6771"}]}',
    ),
    "send markup": (
        "penstock.xml.send([DATA], Handler())",
        b'<p:rows xmlns:p="urn:p"><row a="some text"><b>text</b></row><row>more &amp; more</row></p:rows>',
    ),
    "kept": (
        "kept([DATA])",
        b'<p:row xmlns:p="urn:p" a="some text" q="1000"><b>text</b><b>more</b></p:row>',
    ),
    "events": (
        "list(penstock.xml.events([DATA[:40], DATA[40:]]))",
        b'<?target data?><p:row xmlns:p="urn:p" a="some text"><!--words-->more &amp; more<b/></p:row>',
    ),
    "repairs": (
        "repaired(penstock.xml.read([DATA], Slots, repair='all'))",
        b"<rows><row><number>1000</number><text>this & that</text></row></rows> junk",
    ),
    "kinds": (
        "list(penstock.xml.read([DATA], at={'rows/row': Slots, 'rows/n': int}))",
        b"<rows><row><number>1000</number><text>some text</text></row><n>2000</n></rows>",
    ),
    "planning": ("penstock.json.decode(DATA, cls).number", b'{"number": 1000}'),
    "planning a list": ("len(penstock.json.decode(DATA, list[cls]))", b'[{"number": 1000}]'),
}
SCRIPT = """
DATA = {data!r}

def fed(decoder):
    return decoder.feed(DATA) + decoder.finish()

def repaired(reader):
    return list(reader), reader.repairs, reader.repair_counts

def refused(work):
    try:
        work()
    except penstock.DecodeError as error:
        return type(error).__name__, str(error), error.report()

def new_class():
    @dataclass(slots=True)
    class Local:
        number: int
        text: str | None = None
        items: list[dict[str, Slots]] = field(default_factory=list)
    return Local

def work(cls):
    return {work}

expected = repr(work(new_class()))
failed = 0
n = 0
clean = 0
while clean < 3:
    n += 1
    print(n, file=sys.stderr, flush=True)
    result = None
    cls = new_class()
    try:
        set_nomemory(n, n + 1)
        try:
            result = work(cls)
        finally:
            remove_mem_hooks()
    except MemoryError:
        failed += 1
        clean = 0
    except SystemError as caught:
        # The interpreter's own: it loses an exception for which it cannot make a frame object. (Of
        # a function of ours that returns nothing and sets no exception it says something else.)
        if str(caught) != "error return without exception set":
            print("allocation", n, "gave SystemError", caught, flush=True)
        failed += 1
        clean = 0
    except BaseException as caught:
        print("allocation", n, "gave", type(caught).__name__, str(caught)[:200], flush=True)
        failed += 1
        clean = 0
    else:
        # Some failures the interpreter itself gets over, or nothing had to be asked for.
        if repr(result) != expected:
            print("allocation", n, "gave", repr(result)[:200], flush=True)
        clean = clean + 1 if n > {enough} else 0
    result = None
    assert gc.isenabled(), n
    again = repr(work(cls))
    if again != expected:
        print("after allocation", n, "it gives", again[:200], flush=True)
    if n > 5000:
        print("no end", flush=True)
        break
print("failed", failed > 0)
"""


@pytest.mark.parametrize("case", CASES)
def test_each_allocation_may_fail(case: str) -> None:
    work, data = CASES[case]
    # Some of the first may be got over by whoever asked: do not take that for the end.
    script = textwrap.dedent(COMMON) + SCRIPT.format(data=data, work=work, enough=60)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        check=False,
    )
    # The last number that it came to, and whatever else was said.
    said = [line for line in done.stderr.splitlines() if not line.isdigit()]
    reached = done.stderr.count("\n") - len(said)
    assert (done.returncode, done.stdout) == (0, "failed True\n"), (reached, "\n".join(said[-15:]))
