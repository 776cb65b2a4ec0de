"""What is known of CPython's inside holds here, and the public way beside it gives the same.

Each fact has a name: `PENSTOCK_WITHOUT=ints,text` makes the extension go without two of them.
"""

import os
import subprocess
import sys

import pytest

from penstock import _rust

FACTS = (
    "text",
    "ints",
    "items",
    "tuples",
    "values",
    "entries",
    "slots",
    "references",
    "versions",
    "calls",
    "lookup",
    "room",
)

# It does with every sort of object what a fact is used for, and checks the values.
PROGRAM = """
import sys
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict

import attrs
import msgspec

import penstock
from penstock import _rust

INTS = [0, 1, -1, 255, 2**30 - 1, 2**30, -(2**30), 2**45, 2**60 - 1, -(2**60), 2**63 - 1, -(2**63), 2**64, 10**40]
TEXTS = ["", "a", "penstock", "caf\\u00e9", "\\u65e5\\u672c", "a\\U00010348b", "x" * 300, "\\u00e9" * 200, "\\u65e5" * 200]

@dataclass(slots=True)
class Slots:
    number: int
    text: str
    more: list[int] = field(default_factory=list)

@dataclass
class Plain:
    number: int
    text: str
    more: list[int] = field(default_factory=list)

@dataclass(frozen=True, slots=True)
class Frozen:
    number: int
    text: str

class Named(NamedTuple):
    number: int
    text: str

class Typed(TypedDict):
    number: int
    text: str
    third: int
    fourth: str
    fifth: bool

@attrs.define
class Defined:
    number: int
    text: str

class Struct(msgspec.Struct):
    number: int
    text: str

class Bare:
    number: int
    text: str

for kind in (Slots, Plain, Frozen, Named, Defined, Struct, Bare):
    for number in INTS:
        for text in TEXTS:
            data = penstock.json.encode({"number": number, "text": text})
            made = penstock.json.decode(data, kind)
            assert type(made) is kind, kind
            assert (made.number, made.text) == (number, text), (kind, number, text)
            # Twice: the second object of a class is written by what the first has shown.
            assert penstock.json.encode(made) == penstock.json.encode(made), kind
            again = penstock.json.decode(penstock.json.encode(made), kind)
            assert (again.number, again.text) == (number, text), kind

one, other = (penstock.json.decode(b'{"number": 7, "text": "x"}', Named) for _ in range(2))
row = penstock.json.decode(b'[7, "x"]', Named)
assert one == other == row == Named(7, "x")
assert hash(one) == hash(row) == hash((7, "x")) != 0
assert row in {one} and {row: 1}[Named(7, "x")] == 1
assert penstock.json.decode(b'[[7, "x"], [7, "x"]]', set[Named]) == {Named(7, "x")}

rows = [{"number": n, "text": str(n), "third": -n, "fourth": "e" * n, "fifth": n % 2 == 0} for n in range(60)]
data = penstock.json.encode(rows)
assert penstock.json.decode(data) == rows
assert penstock.json.decode(data, list[Typed]) == rows
assert [list(row) for row in penstock.json.decode(data, list[Typed])] == [list(row) for row in rows]
assert penstock.json.decode(penstock.json.encode([tuple(row.values()) for row in rows])) == [list(row.values()) for row in rows]

lines = b"".join(penstock.json.encode(row) + b"\\n" for row in rows)
kept = list(penstock.ndjson.read([lines], Slots))
assert [row.number for row in kept] == list(range(60))
assert len({id(row) for row in kept}) == 60
seen = [(row.number, row.text) for row in penstock.ndjson.read([lines], Slots)]
assert seen == [(n, str(n)) for n in range(60)]
table = penstock.csv.encode([Named(1, "a"), Named(2, "caf\\u00e9")])
assert list(penstock.csv.read([table], Named)) == [Named(1, "a"), Named(2, "caf\\u00e9")], table

# The values of an object that has a dict of its own, and of one with another attribute.
plain = Plain(1, "a")
vars(plain)
assert penstock.json.encode([Plain(0, "z"), plain]) == b'[{"number":0,"text":"z","more":[]},{"number":1,"text":"a","more":[]}]'
plain.__dict__ = {"text": "b", "number": 2, "more": [3]}
assert penstock.json.encode([Plain(0, "z"), plain]) == b'[{"number":0,"text":"z","more":[]},{"number":2,"text":"b","more":[3]}]'
plain.extra = 1
del plain.number
plain.number = 5
assert penstock.json.encode(plain) == b'{"number":5,"text":"b","more":[3]}'

# A class that changes after it was planned.
def post(self):
    self.text += "!"
assert penstock.json.decode(b'{"number": 1, "text": "a"}', Plain) == Plain(1, "a")
Plain.text_of = property(lambda self: self.text)
Plain.__init__ = lambda self, number, text, more=(): (setattr(self, "number", number + 1), setattr(self, "text", text), setattr(self, "more", []))[0]
assert penstock.json.decode(b'{"number": 1, "text": "a"}', Plain).number == 2

# The usual calls.
assert penstock.decode(b'{"a": 1}') == penstock.json.decode('{"a": 1}') == {"a": 1}
assert penstock.json.decode(b"[1, 2]", list[int]) == [1, 2]
try:
    penstock.json.decode(b'"x"', int)
except penstock.ValidationError:
    pass
else:
    raise AssertionError
print(*(name for name, holds in _rust.facts().items() if not holds))
"""


def run(without: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore:this build", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PENSTOCK_WITHOUT": without},
    )


def test_each_holds_for_this_interpreter():
    assert _rust.facts() == dict.fromkeys(FACTS, True)


@pytest.mark.parametrize("without", ["", *FACTS, ",".join(FACTS)])
def test_the_public_way_gives_the_same(without: str):
    done = run(without)
    assert (done.stdout.split(), done.stderr) == ([name for name in without.split(",") if name], "")


def test_a_name_that_is_none_is_an_error():
    done = run("digits")
    assert done.returncode == 1
    assert (
        "ValueError: PENSTOCK_WITHOUT names 'digits', which is none of text, ints, items, tuples, values, entries, slots, references, versions, calls, lookup, room"
        in done.stderr
    )
