"""Constant memory: the peak of a fresh process, for any handler."""

from __future__ import annotations

import sys

import pytest
from fresh import kilobytes

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the high-water mark"),
    pytest.mark.thread_unsafe(reason="what is measured is a process of its own"),
]

MEGABYTE = 1 << 20
COMMON = r"""
import sys
import penstock, penstock.xml
from penstock import LimitExceeded, on

def rows(size):
    yield b"<rows>\n"
    sent = number = 0
    while sent < size:
        lines = []
        for _ in range(500):
            number += 1
            lines.append(b'  <row id="%d"><name>caf\xc3\xa9 %d</name><size unit="m">%d</size></row>\n' % (number, number, number))
        chunk = b"".join(lines)
        sent += len(chunk)
        yield chunk
    yield b"</rows>\n"

def members(size):
    yield b'{"rows": ['
    sent = number = 0
    while sent < size:
        lines = []
        for _ in range(500):
            number += 1
            lines.append(b'{"id": %d, "name": "caf\xc3\xa9 %d", "size": {"unit": "m", "value": %d}}, ' % (number, number, number))
        chunk = b"".join(lines)
        sent += len(chunk)
        yield chunk
    yield b'{}], "last": 1}'

class Leaf:
    seen = 0
    def name(self, element):
        self.seen += len(element.text) > 0

class Row:
    seen = 0
    def name(self, element):
        return element.text
    def row(self, element):
        self.seen += element.children["name"] == "caf\xe9 " + element.attributes["id"]

class Around:
    seen = 0
    def row(self, element):
        self.seen += 1
    @on("")
    def document(self, element):
        return len(element.children)
    def rows(self, element):
        assert element.text == "" and len(element.children) == 0
        return 1

class Everything:
    seen = 0
    @on("*")
    def any(self, element):
        self.seen += element.name in ("row", "rows")

class Text:
    seen = 0
    @on("rows/row/size/text()")
    def size(self, text):
        self.seen += int(text) > 0

class Lost:
    sizes = 0
    def size(self, element):
        self.sizes += 1
        self.last = int(element.text)
    def rows(self, element):
        assert self.sizes == self.last
        try:
            element.text
        except LimitExceeded:
            self.seen = len(element.attributes) + 1

class Scalars:
    seen = 0
    @on("")
    def root(self, element):
        self.seen = element.attributes["last"]
"""


@pytest.fixture(scope="module")
def bare() -> int:
    return kilobytes(COMMON)


@pytest.mark.parametrize(
    ("format", "source", "handler"),
    [
        ("xml", "rows", "Leaf"),
        ("xml", "rows", "Row"),
        ("xml", "rows", "Around"),
        ("xml", "rows", "Everything"),
        ("xml", "rows", "Text"),
        ("xml", "rows", "Lost"),
        ("json", "members", "Scalars"),
    ],
)
def test_sending_takes_constant_memory(format: str, source: str, handler: str, bare: int) -> None:
    marks: list[int] = []
    for megabytes in (60, 90):
        script = (
            f"handler = {handler}()\n"
            f"penstock.{format}.send({source}({megabytes * MEGABYTE}), handler)\n"
            f"assert handler.seen >= 1, handler.seen"
        )
        marks.append(kilobytes(COMMON + script))
    small, large = marks
    assert large - bare <= 32 * 1024
    assert abs(large - small) <= 2 * 1024


@pytest.mark.parametrize(
    ("before", "filler", "after"),
    [
        ("b'<r><x>'", "b'0123456789abcdef' * 4096", "b'</x><a/></r>'"),
        ("b'<r>'", "b'  \\n ' * 16384", "b'<a/></r>'"),
        ("b'<r><a/><!--'", "b'0123456789abcdef' * 4096", "b'--></r>'"),
        ("b'<r>'", "b'<y z=\"1\">text</y>' * 4096", "b'<a/></r>'"),
        ("b'<r><s/>'", "b'  \\n ' * 16384", "b'<a/></r>'"),
    ],
    ids=["text", "white space", "comment", "elements", "white space within"],
)
def test_one_huge_part_that_nobody_wants(before: str, filler: str, after: str, bare: int) -> None:
    script = f"""
def chunks():
    yield {before}
    filler = {filler}
    for _ in range((100 << 20) // len(filler)):
        yield filler
    yield {after}

class A:
    seen = 0
    def a(self, element):
        self.seen += 1
    @on("s/r")
    def s(self, element):
        pass

handler = A()
penstock.xml.send(chunks(), handler)
assert handler.seen == 1
"""
    assert kilobytes(COMMON + script) - bare <= 32 * 1024


def test_text_that_was_too_long_is_missed_by_who_asks_only() -> None:
    script = r"""
import io
class R:
    def r(self, element):
        try:
            return element.text
        except LimitExceeded as error:
            return str(error)
    @on("t/text()")
    def t(self, text):
        raise AssertionError

def sent(data, **options):
    return penstock.xml.send(io.BytesIO(data), R(), **options)

long = b"x" * (8 << 20)
assert sent(b"<r><i>%b</i></r>" % long) == long.decode()
assert sent(b"<r><i>%b</i>x</r>" % long) == (
    "the text of 'r' is longer than 8388608 bytes "
    "(its own and that of the elements in it that have no method)")

# White space between elements is kept as far as that, however the document comes.
space = b" " * 70_000
for size in (1 << 20, 70_010, 65_536, 65_535, 1000, 7):
    document = b"<r>%b<i/>%b<i/>x%b</r>" % (space, space, space)
    chunks = [document[at : at + size] for at in range(0, len(document), size)]
    assert penstock.xml.send(chunks, R()) == " " * 70_000 + "x" + " " * 70_000
    document = b"<r><i/> %b<i/> %b x</r>" % (space[:60_000], space)
    chunks = [document[at : at + size] for at in range(0, len(document), size)]
    assert penstock.xml.send(chunks, R()) == " " * 65_536 + "x"
assert sent(b"<r>%b%b</r>" % (long, long)) == (long + long).decode()
limits = penstock.Limits(token=100)
assert sent(b"<r>%b</r>" % long[:100], limits=limits) == "x" * 100
assert sent(b"<r>%b</r>" % long[:101], limits=limits) == (
    "the text of 'r' is longer than 100 bytes (limits.token)")
try:
    sent(b"<t>%b</t>" % long[:101], limits=limits)
except LimitExceeded as error:
    assert error.__notes__ == ["line 1, column 105: raised here"]
else:
    raise AssertionError

class S:
    def r(self, element):
        try:
            return len(element.attributes)
        except LimitExceeded as error:
            return str(error)
    @on("")
    def root(self, element):
        return element.children[0]

many = b'{"r": {"x": [%b], "y": [[]], "z": 1}}'
assert penstock.json.send(io.BytesIO(many % (b"1," * 1000 + b"1")), S()) == 1002
assert penstock.json.send(io.BytesIO(many % (b"1," * 1000000 + b"1")), S()) == (
    "'r' holds more scalars than 8388608 bytes: they are not kept")
"""
    kilobytes(COMMON + script)
