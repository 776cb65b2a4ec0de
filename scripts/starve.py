"""Runs each verb and format with too little memory, and counts how it ends.

Each run is a process of its own whose address space may grow by so many megabytes over what the
interpreter and Penstock have taken. It ends in its result, in `MemoryError`, in another exception,
or by a signal: an allocation that Penstock cannot survive aborts. A run that takes longer than a
minute counts as a hang.

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
PROGRAM = """
import io, resource, sys
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

row = b'{"number": %d, "text": "some text \\\\u00e9 %d"}'
rows = b",".join(row % (n, n) for n in range(200_000))
array = b'{"rows": [' + rows + b"]}"
lines = rows.replace(b"},{", b"}\\n{")
items = b"<row><number>7</number><text>some text &amp; more</text></row>" * 200_000
markup = b"<rows>" + items + b"</rows>"
long = b'["' + b"a\\\\n" * 5_000_000 + b'"]'
prose = b"<a>" + b"a&lt;" * 4_000_000 + b"</a>"
numbers = b"[" + b"1," * 5_000_000 + b"1]"

def pieces(data):
    return (data[at:at + 65536] for at in range(0, len(data), 65536))

def fed(decoder, data):
    for piece in pieces(data):
        yield from decoder.feed(piece)
    yield from decoder.finish()

def count(rows):
    return sum(1 for _ in rows)

json, ndjson, xml = penstock.json, penstock.ndjson, penstock.xml
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
}

if sys.argv[1] == "names":
    print("\\n".join(WORK))
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
except MemoryError:
    sys.exit(3)
sys.exit(0)
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
    return 0 if set(sums) <= {"result", "MemoryError", "abort"} else 1


if __name__ == "__main__":
    sys.exit(main())
