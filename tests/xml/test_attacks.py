"""Documents that are made to harm their reader: the result of each, and its cost.

Each is read in a process of its own, whose peak memory no other test can raise. If the size of a
document matters, it is read in three sizes and the time is printed (`pytest -rP`); anything slower
than linear exceeds the timeout.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from fresh import printed

import penstock

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the high-water mark")

# Reads a document and prints the result, the time, and the peak memory of the process.
BEGIN = """
import json, sys, time
import penstock
from dataclasses import dataclass
from penstock import Limits, xml

@dataclass
class Nothing:
    pass

def document(before, filler, count, after=b""):
    yield before
    for _ in range(count):
        yield filler
    yield after

def numbered(before, template, count, after):
    yield before
    for start in range(0, count, 500):
        yield b"".join(template.replace(b"#", b"%d" % n) for n in range(start, start + 500))
    yield after

def laughs(levels, sign="", reference="&", atom=" "):
    yield f"<!DOCTYPE a [<!ENTITY {sign} e0 '{atom}'>".encode()
    for level in range(1, levels):
        yield f"<!ENTITY {sign} e{level} '{f'{reference}e{level - 1};' * 10}'>".encode()

def fed(chunks, size, into=Nothing):
    decoder = penstock.Decoder(into, format="xml", at="a")
    whole = b"".join(chunks)
    found = []
    for start in range(0, len(whole), size):
        found += decoder.feed(whole[start:start + size])
    return found + decoder.finish()

def count(events):
    return sum(1 for event in events)

def outcome():
"""
END = """
begin = time.perf_counter()
try:
    found = repr(outcome())
except penstock.DecodeError as error:
    found = f"{type(error).__name__}: {error.args[0] if error.args else error}"
took = time.perf_counter() - begin
with open("/proc/self/status") as status:
    mark = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps([found, took, mark]))
"""


@dataclass(frozen=True)
class Cost:
    outcome: str
    seconds: float
    kilobytes: int


def cost(expression: str) -> Cost:
    """Evaluate in a new process. The whole message is kept except for its position."""
    script = BEGIN + textwrap.indent(f"return {expression}", "    ") + END
    found, seconds, kilobytes = json.loads(printed(script))
    print(f"{seconds * 1000:10.2f} ms {kilobytes:8} KB  {expression[:120]}")  # noqa: T201 - for `-rP`
    return Cost(found, seconds, kilobytes)


@pytest.fixture(scope="module")
def bare() -> int:
    return cost("None").kilobytes


AMPLIFIED = "entities expand to more than 10 bytes for each byte of input (limits.amplification)"
DEEP = "nested deeper than 1000 levels (limits.depth)"
ATTRIBUTES = "more than 1000 attributes of one element (limits.attributes)"

# An expression, three sizes for its `{n}`, and the result, or a part of the message.
GROWING: dict[str, tuple[str, tuple[int, int, int], str]] = {
    # Entities that refer to entities, wherever a reference may stand.
    "exponential": (
        "xml.load([*laughs({n}), b']><a>&e9;</a>'])",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "exponential, of nothing": (
        "xml.load([*laughs({n}, atom=''), b']><a>&e9;</a>'])",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "exponential, of parameters": (
        "xml.load([*laughs({n}, '%', '&#37;'), b'%e9;]><a/>'])",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "exponential, in an attribute": (
        "xml.load([*laughs({n}), b']><a b=\"&e9;\"/>'])",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "exponential, in a default": (
        "xml.load([*laughs({n}), b'<!ATTLIST a b CDATA \"&e9;\">]><a/>'])",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "exponential, skipped": (
        "xml.load([*laughs({n}), b']><a><b>&e9;</b></a>'], Nothing)",
        (10, 20, 40),
        AMPLIFIED,
    ),
    "quadratic": (
        "xml.load(document(b'<!DOCTYPE a [<!ENTITY e \"' + b'x' * 100_000 + b'\">]><a>', b'&e;', {n}, b'</a>'), Nothing)",
        (25_000, 50_000, 100_000),
        AMPLIFIED,
    ),
    "quadratic, in an attribute": (
        "xml.load(document(b'<!DOCTYPE a [<!ENTITY e \"' + b'x' * 100_000 + b'\">]><a b=\"', b'&e;', {n}, b'\"/>'), Nothing)",
        (25_000, 50_000, 100_000),
        AMPLIFIED,
    ),
    "quadratic, by a default": (
        "xml.load(document(b'<!DOCTYPE a [<!ATTLIST b c CDATA \"' + b'x' * 100_000 + b'\">]><a>', b'<b/>', {n}, b'</a>'), Nothing)",
        (25_000, 50_000, 100_000),
        AMPLIFIED,
    ),
    "many entities": (
        "xml.load(numbered(b'<!DOCTYPE a [', b'<!ENTITY e# \"\">', {n}, b']><a/>'), Nothing)",
        (25_000, 50_000, 100_000),
        "more than 10000 entities (limits.entities)",
    ),
    # Depth.
    "deep": ("xml.load([b'<a>' * {n}])", (250_000, 500_000, 1_000_000), DEEP),
    "deep, skipped": ("xml.load([b'<a>' * {n}], Nothing)", (250_000, 500_000, 1_000_000), DEEP),
    "deep, allowed": (
        "xml.load(document(b'<a>', b'<b>' * 1000, {n} // 1000, b'</b>' * {n} + b'</a>'), Nothing, limits=Limits(depth=10**7))",
        (250_000, 500_000, 1_000_000),
        "Nothing()",
    ),
    # Attributes and namespaces.
    "attributes": (
        "xml.load(numbered(b'<a', b' x#=\"\"', {n}, b'/>'))",
        (25_000, 50_000, 100_000),
        ATTRIBUTES,
    ),
    "attributes, allowed": (
        "xml.load(numbered(b'<a', b' x#=\"\"', {n}, b' x7=\"\"/>'), limits=Limits(attributes=10**6))",
        (25_000, 50_000, 100_000),
        "the attribute 'x7' occurs more than once",
    ),
    "attributes, by two prefixes": (
        'xml.load(numbered(b\'<a xmlns:p="u" xmlns:q="u"\', b\' p:x#=""\', {n}, b\' q:x7=""/>\'), Nothing, limits=Limits(attributes=10**6))',
        (25_000, 50_000, 100_000),
        "the attribute 'q:x7' occurs more than once",
    ),
    "namespaces": (
        "xml.load(numbered(b'<a', b' xmlns:p#=\"u\"', {n}, b'/>'), Nothing)",
        (25_000, 50_000, 100_000),
        ATTRIBUTES,
    ),
    "namespaces, allowed": (
        "xml.load(numbered(b'<a', b' xmlns:p#=\"u\"', {n}, b'>' + b'<p7:b/>' * {n} + b'</a>'), Nothing, limits=Limits(attributes=10**6))",
        (12_500, 25_000, 50_000),
        "Nothing()",
    ),
    "a prefix bound again and again": (
        "xml.load(document(b'<a xmlns:q=\"u\">', (b'<p:b xmlns:p=\"u\">' * 900 + b'<q:b/>' * 900 + b'</p:b>' * 900), {n}, b'</a>'), Nothing)",
        (25, 50, 100),
        "Nothing()",
    ),
    "declared attributes": (
        "xml.load(document(b'<!DOCTYPE a [<!ATTLIST b ' + b''.join(b'x%d ID #IMPLIED ' % n for n in range(1000)) + b'>]><a>', b'<b' + b''.join(b' x%d=\" \"' % n for n in range(1000)) + b'/>', {n}, b'<b/>' * 1000 * {n} + b'</a>'), Nothing)",
        (25, 50, 100),
        "Nothing()",
    ),
    # One token, as long as the input.
    "long text": (
        "xml.load(document(b'<a><b>', b'x' * 65536, {n}, b'</b></a>'), Nothing)",
        (500, 1_000, 2_000),
        "Nothing()",
    ),
    "long comment": (
        "xml.load(document(b'<a><!--', b'x ' * 32768, {n}, b'--></a>'), Nothing)",
        (500, 1_000, 2_000),
        "Nothing()",
    ),
    "long CDATA section": (
        "xml.load(document(b'<a><b><![CDATA[', b'x]]x' * 16384, {n}, b']]></b></a>'), Nothing)",
        (500, 1_000, 2_000),
        "Nothing()",
    ),
    "long instruction": (
        "xml.load(document(b'<?p ', b'x?' * 32768, {n}, b'?><a/>'), Nothing)",
        (500, 1_000, 2_000),
        "Nothing()",
    ),
    "long white space": (
        "xml.load(document(b'', b' ' * 65536, {n}, b'<a/>'), Nothing)",
        (500, 1_000, 2_000),
        "Nothing()",
    ),
    "long wanted text": (
        "xml.load(document(b'<a>', b'x' * 65536, {n}, b'</a>'), str, limits=Limits(token=2**20))",
        (50, 100, 200),
        "(limits.token)",
    ),
    "long attribute": (
        "xml.load(document(b'<a b=\"', b'x' * 65536, {n}, b'\"/>'), Nothing)",
        (500, 1_000, 2_000),
        "a tag or declaration longer than 10485760 bytes (limits.tag)",
    ),
    "long name": (
        "xml.load(document(b'<', b'x' * 65536, {n}, b'/>'), Nothing)",
        (500, 1_000, 2_000),
        "a name longer than 65536 bytes (limits.name)",
    ),
    "long reference": (
        "xml.load(document(b'<a>&', b'x' * 65536, {n}, b';</a>'), Nothing)",
        (500, 1_000, 2_000),
        "a name longer than 65536 bytes (limits.name)",
    ),
    "long number": (
        "xml.load(document(b'<a>&#', b'0' * 65536, {n}, b'65;</a>'), Nothing)",
        (500, 1_000, 2_000),
        "(limits.name)",
    ),
    "long literal": (
        "xml.load(document(b'<!DOCTYPE a [<!ENTITY e \"', b'x' * 65536, {n}, b'\">]><a/>'), Nothing)",
        (500, 1_000, 2_000),
        "a tag or declaration longer than 10485760 bytes (limits.tag)",
    ),
    "long identifier": (
        "xml.load(document(b'<!DOCTYPE a SYSTEM \"', b'x' * 65536, {n}, b'\"><a/>'), Nothing)",
        (500, 1_000, 2_000),
        "a tag or declaration longer than 10485760 bytes (limits.tag)",
    ),
    # A great many small parts.
    "empty elements": (
        "xml.load(document(b'<a>', b'<b/>' * 10_000, {n}, b'</a>'), Nothing)",
        (50, 100, 200),
        "Nothing()",
    ),
    "events": (
        "count(xml.events(document(b'<a>', b'<b/>' * 1_000, {n}, b'</a>'))) // {n}",
        (50, 100, 200),
        "2000",
    ),
    "different names": (
        "count(xml.events(numbered(b'<a>', b'<b#><c# d#=\"\"/></b#>', {n}, b'</a>'))) // {n}",
        (50_000, 100_000, 200_000),
        "5",
    ),
    "different names, as records": (
        "sum(len(row) for row in xml.read(numbered(b'<a>', b'<b><c#/></b>', {n}, b'</a>'), at='a/b')) // {n}",
        (50_000, 100_000, 200_000),
        "1",
    ),
    "different namespaces": (
        "count(xml.events(numbered(b'<a>', b'<b xmlns=\"u#\"><p:c xmlns:p=\"v#\"/></b>', {n}, b'</a>'))) // {n}",
        (50_000, 100_000, 200_000),
        "4",
    ),
    "characters by number": (
        "xml.load(document(b'<a>', b'&#x10FFFF;&lt;' * 1_000, {n}, b'</a>'), Nothing)",
        (50, 100, 200),
        "Nothing()",
    ),
}


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
@linux
@pytest.mark.parametrize("name", GROWING)
def test_cost(name: str, bare: int) -> None:
    expression, sizes, expected = GROWING[name]
    marks = []
    for size in sizes:
        found = cost(expression.replace("{n}", str(size)))
        assert expected in found.outcome
        marks.append(found.kilobytes)
    # Memory for the child's own source does not count for the reader.
    own = {"deep": 3_000, "deep, skipped": 3_000, "deep, allowed": 12_000}.get(name, 0)
    assert max(marks) - bare < 32 * 1024 + own
    if "long" in name or "different" in name or "events" in name:
        assert abs(marks[2] - marks[0]) < 4 * 1024


# The text before a token and after it. It is fed byte by byte, so that rescanning shows.
FED = {
    "text": ("<a>", "x", "</a>"),
    "wanted text": ("<a>", "x", "</a>"),
    "comment": ("<a><!--", "x", "--></a>"),
    "CDATA section": ("<a><![CDATA[", "]", "]]></a>"),
    "instruction": ("<a><?p ", "?", "?></a>"),
    "attribute": ("<a b='", ">", "'/>"),
    "space in a tag": ("<a", " ", "/>"),
    "space in an end tag": ("<a></a", " ", ">"),
    "literal": ("<!DOCTYPE a [<!ENTITY e '", ">", "'>]><a/>"),
    "identifier": ("<!DOCTYPE a SYSTEM '", "[", "'><a/>"),
    "name": ("<a>", "x", "</a>"),
}


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
@linux
@pytest.mark.parametrize("name", FED)
def test_cost_by_the_byte(name: str, bare: int) -> None:
    before, filler, after = FED[name]
    into = "str" if name == "wanted text" else "Nothing"
    for size in (100_000, 200_000, 400_000):
        if name == "name":
            chunks = f"[b'<a><' + b'x' * {size // 8} + b'/></a>']"
        else:
            chunks = f"[{before!r}.encode(), {filler!r}.encode() * {size}, {after!r}.encode()]"
        found = cost(f"len(repr(fed({chunks}, 1, {into})))")
        assert found.outcome == str(size + 4 if into == "str" else len("[Nothing()]"))
        assert found.kilobytes - bare < 32 * 1024


def refusal(document: str | bytes, **options: Any) -> str:
    """The message for a document, which is the same whole and in pieces."""
    data = document.encode() if isinstance(document, str) else document
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.xml.decode(data, **options)
    whole = str(caught.value)
    for size in (1, 7, 4096):
        with pytest.raises(penstock.DecodeError) as caught:
            penstock.xml.load([data[at : at + size] for at in range(0, len(data), size)], **options)
        assert str(caught.value) == whole
    return f"{type(caught.value).__name__}: {caught.value.reason}"


def test_recursion() -> None:
    reason = "MalformedInput: the entity 'e' refers to itself"
    for entities in ("'&e;'", "'&f;'><!ENTITY f '&e;'", "'&f;'><!ENTITY f 'x&g;'><!ENTITY g '&e;'"):
        head = f"<!DOCTYPE a [<!ENTITY e {entities}>"
        assert refusal(f"{head}]><a>&e;</a>") == reason
        assert refusal(f"{head}]><a b='&e;'/>") == reason
        assert refusal(f"{head}<!ATTLIST a b CDATA '&e;'>]><a/>") == reason
    assert refusal("<!DOCTYPE a [<!ENTITY % e '&#37;e;'>%e;]><a/>") == reason


@pytest.mark.thread_unsafe(reason="what is watched is the whole process")
@pytest.mark.parametrize(
    "place",
    [
        "{file}",
        "file://{file}",
        "http://127.0.0.1:9/x",
        "https://127.0.0.1:9/x",
        "ftp://127.0.0.1:9/x",
        r"\\127.0.0.1\share\x",
        "//127.0.0.1/share/x",
        "jar:file://{file}!/x",
        "expect://id",
        "php://filter/convert.base64-encode/resource={file}",
        "data:text/plain,secret",
        "/dev/zero",
    ],
)
def test_nothing_else_is_opened(place: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("<!ENTITY x 'secret'>")
    place = place.format(file=secret)
    opened = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and (
            event == "open" or event.startswith(("socket.", "urllib.", "subprocess."))
        ):
            opened.append((event, arguments))

    watching = False
    sys.addaudithook(watch)
    subsets = [
        f"<!DOCTYPE a SYSTEM '{place}'>",
        f"<!DOCTYPE a PUBLIC 'p' '{place}' [<!ENTITY y ''>]>",
        f"<!DOCTYPE a [<!ENTITY x SYSTEM '{place}'>]>",
        f"<!DOCTYPE a [<!ENTITY x PUBLIC 'p' '{place}'>]>",
        f"<!DOCTYPE a [<!ENTITY % p SYSTEM '{place}'>%p;]>",
        f"<!DOCTYPE a [<!ENTITY % p SYSTEM '{place}'><!ENTITY % q '&#37;p;'>%q;]>",
        f"<!DOCTYPE a [<!NOTATION n SYSTEM '{place}'><!ENTITY x SYSTEM '{place}' NDATA n>]>",
    ]
    schema = (
        f"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
        f"xsi:schemaLocation='u {place}' xsi:noNamespaceSchemaLocation='{place}' xml:base='{place}'"
    )
    include = f"<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='{place}'/>"
    sheet = f"<?xml-stylesheet href='{place}'?>"
    watching = True
    try:
        for subset in subsets:
            # An unused declaration is no error; a reference to it is, and the message says why.
            document = f"{subset}{sheet}<a {schema}>{include}</a>"
            assert penstock.xml.decode(document, NoFields) == NoFields()
            found = refusal(f"{subset}<a>&x;</a>")
            assert found in {
                "MalformedInput: the entity 'x' is in another file, and no other file is opened",
                "MalformedInput: the entity 'x' is declared elsewhere, and no other file is opened",
                "MalformedInput: the entity 'x' is not text",
            }
            if "not text" not in found:
                text = penstock.xml.decode(f"{subset}<a>&x;</a>", str, unresolved="text")
                assert text == "&x;"
    finally:
        watching = False
    assert opened == []


@dataclass
class NoFields:
    pass


def test_deep_values() -> None:
    depth = 100_000
    document = "<a>" * depth + "</a>" * depth
    value: Any = penstock.xml.decode(document, limits=penstock.Limits(depth=depth))
    found = 0
    while value is not None:
        (value,) = value.values()
        found += 1
    assert found == depth


BAD_BYTES = [
    b"\x80",
    b"\xbf",
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xc3",
    b"\xc3(",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xff",
]


@pytest.mark.parametrize("bad", BAD_BYTES)
def test_bytes_that_are_no_text(bad: bytes) -> None:
    for before, after in [
        (b"<a>", b"</a>"),
        (b"<a b='", b"'/>"),
        (b"<a><!--", b"--></a>"),
        (b"<a><![CDATA[", b"]]></a>"),
        (b"<a><?p ", b"?></a>"),
        (b"<!DOCTYPE a [<!ENTITY e '", b"'>]><a/>"),
        (b"<a", b"/>"),
    ]:
        assert refusal(before + bad + after).startswith("MalformedInput: ")


def test_encodings_that_lie() -> None:
    text = "<?xml version='1.0' encoding='{}'?><a>caf\u00e9</a>"
    assert penstock.xml.decode(text.format("utf-16").encode("utf-16"), str) == "caf\u00e9"
    for document, found in (
        (
            text.format("utf-8").encode("utf-16"),
            "MalformedInput: the XML declaration says encoding 'utf-8', but the byte order mark says UTF-16 (little endian)",
        ),
        (
            b"\xef\xbb\xbf" + text.format("latin-1").encode(),
            "MalformedInput: the XML declaration says encoding 'latin-1', but the byte order mark says UTF-8",
        ),
        (
            text.format("utf-16").encode(),
            "MalformedInput: the XML declaration says encoding 'utf-16', but it is not written in UTF-16",
        ),
        (
            text.format("utf-8").encode("utf-16-le"),
            "MalformedInput: the XML declaration says encoding 'utf-8', but it is written in UTF-16 (little endian)",
        ),
        (
            text.format("utf-7").encode(),
            "MalformedInput: unknown encoding 'utf-7' declared",
        ),
        (
            text.format("utf-16").encode("utf-16-le")[:-1],
            "TruncatedInput: the input ends inside a character (utf-16-le)",
        ),
        (
            text.format("utf-8").encode("latin-1"),
            "MalformedInput: invalid UTF-8: byte 0xe9",
        ),
    ):
        assert refusal(document) == found


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("<a>]]></a>", "']]>' is not allowed in text: write ']]&gt;'"),
        ("<a><!-- -- --></a>", "'--' is not allowed in a comment"),
        ("<a><!-- ---></a>", "'--' is not allowed in a comment"),
        ("<a b='<'/>", "'<' is not allowed in an attribute's value: write '&lt;'"),
        ("<a>&#0;</a>", "the reference means U+0000, which is not allowed in XML"),
        ("<a>&#xD800;</a>", "the reference means U+D800, which is not allowed in XML"),
        ("<a>&#xFFFE;</a>", "the reference means U+FFFE, which is not allowed in XML"),
        ("<a>&#x110000;</a>", "the reference means no character of Unicode"),
        ("<a>&#" + "9" * 1000 + ";</a>", "the reference means no character of Unicode"),
        ("<?xml version='2.0'?><a/>", "the version of XML must be '1.0'"),
        ("<a>\x0b</a>", "the character U+000B is not allowed in XML"),
        ("<a>\x1f</a>", "the character U+001F is not allowed in XML"),
        ("<a>\x00</a>", "the character U+0000 is not allowed in XML"),
        ("<a>\uffff</a>", "the character U+FFFF is not allowed in XML"),
        ("<a b='1' b='2'/>", "the attribute 'b' occurs more than once"),
        (
            "<!DOCTYPE a [<!ENTITY lt 'x'>]><a>&lt;</a>",
            "the entity 'lt' may not be declared to be something else",
        ),
        ("<a b='1'b2='2'/>", "expected white space, '>' or '/>' after the attribute"),
        (
            "<a><?xml version='1.0'?></a>",
            "the XML declaration is only allowed at the very beginning",
        ),
        (
            "<!DOCTYPE a><!DOCTYPE a><a/>",
            "a document type declaration is only allowed once, before the root element",
        ),
        ("<a><!DOCTYPE a></a>", "expected a comment or a CDATA section after '<!'"),
        ("<a/><b/>", "an element after the root element"),
        ("<a></A>", "the end tag of 'A', but 'a' is open"),
        ("<a:b:c xmlns:a='u'/>", "a name has at most one colon, with a name on either side of it"),
        ("<p:a/>", "the prefix 'p' is not declared"),
        ("<a xmlns:xml='u'/>", "the prefix 'xml' may not be bound to another namespace"),
        ("<a xmlns:p='u' xmlns:q='u' p:x='' q:x=''/>", "the attribute 'q:x' occurs more than once"),
    ],
)
def test_what_is_not_well_formed(document: str, reason: str) -> None:
    assert refusal(document) == f"MalformedInput: {reason}"


DIFFERENTIAL = [
    "<a><!--></a>",
    "<a><!---></a>",
    "<a><!----></a>",
    "<a b='1' b='1'/>",
    "<a b='1'c='2'/>",
    "<a><?xml version='1.0'?></a>",
    "<a><?xmlx y?></a>",
    " <?xml version='1.0'?><a/>",
    "<!DOCTYPE a><!DOCTYPE b><a/>",
    "<a>x<![CDATA[<b>]]]]>]]<![CDATA[>]]>&amp;&#60;</a>",
    "<a b='&#10;\n\t x'>\r\n\r x</a>",
    "<!DOCTYPE a [<!ENTITY e 'x<b/>y'>]><a>&e;&e;</a>",
    "<!DOCTYPE a [<!ENTITY e '&#60;b/>'>]><a>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e '&#38;#60;b/>'>]><a b='&e;'>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>",
    "<!DOCTYPE a [<!ATTLIST a b CDATA 'd' c NMTOKENS ' 1  2 '>]><a c='\n3  4'/>",
    "<!DOCTYPE a SYSTEM 'x' [<!ENTITY e 'v'>]><a>&e;</a>",
    "<a\u00a0b='1'/>",
    "<\u00e9l\u00e9ment/>",
    "<a>\u0085\u2028</a>",
    "<a/>\x00",
    "<a/ >",
    "< a/>",
    "<a></a >",
    "<a></ a>",
    "<a b=1/>",
    "<a b/>",
    "<a>&</a>",
    "<a>& </a>",
    "<a>&a</a>",
    "<a>&#x;</a>",
    "<a>&#X41;</a>",
    "<a>&unknown;</a>",
    "\ufeff<a/>",
    "<a>\ufeff</a>",
    "",
    " ",
    "<a",
    "<a><b></a></b>",
]


def tree_of_expat(document: bytes) -> list[object] | None:
    told: list[object] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True

    def start(name: str, attributes: list[str]) -> None:
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        told.extend([("start", name), *(("attribute", pair) for pair in pairs)])

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: told.append(("end", name))
    parser.CharacterDataHandler = lambda text: told.append(("text", text))
    try:
        parser.Parse(document, True)
    except expat.ExpatError:
        return None
    return told


def tree_of_penstock(document: bytes) -> list[object] | None:
    try:
        events = list(penstock.xml.events([document], namespaces=False))
    except penstock.DecodeError:
        return None
    return [(kind, value) for kind, value, _ in events if kind not in {"comment", "instruction"}]


@pytest.mark.parametrize("document", DIFFERENTIAL)
def test_no_differential(document: str) -> None:
    data = document.encode()
    assert tree_of_penstock(data) == tree_of_expat(data)


def test_callbacks() -> None:
    class Again:
        @penstock.on("b/text()")
        def b(self, text: str) -> None:
            # A handler may call anything.
            gc.collect()
            inner = penstock.xml.send([b"<a><b>inner</b></a>"], Inner())
            assert inner is None
            found.append((text, penstock.xml.decode("<c>1</c>", int)))

    class Inner:
        @penstock.on("b/text()")
        def b(self, text: str) -> None:
            found.append((text, 0))

    class Raises:
        @penstock.on("b/text()")
        def b(self, text: str) -> None:
            raise ZeroDivisionError(text)

    found: list[tuple[str, int]] = []
    penstock.xml.send([b"<a><b>1</b><b>2</b></a>"], Again())
    assert found == [("inner", 0), ("1", 1), ("inner", 0), ("2", 1)]
    with pytest.raises(ZeroDivisionError, match="1"):
        penstock.xml.send([b"<a><b>1</b><b>2</b></a>"], Raises())


def test_sources_that_call_back() -> None:
    def source() -> Iterator[bytes]:
        yield b"<a><b>1</b>"
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever says so
            next(reader)
        refused.append(str(caught.value))
        yield b"<b>2</b></a>"

    refused: list[str] = []
    reader = penstock.xml.read(source(), int, at="a/b")
    assert list(reader) == [1, 2]
    assert len(refused) == 1


def test_closed_in_the_middle() -> None:
    reader = penstock.xml.read(io.BytesIO(b"<a>" + b"<b>1</b>" * 100_000), int, at="a/b")
    with reader:
        assert next(reader) == 1
    with pytest.raises((ValueError, StopIteration)):
        next(reader)
    decoder = penstock.Decoder(int, format="xml", at="a/b")
    assert decoder.feed(b"<a><b>1</b><b>") == [1]


def test_used_after_an_error() -> None:
    decoder = penstock.Decoder(int, format="xml", at="a/b")
    assert decoder.feed(b"<a><b>1</b></c>") == [1]
    with pytest.raises(penstock.MalformedInput, match="the end tag of 'c', but 'a' is open"):
        decoder.feed(b"<b>2</b></a>")
    for _ in range(2):
        with pytest.raises(ValueError, match="has ended"):
            decoder.feed(b"<b>2</b></a>")


def test_compressed_bombs() -> None:
    import bz2
    import gzip
    import lzma

    spaces = b"<a>" + b" " * (64 << 20) + b"</a>"
    for compress in (bz2.compress, lzma.compress):
        with pytest.raises(penstock.LimitExceeded, match=r"limits\.ratio"):
            penstock.xml.load(io.BytesIO(compress(spaces)), NoFields)
    # Deflate compresses at most a thousandfold, so here only the total size is limited.
    small = penstock.Limits(total=10 << 20)
    with pytest.raises(penstock.LimitExceeded, match=r"limits\.total"):
        penstock.xml.load(io.BytesIO(gzip.compress(spaces)), NoFields, limits=small)


def test_long_numbers() -> None:
    from decimal import Decimal

    document = f"<a>{'9' * 1_000_000}</a>"
    for kind in (int, Decimal):
        with pytest.raises(penstock.LimitExceeded, match=r"limits\.number"):
            penstock.xml.decode(document, kind)
    with pytest.raises(penstock.ValidationError, match="beyond the range of a double"):
        penstock.xml.decode(document, float)
    for kind in (int, float, Decimal):
        with pytest.raises(penstock.ValidationError):
            penstock.xml.decode("<a>1e999999999</a>", kind)


# The bombs in the tests of defusedxml, in their usual form.
KNOWN = {
    "cyclic.xml": "MalformedInput: the entity 'a' refers to itself",
    "external.xml": "MalformedInput: the entity 'ee' is in another file, and no other file is opened",
    "external_file.xml": "MalformedInput: the entity 'ee' is in another file, and no other file is opened",
    "quadratic.xml": f"LimitExceeded: {AMPLIFIED}",
    # Small enough to be expanded.
    "xmlbomb.xml": {"bomb": "1234567890" * 64},
    "xmlbomb2.xml": {"root": {"bomb": "1234567890", "tag": None, "#text": "text"}},
    "dtd.xml": {"html": {"head": None, "body": "text"}},
    "dtd_element.xml": {"test": {"node": "A test"}},
}


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
@linux
@pytest.mark.parametrize("name", KNOWN)
def test_known_attacks(name: str, corpus: Callable[[str], Path], bare: int) -> None:
    path = corpus("xml/attacks") / name
    expected = KNOWN[name]
    if isinstance(expected, str):
        assert refusal(path.read_bytes()) == expected
    else:
        assert penstock.xml.load(path) == expected
    found = cost(f"xml.load({str(path)!r})")
    assert found.kilobytes - bare < 32 * 1024
