"""Runs each verb and format with too little memory, and counts how it ends.

Each run is a process of its own whose address space may grow by so many megabytes over what the
interpreter and Penstock have taken. It must end in its result or in `MemoryError`. Another
exception is a fault, and so is a signal: an allocation that Penstock cannot survive aborts. A run
that takes longer than a minute counts as a hang.

    python scripts/starve.py [--backtrace] [--only WORD] [megabytes ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

MEGABYTES = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 130, 200, 300)
SECONDS = 60

# The documents are made before the limit is set: about 20 MB of text.
PROGRAM = r"""
import io, os, resource, sys
import penstock
from dataclasses import dataclass

@dataclass
class Row:
    number: int = 0
    text: str = ""

class Handler:
    def row(self, element):
        return element.value
    def rows(self, element):
        return None
    text = row

# What keeps its records needs fewer of them to use up memory.
special = sys.argv[1].startswith(("kept", "collected", "deep"))
ROWS, LONG = (60_000, 1_000) if special else (200_000, 1_000_000)
row = b'{"number": %d, "text": "some text \\u00e9 %d"}'
rows = b",".join(row % (n, n) for n in range(ROWS))
array = b'{"rows": [' + rows + b"]}"
lines = rows.replace(b"},{", b"}\n{")
items = b"<row><number>7</number><text>some text &amp; more</text></row>" * ROWS
markup = b"<rows>" + items + b"</rows>"
long = b'["' + b"a\\n" * (5 * LONG) + b'"]'
prose = b"<a>" + b"a&lt;" * (4 * LONG) + b"</a>"
numbers = b"[" + b"1," * (5 * LONG) + b"1]"

def pieces(data):
    return (data[at:at + 65536] for at in range(0, len(data), 65536))

def fed(decoder, data):
    for piece in pieces(data):
        yield from decoder.feed(piece)
    yield from decoder.finish()

def count(rows):
    return sum(1 for _ in rows)

json, ndjson, xml = penstock.json, penstock.ndjson, penstock.xml
csv, plist = penstock.csv, penstock.plist

# What a program keeps, so that memory ends by many small pieces.
kept = []
MANY = 200_000
wrong_lines = b'{"number": "x"}\n' * MANY
wrong_items = b"<rows>" + b"<row><number>x</number></row>" * MANY + b"</rows>"
wrong_rows = b"number,text\n" + b"x,y\n" * MANY
wrong_array = b"[" + b'{"number": "x"},' * MANY + b"1]"
torn_rows = b"number,text\n" + b"1,2,3\n" * MANY
small = b'{"a": [1, 2, {"b": 3}], "c": "text"}'
small_markup = b"<a><b>1</b><b>2</b></a>"
small_table = b"a,b\n1,2\n3,4\n"
small_list = plist.encode({"a": [1, {"b": 2}]}, form="binary")
DEEP = 300_000
deepest = penstock.Limits(depth=10**7, tag=10**9, amplification=10**9)
deep = b"[" * DEEP + b"]" * DEEP
deep_maps = b'{"a":' * DEEP + b"1" + b"}" * DEEP
deep_lines = deep + b"\n" + deep_maps + b"\n"
deep_items = b"<a>" * DEEP + b"</a>" * DEEP
deep_texts = b"(" * DEEP + b")" * DEEP
deep_list = b"<plist>" + b"<array>" * DEEP + b"</array>" * DEEP + b"</plist>"

class Keep:
    def row(self, element):
        kept.append(element)
        return element

def all_kept(source):
    for each in source:
        kept.append(each)

def many(work):
    for _ in range(MANY):
        kept.append(work())

def refused(work, *given, **options):
    try:
        work(*given, **options)
    except (penstock.PenstockError, TypeError, ValueError) as error:
        return error

def collected(work):
    try:
        return work()
    except ExceptionGroup:
        return None

def begun(reader):
    next(reader)
    return reader

def written(target):
    writer = ndjson.write(target)
    writer.write(1)
    return writer

def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value

def dropped(data):
    pass

opened = json.open(b'[' + b'{"number": 1},' * 1_000 + b'{}]')
WORK = {
    "json.decode": lambda: json.decode(array),
    "json.decode buffer": lambda: json.decode(memoryview(array)),
    "json.decode numbers": lambda: json.decode(numbers),
    "json.decode long": lambda: json.decode(long),
    "json.load": lambda: json.load(pieces(array)),
    "json.load class": lambda: json.load(pieces(array), dict[str, list[Row]]),
    "json.load long": lambda: json.load(pieces(long)),
    "json.read": lambda: count(json.read(pieces(array), Row, at="rows/*")),
    "json.read whole": lambda: count(json.read(pieces(array))),
    "json.feed": lambda: count(fed(penstock.Decoder(Row, at="rows/*", format="json"), array)),
    "json.open": lambda: json.open(array)["rows"][1000]["number"],
    "json.open pieces": lambda: json.open(pieces(array)).at("rows/7/text"),
    "json.open to": lambda: json.open(array).to(dict[str, list[Row]]),
    "json.send": lambda: json.send(pieces(array), Handler()),
    "ndjson.decode": lambda: ndjson.decode(lines, Row) if hasattr(ndjson, "decode") else None,
    "ndjson.load": lambda: ndjson.load(pieces(lines), Row),
    "ndjson.read": lambda: count(ndjson.read(pieces(lines), Row)),
    "ndjson.batches": lambda: count(ndjson.read(pieces(lines), Row).batches(100_000)),
    "ndjson.collect": lambda: count(ndjson.read(pieces(lines), int, errors="skip")),
    "xml.decode": lambda: xml.decode(markup),
    "xml.load": lambda: xml.load(pieces(markup)),
    "xml.load class": lambda: xml.load(pieces(markup), list[Row]),
    "xml.load prose": lambda: xml.load(pieces(prose), str),
    "xml.read": lambda: count(xml.read(pieces(markup), Row, at="rows/row")),
    "xml.send": lambda: xml.send(pieces(markup), Handler()),
    "xml.events": lambda: count(xml.events(pieces(markup))),
    "kept: errors of ndjson": lambda: (
        count(ndjson.read(pieces(wrong_lines), Row, errors=kept.append))
    ),
    "kept: errors of lines": lambda: count(ndjson.read(pieces(b"x\n" * MANY), errors=kept.append)),
    "kept: errors of json": lambda: count(json.read([wrong_array], Row, errors=kept.append)),
    "kept: errors of xml": lambda: count(xml.read(pieces(wrong_items), Row, errors=kept.append)),
    "kept: errors of csv": lambda: count(csv.read(pieces(wrong_rows), Row, errors=kept.append)),
    "kept: errors of rows": lambda: count(csv.read(pieces(torn_rows), errors=kept.append)),
    "kept: errors of fed": lambda: (
        list(fed(penstock.Decoder(Row, format="ndjson", errors=kept.append), wrong_lines))
    ),
    "kept: errors of columns": lambda: (
        count(penstock.columns(pieces(wrong_lines), Row, format="ndjson", errors=kept.append))
    ),
    "kept: errors of convert": lambda: (
        penstock.convert(pieces(wrong_lines), dropped, format="ndjson", to="csv", into=Row,
        errors=kept.append)
    ),
    "kept: errors of events": lambda: many(lambda: refused(list, xml.events([b"<a><b></a>"]))),
    "kept: errors of decode": lambda: many(lambda: refused(json.decode, b'{"number": "x"}', Row)),
    "kept: errors of xml.decode": lambda: (
        many(lambda: refused(xml.decode, b"<a><number>x</number></a>", Row))
    ),
    "kept: errors of encode": lambda: many(lambda: refused(json.encode, {"a": [object()]})),
    "kept: errors of plans": lambda: many(lambda: refused(penstock.Plan, dict[str, Ellipsis])),
    "kept: all errors": lambda: many(
        lambda: refused(json.decode, b'{"number": "x", "text": 1}', Row, all_errors=True)
    ),
    "collected: ndjson": lambda: (
        collected(lambda: count(ndjson.read(pieces(wrong_lines), Row, errors="collect",
        max_errors=10**7)))
    ),
    "collected: xml": lambda: (
        collected(lambda: count(xml.read(pieces(wrong_items), Row, errors="collect",
        max_errors=10**7)))
    ),
    "collected: csv": lambda: (
        collected(lambda: count(csv.read(pieces(wrong_rows), Row, errors="collect",
        max_errors=10**7)))
    ),
    "kept: json.open": lambda: many(lambda: json.open(small)),
    "kept: plist.open": lambda: many(lambda: plist.open(small_list)),
    "kept: parts": lambda: all_kept(opened[n % 1_000] for n in range(MANY)),
    "kept: matches": lambda: many(lambda: opened.at("*/number")),
    "kept: records": lambda: many(lambda: json.open(b"[{}, {}]", Row, at="*")),
    "kept: Decoders": lambda: many(lambda: ndjson.Decoder(Row)),
    "kept: Plans": lambda: many(lambda: penstock.Plan(Row)),
    "kept: Readers": lambda: many(lambda: begun(ndjson.read([b"1\n2\n"]))),
    "kept: Readers of xml": lambda: many(lambda: begun(xml.read([small_markup], at="a/b"))),
    "kept: Events": lambda: many(lambda: begun(xml.events([small_markup]))),
    "kept: events": lambda: all_kept(xml.events(pieces(markup))),
    "kept: Writers": lambda: many(lambda: written(dropped)),
    "kept: columns": lambda: many(
        lambda: begun(penstock.columns([b"number,text\n3,x\n"], Row, format="csv"))
    ),
    "kept: batches": lambda: (
        all_kept(penstock.columns(pieces(lines), Row, format="ndjson", rows=1))
    ),
    "kept: elements": lambda: xml.send(pieces(markup), Keep()),
    "kept: rows": lambda: all_kept(ndjson.read(pieces(lines), Row)),
    "kept: dicts": lambda: all_kept(csv.read(pieces(wrong_rows))),
    "kept: texts": lambda: many(lambda: json.encode({"a": 1})),
    "kept: tables": lambda: many(lambda: json.decode(small)),
    "kept: schemas": lambda: many(lambda: penstock.schema([row % (1, 1)], format="ndjson")),
    "deep: json.decode": lambda: json.decode(deep, limits=deepest),
    "deep: json.decode maps": lambda: json.decode(deep_maps, limits=deepest),
    "deep: json.load": lambda: json.load(pieces(deep_maps), limits=deepest),
    "deep: json.open": lambda: json.open(deep, limits=deepest),
    "deep: json.open maps": lambda: json.open(deep_maps, limits=deepest),
    "deep: json.open pieces": lambda: json.open(pieces(deep_maps), limits=deepest),
    "deep: json.send": lambda: json.send(pieces(deep_maps), Handler(), limits=deepest),
    "deep: json.read": lambda: count(json.read(pieces(deep_maps), int, at="//b", limits=deepest)),
    "deep: skipped": lambda: json.decode(b'{"x":' + deep_maps + b"}", Row, limits=deepest),
    "deep: columns": lambda: (
        count(penstock.columns(pieces(b'{"x":' + deep_maps + b"}"), Row, format="ndjson",
        limits=deepest))
    ),
    "deep: schema": lambda: (
        refused(penstock.schema, pieces(deep_maps), format="ndjson", limits=deepest)
    ),
    "deep: convert": lambda: (
        penstock.convert(pieces(deep_maps), dropped, format="json", to="json", limits=deepest)
    ),
    "deep: convert to xml": lambda: (
        penstock.convert(pieces(deep_maps), dropped, format="json", to="xml", limits=deepest)
    ),
    "deep: convert to plist": lambda: (
        penstock.convert(pieces(deep_maps), dropped, format="json", to="plist", limits=deepest)
    ),
    "deep: convert from xml": lambda: (
        penstock.convert(pieces(deep_items), dropped, format="xml", to="json", limits=deepest)
    ),
    "deep: xml.decode": lambda: xml.decode(deep_items, limits=deepest),
    "deep: xml.decode of a class": lambda: xml.decode(deep_items, Row, limits=deepest),
    "deep: xml.read": lambda: count(xml.read(pieces(deep_items), at="//b", limits=deepest)),
    "deep: xml.events": lambda: count(xml.events(pieces(deep_items), limits=deepest)),
    "deep: xml.send": lambda: xml.send(pieces(deep_items), Handler(), limits=deepest),
    "deep: plist.decode": lambda: plist.decode(deep_texts, limits=deepest),
    "deep: plist.decode xml": lambda: plist.decode(deep_list, limits=deepest),
    "deep: plist.decode binary": lambda: plist.decode(BINARY, limits=deepest),
    "deep: plist.open": lambda: plist.open(deep_list, limits=deepest),
    "deep: refused": lambda: refused(json.decode, deep_maps[:-1] + b"x", limits=deepest),
    "deep: refused xml": lambda: refused(xml.decode, deep_items[:-1] + b"x", limits=deepest),
    "deep: json.encode": lambda: refused(json.encode, NESTED),
    "deep: xml.encode": lambda: refused(xml.encode, NESTED),
    "deep: plist.encode": lambda: refused(plist.encode, NESTED),
}
NESTED = nested(DEEP) if sys.argv[1].startswith("deep") else None
def binary():
    lists = b"".join(b"\xa1" + (n + 1).to_bytes(3, "big") for n in range(DEEP))
    data = b"bplist00" + lists + b"\x50"
    table = b"".join((8 + 4 * n).to_bytes(4, "big") for n in range(DEEP + 1))
    sizes = ((DEEP + 1).to_bytes(8, "big"), bytes(8), len(data).to_bytes(8, "big"))
    return data + table + bytes(6) + bytes([4, 3]) + b"".join(sizes)
BINARY = binary() if sys.argv[1].startswith("deep") else b""

if sys.argv[1] == "names":
    print("\n".join(WORK))
    sys.exit()
# The limit counts the stack too. The kernel makes it larger when a call needs more, and ends the
# process with SIGSEGV if less than a page is left then. That is no fault of whoever calls: so the
# stack has its size before the limit is set.
try:
    compile("-" * 3_000 + "1", "", "eval")
except (MemoryError, RecursionError):
    pass
work, megabytes = WORK[sys.argv[1]], int(sys.argv[2])
with open("/proc/self/statm") as statm:
    taken = int(statm.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (taken + (megabytes << 20),) * 2)
try:
    work()
    code = 0
except MemoryError:
    code = 3
except BaseException as error:
    # Little memory is left to say it.
    kept.clear()
    os.write(2, (type(error).__name__ + ": " + str(error)[:200]).encode())
    code = 1
os._exit(code)
"""

OUTCOMES = {0: "result", 3: "MemoryError", 1: "another exception", -6: "abort", -11: "crash"}


def outcome(name: str, megabytes: int, *, backtrace: bool) -> tuple[str, str]:
    """Run one work with so much memory; return how it ended, and the last line that it printed."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, name, str(megabytes)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env=os.environ | {"RUST_BACKTRACE": "1" if backtrace else "0"},
        )
    except subprocess.TimeoutExpired:
        return "hang", ""
    said = OUTCOMES.get(done.returncode, f"status {done.returncode}")
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith("memory allocation")]
    return said, (failed or lines or [""])[-1]


def main() -> int:
    """Print a line for each work, and the sums; fail if anything hung or crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--backtrace", action="store_true", help="with RUST_BACKTRACE=1")
    parser.add_argument("--only", default="", help="only what has this word in its name")
    parser.add_argument("megabytes", nargs="*", type=int, default=MEGABYTES)
    given = parser.parse_args()
    listed = subprocess.run(
        [sys.executable, "-c", PROGRAM, "names"], capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.splitlines() if given.only in name]
    sums: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        for name in names:
            runs = pool.map(
                lambda n, name=name: outcome(name, n, backtrace=given.backtrace), given.megabytes
            )
            found = list(zip(given.megabytes, runs, strict=True))
            sums.update(said for _, (said, _) in found)
            shown = " ".join(f"{n}:{said}" for n, (said, _) in found)
            sys.stdout.write(f"{name:22} {shown}\n")
            for n, (said, line) in found:
                if said not in ("result", "MemoryError"):
                    sys.stdout.write(f"    at {n} MB: {said}: {line}\n")
    sys.stdout.write(f"{dict(sums)}\n")
    return 0 if set(sums) <= {"result", "MemoryError"} else 1


if __name__ == "__main__":
    sys.exit(main())
