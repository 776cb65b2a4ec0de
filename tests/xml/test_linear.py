"""Time grows linearly with the input when a token comes byte by byte, for each kind of token."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from linear import assert_linear

import penstock

N = 40_000
BYTES = [bytes([byte]) for byte in range(256)]

Make = Callable[[], penstock.Decoder[Any]]


@dataclass
class Row:
    name: str = ""


def xml(into: Any = Any, **options: Any) -> Make:
    limits = penstock.Limits(depth=1 << 24, name=1 << 24, attributes=1 << 24, entities=1 << 24)
    return lambda: penstock.xml.Decoder(into, limits=limits, **options)


def row(content: bytes) -> bytes:
    """Return a document with one record, a `Row`."""
    return b"<r><row>" + content + b"</row></r>"


TOKENS: dict[str, tuple[Make, Callable[[int], bytes]]] = {
    "wanted text": (xml(Row), lambda n: row(b"<name>" + b"x" * n + b"</name>")),
    "wanted text, not ASCII": (xml(Row), lambda n: row("<name>{}</name>".format("é" * (n // 2)).encode())),
    "wanted text with references": (xml(Row), lambda n: row(b"<name>" + b"&amp;&#65;\r\n" * (n // 12) + b"</name>")),
    "wanted text of brackets": (xml(Row), lambda n: row(b"<name>" + b"]" * n + b"</name>")),
    "wanted CDATA": (xml(Row), lambda n: row(b"<name><![CDATA[" + b"]x" * (n // 2) + b"]]></name>")),
    "wanted attribute": (xml(Row), lambda n: b"<r><row name='" + b"x" * n + b"'/></r>"),
    "wanted attribute with references": (xml(Row), lambda n: b"<r><row name='" + b"&lt;" * (n // 4) + b"'/></r>"),
    "wanted text without a class": (xml(), lambda n: b"<r><a>" + b"x" * n + b"</a></r>"),
    "skipped text": (xml(Row), lambda n: row(b"<no>" + b"x" * n + b"</no>")),
    "skipped CDATA": (xml(Row), lambda n: row(b"<no><![CDATA[" + b"]" * n + b"]]></no>")),
    "skipped attribute": (xml(Row), lambda n: row(b"<no a='" + b"x" * n + b"'/>")),
    "comment": (xml(Row), lambda n: row(b"<!--" + b"- " * (n // 2) + b"-->")),
    "instruction": (xml(Row), lambda n: row(b"<?p " + b"?" * n + b"?>")),
    "many comments": (xml(Row), lambda n: row(b"<!---->" * (n // 7))),
    "name": (xml(Row), lambda n: row(b"<" + b"x" * n + b"/>")),
    "name in the end tag": (xml(Row), lambda n: row(b"<" + b"x" * n + b"></" + b"x" * n + b">")),
    "name of an attribute": (xml(Row), lambda n: row(b"<no " + b"x" * n + b"=''/>")),
    "prefix": (xml(Row), lambda n: row(b"<" + b"x" * n + b":a xmlns:" + b"x" * n + b"='u'/>")),
    "many attributes": (xml(Row), lambda n: row(b"<no " + b" ".join(b"a%d=''" % k for k in range(n // 9)) + b"/>")),
    "many declarations": (xml(Row), lambda n: row(b"<no " + b" ".join(b"xmlns:a%d='u'" % k for k in range(n // 15)) + b"/>")),
    "white space in a tag": (xml(Row), lambda n: row(b"<no" + b" " * n + b"/>")),
    "white space in an end tag": (xml(Row), lambda n: row(b"<no></no" + b" " * n + b">")),
    "white space at the start": (xml(Row), lambda n: b" \n" * (n // 2) + b"<r/>"),
    "white space at the end": (xml(Row), lambda n: b"<r/>" + b" \n" * (n // 2)),
    "nested elements": (xml(), lambda n: b"<a>" * (n // 7) + b"</a>" * (n // 7)),
    "nested where it is skipped": (xml(Row), lambda n: row(b"<a>" * (n // 7) + b"</a>" * (n // 7))),
    "nested where a path looks": (xml(Row, at="//row"), lambda n: b"<a>" * (n // 7) + b"</a>" * (n // 7)),
    "nested declarations": (xml(Row), lambda n: row(b"<a xmlns='u'>" * (n // 17) + b"</a>" * (n // 17))),
    "many records": (xml(Row), lambda n: b"<r>" + b"<row/>" * (n // 6) + b"</r>"),
    "many children": (xml(Row), lambda n: row(b"<a/>" * (n // 4))),
    "white space in the document type": (xml(Row), lambda n: b"<!DOCTYPE r [" + b" " * n + b"]><r/>"),
    "comment in the document type": (xml(Row), lambda n: b"<!DOCTYPE r [<!--" + b"x" * n + b"-->]><r/>"),
    "value of an entity": (xml(Row), lambda n: b"<!DOCTYPE r [<!ENTITY e '" + b"x" * n + b"'>]><r>&e;</r>"),
    "many entities": (xml(Row), lambda n: b"<!DOCTYPE r [" + b"".join(b"<!ENTITY e%d ''>" % k for k in range(n // 18)) + b"]><r/>"),
    "many defaults": (xml(Row), lambda n: b"<!DOCTYPE r [" + b"".join(b"<!ATTLIST r a%d CDATA ''>" % k for k in range(n // 28)) + b"]><r/>"),
    "content model": (xml(Row), lambda n: b"<!DOCTYPE r [<!ELEMENT r (" + b"a|" * (n // 2) + b"a)>]><r/>"),
    "junk behind the root": (xml(Row, repair="trailing_junk"), lambda n: b"<r/>" + b"x" * n),
    "broken subset": (xml(Row, repair="broken_subset"), lambda n: b"<!DOCTYPE r [<!ELEMENT x " + b"]" * n + b"]><r/>"),
}  # fmt: skip


def feed(make: Make, pieces: list[bytes]) -> None:
    decoder = make()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize("token", TOKENS)
def test_linear(token: str) -> None:
    make, document = TOKENS[token]
    assert_linear(lambda n: partial(feed, make, [BYTES[byte] for byte in document(n)]), N)
