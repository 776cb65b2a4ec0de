"""`penstock.xml.events`: the parts of a document, compared with those of expat."""

import gc
import gzip
import io
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest

import penstock

Told = list[tuple[str, Any]]

DOCUMENTS = [
    "<a/>",
    "<a></a>",
    "<a> </a>",
    '<a n="1" m="&lt;2&#10;">x &amp; y<b/><!-- c --></a>',
    "<?p q r?><!--before--><a><?target?>text<![CDATA[ <raw> & ]]>more</a><!--after--><?end  x ?>",
    "<a xmlns='urn:a' xmlns:p='urn:p' p:x='1' x='2'><p:b/><b xmlns=''/></a>",
    "<a>\r\n\r<b>é漢𝄞&#x1F600;</b>\r\n</a>",
    "<!DOCTYPE a [<!ENTITY e 'x<b>y</b>z'><!ATTLIST b c CDATA 'd'>]><a>1&e;2<b c='own'/></a>",
    "<!DOCTYPE a [<!ATTLIST a t NMTOKENS #IMPLIED>]><a t='  x   y '>&#32;</a>",
    "<!DOCTYPE a [<!--c--><?p d?><!ELEMENT a ANY>]><a/>",
    "<a><a><a>deep</a></a></a>",
    "\ufeff<a>marked</a>",
]


def told(source: Any, **options: Any) -> Told:
    """The events without their positions, with adjacent text joined."""
    return joined((kind, value) for kind, value, _ in penstock.xml.events(source, **options))


def joined(events: Iterable[tuple[str, Any]]) -> Told:
    found: Told = []
    for kind, value in events:
        if kind == "text" and found and found[-1][0] == "text":
            found[-1] = ("text", found[-1][1] + value)
        else:
            found.append((kind, value))
    return found


def expats(data: bytes, *, namespaces: bool = True) -> Told:
    """The same from expat."""
    parser = expat.ParserCreate(namespace_separator="}" if namespaces else None)
    found: Told = []

    def name(written: str) -> str:
        return f"{{{written}" if "}" in written else written

    def start(written: str, attributes: list[str]) -> None:
        found.append(("start", name(written)))
        for key, value in zip(attributes[::2], attributes[1::2], strict=True):
            found.append(("attribute", (name(key), value)))

    def text(value: str) -> None:
        found.append(("text", value))

    parser.ordered_attributes = True
    parser.StartElementHandler = start  # type: ignore[assignment]
    parser.EndElementHandler = lambda written: found.append(("end", name(written)))
    parser.CharacterDataHandler = text
    parser.CommentHandler = lambda value: found.append(("comment", value))
    parser.ProcessingInstructionHandler = lambda *pair: found.append(("instruction", pair))
    parser.Parse(data, True)
    return joined(found)


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("namespaces", [None, False])
def test_as_expat(document: str, namespaces: Any) -> None:
    data = document.encode()
    expected = expats(data, namespaces=namespaces is None)
    assert told(io.BytesIO(data), namespaces=namespaces) == expected
    for size in (1, 2, 3, 5):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        assert told(chunks, namespaces=namespaces) == expected


@pytest.mark.parametrize("suite", ["xml/real", "xml/pubmed"])
def test_as_expat_on_real_files(suite: str, corpus: Callable[[str], Path]) -> None:
    files = [path for path in corpus(suite).iterdir() if path.suffix in {".xml", ".nxml"}]
    assert files
    for path in files:
        expected = expats(path.read_bytes())
        assert told(path, unresolved="text") == expected, path


def test_every_kind_with_its_place() -> None:
    data = b"<?p  q r?>\n<!--c-->\n<a n='1'\n m=\"2\">x &amp; y<b/>z</a>"
    assert list(penstock.xml.events(io.BytesIO(data))) == [
        ("instruction", ("p", "q r"), 0),
        ("comment", "c", 11),
        ("start", "a", 20),
        ("attribute", ("n", "1"), 23),
        ("attribute", ("m", "2"), 30),
        ("text", "x & y", 36),
        ("start", "b", 45),
        ("end", "b", 47),
        ("text", "z", 49),
        ("end", "a", 50),
    ]


def test_names() -> None:
    data = b"<p:a xmlns:p='urn:p' p:x='1'><b xmlns='urn:b'/></p:a>"
    assert told(io.BytesIO(data)) == [
        ("start", "{urn:p}a"),
        ("attribute", ("{urn:p}x", "1")),
        ("start", "{urn:b}b"),
        ("end", "{urn:b}b"),
        ("end", "{urn:p}a"),
    ]
    assert told(io.BytesIO(data), namespaces=False) == [
        ("start", "p:a"),
        ("attribute", ("xmlns:p", "urn:p")),
        ("attribute", ("p:x", "1")),
        ("start", "b"),
        ("attribute", ("xmlns", "urn:b")),
        ("end", "b"),
        ("end", "p:a"),
    ]


def test_names_are_one_string_each() -> None:
    data = b"<a>" + b"<item id='1'/>" * 1_000 + b"</a>"
    names = {id(event[1]) for event in penstock.xml.events(io.BytesIO(data)) if event[0] == "start"}
    # Released strings could share an address; the iterator holds all of these.
    assert len(names) == 2


def test_more_names_than_are_kept() -> None:
    names = [f"n{number}" for number in range(3_000)] * 2
    data = "".join(f"<{name}/>" for name in names)
    found = told(io.BytesIO(f"<r>{data}</r>".encode()))
    assert [value for kind, value in found if kind == "start"] == ["r", *names]
    long = "x" * 2_000
    assert told(io.BytesIO(f"<{long}/>".encode())) == [("start", long), ("end", long)]


@pytest.mark.parametrize("letter", ["x", "é", "漢", "𝄞"])
def test_long_text_is_cut_where_it_always_is(letter: str) -> None:
    text = "ab" + letter * 100_000 + "&amp;" + letter * 100_000
    data = f"<a>{text}<b/>{text}</a>".encode()
    whole = list(penstock.xml.events(io.BytesIO(data)))
    parts = [value for kind, value, _ in whole if kind == "text"]
    assert max(len(part.encode()) for part in parts) <= 64 << 10
    assert "".join(parts) == text.replace("&amp;", "&") * 2
    assert {offset for kind, _, offset in whole if kind == "text"} == {
        3,
        3 + len(text.encode()) + 4,
    }
    for size in (1_000, 65_537, 100_000):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        assert list(penstock.xml.events(chunks)) == whole


def test_what_is_at_fault_comes_behind_what_was_right() -> None:
    data = b"<a>\n<b>x</b>\n<c></d>\n</a>"
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        events = penstock.xml.events(chunks)
        came = [next(events)[:2] for _ in range(6)]
        assert came == [
            ("start", "a"),
            ("text", "\n"),
            ("start", "b"),
            ("text", "x"),
            ("end", "b"),
            ("text", "\n"),
        ]
        assert next(events) == ("start", "c", 13)
        with pytest.raises(penstock.MalformedInput) as caught:
            next(events)
        error = caught.value
        assert (error.format, error.offset, error.line, error.column) == ("xml", 16, 3, 4)
        assert list(events) == []


def test_errors_of_the_source() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"<a><b/>"
        raise OSError("gone")

    events = penstock.xml.events(chunks())
    with pytest.raises(penstock.DecodeError, match="reading failed: OSError: gone"):
        list(events)
    with pytest.raises(penstock.TruncatedInput):
        list(penstock.xml.events([b"<a>"]))
    with pytest.raises(FileNotFoundError):
        penstock.xml.events("missing.xml")
    with pytest.raises(TypeError, match=r"^events\(\) takes a path or a binary file; wrap data in"):
        penstock.xml.events(b"<a/>")  # type: ignore[arg-type]


def test_limits() -> None:
    limits = penstock.Limits(depth=3)
    with pytest.raises(penstock.LimitExceeded, match=r"limits\.depth"):
        list(penstock.xml.events([b"<a>" * 4], limits=limits))


def test_closing(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>" + b"<b/>" * 1_000 + b"</a>")
    with penstock.xml.events(path) as events:
        assert next(events) == ("start", "a", 0)
    with pytest.raises(ValueError, match=r"^these Events are closed$"):
        next(events)
    events.close()
    file = io.BytesIO(path.read_bytes())
    with penstock.xml.events(file) as events:
        assert sum(1 for _ in events) == 2_002
        assert list(events) == []
    assert not file.closed


def test_repr(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a/>")
    assert repr(penstock.xml.events(path)) == f"Events({path})"
    assert repr(penstock.xml.events([])) == "Events(an xml stream)"


def test_one_caller_at_a_time() -> None:
    entered, go = threading.Event(), threading.Event()

    def chunks() -> Iterator[bytes]:
        entered.set()
        go.wait(10)
        yield b"<a/>"

    events = penstock.xml.events(chunks())
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(events))
    thread.start()
    entered.wait(10)
    with pytest.raises(RuntimeError, match=r"^these Events are already at work"):
        next(events)
    go.set()
    thread.join()
    assert found == [("start", "a", 0), ("end", "a", 2)]


def test_the_collector_sees_the_source() -> None:
    class Chunks:
        def __iter__(self) -> "Chunks":
            return self

        def __next__(self) -> bytes:
            return b"<a>"

    chunks = Chunks()
    chunks.events = penstock.xml.events(chunks)  # type: ignore[attr-defined]
    gone = weakref.ref(chunks)
    del chunks
    gc.collect()
    assert gone() is None


def test_compressed(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(b"<a>x</a>"))
    assert told(path) == [("start", "a"), ("text", "x"), ("end", "a")]
