"""The encoding of an XML document: its byte order mark, its declaration, or the caller's option.

The option is for a document that has neither. Every verb and any chunks give the same result.
"""

import codecs
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import DecodeError, Element, Limits, MalformedInput, TruncatedInput, at, on, xml


@dataclass
class Note:
    by: Annotated[str, at("@by")]
    text: Annotated[str, at("text()")]


class Handler:
    """Keeps the notes that are sent to it."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    @on("notes/note")
    def note(self, note: Element) -> None:
        self.notes.append(Note(note.attributes["by"], note.text))


def fed(data: bytes, size: int, encoding: str | None = None) -> list[Note]:
    decoder = xml.Decoder(Note, at="notes/note", encoding=encoding)
    notes: list[Note] = []
    for start in range(0, len(data), size):
        notes += decoder.feed(data[start : start + size])
    return notes + decoder.finish()


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def sent(data: bytes, encoding: str | None = None) -> list[Note]:
    handler = Handler()
    xml.send([data], handler, encoding=encoding)
    return handler.notes


def read(source: list[bytes] | io.BytesIO, encoding: str | None) -> list[Note]:
    return list(xml.read(source, Note, at="notes/note", encoding=encoding))


Way = Callable[[bytes, str | None], list[Note]]

Notes = Annotated[list[Note], at("note")]


@dataclass
class Root:
    notes: Notes


WAYS: dict[str, Way] = {
    "decode": lambda data, encoding: xml.decode(data, Root, encoding=encoding).notes,
    "decode another buffer": lambda data, encoding: (
        xml.decode(memoryview(bytearray(data)), Root, encoding=encoding).notes
    ),
    "load": lambda data, encoding: xml.load([data], Root, encoding=encoding).notes,
    "load bytes": lambda data, encoding: xml.load(chunks(data, 1), Root, encoding=encoding).notes,
    "read": lambda data, encoding: read(io.BytesIO(data), encoding),
    "read in threes": lambda data, encoding: read(chunks(data, 3), encoding),
    "feed": lambda data, encoding: fed(data, max(len(data), 1), encoding),
    "feed bytes": lambda data, encoding: fed(data, 1, encoding),
    "feed sevens": lambda data, encoding: fed(data, 7, encoding),
    "send": sent,
}


def every_way(data: bytes, encoding: str | None = None) -> list[Note]:
    """Read by every verb, with the same result."""
    results = {name: way(data, encoding) for name, way in WAYS.items()}
    first = results["decode"]
    assert all(result == first for result in results.values()), results
    return first


def every_error(data: bytes, encoding: str | None = None) -> DecodeError:
    """Fail by every verb, and return the error, which must be the same."""
    errors: dict[str, DecodeError] = {}
    for name, way in WAYS.items():
        with pytest.raises(DecodeError) as caught:
            way(data, encoding)
        errors[name] = caught.value
    told = {(type(e), e.reason, e.offset, e.line, e.column) for e in errors.values()}
    assert len(told) == 1, errors
    return errors["decode"]


def document(text: str, encoding: str | None) -> str:
    declaration = "" if encoding is None else f'<?xml version="1.0" encoding="{encoding}"?>\n'
    return f'{declaration}<notes><note by="{text}">{text}</note><note by="x">{text}</note></notes>'


def notes(text: str) -> list[Note]:
    return [Note(text, text), Note("x", text)]


WIDE = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("codec", WIDE)
@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("declared", [None, "exact", "family", "FAMILY"])
def test_units_of_two_and_four_bytes(codec: str, declared: str | None, *, marked: bool) -> None:
    name = {
        None: None,
        "exact": codec.replace("-le", "LE").replace("-be", "BE"),
        "family": codec[:6],
        "FAMILY": codec[:6].upper(),
    }[declared]
    text = "é漢𝄞"
    data = (WIDE[codec] if marked else b"") + document(text, name).encode(codec)
    assert every_way(data) == notes(text)
    # The document's own encoding wins over the caller's.
    assert every_way(data, "windows-1252") == notes(text)


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("UTF-8", "utf-8", "é漢𝄞"),
        ("ISO-8859-1", "latin-1", "éÿ\xa0"),
        ("iso-8859-2", "iso8859-2", "ěš"),
        ("ISO-8859-15", "iso8859-15", "€œ"),
        ("windows-1250", "cp1250", "ěš€"),
        ("Windows-1252", "cp1252", "€“”"),
        ("windows-1251", "cp1251", "Привет"),
        ("windows-1254", "cp1254", "ışğ"),
        ("KOI8-R", "koi8-r", "Привет"),
        ("Shift_JIS", "shift-jis", "漢字カナ"),
        ("EUC-JP", "euc-jp", "漢字カナ"),
        ("ISO-2022-JP", "iso2022-jp", "漢字"),
        ("GB2312", "gb2312", "汉字"),
        ("GBK", "gbk", "漢字"),
        ("GB18030", "gb18030", "漢字𝄞é"),
        ("Big5", "big5", "漢字"),
        ("EUC-KR", "euc-kr", "한국어"),
        ("US-ASCII", "ascii", "plain"),
    ],
)
def test_declared_encodings(name: str, codec: str, text: str) -> None:
    data = document(text, name).encode(codec)
    assert every_way(data) == notes(text)
    wrong = document(text, "koi8-u").encode(codec)
    assert every_way(wrong, codec.replace("iso2022", "iso-2022")) == notes(text), (
        "what is given overrules what is declared"
    )
    assert xml.decode(document(text, name), Root).notes == notes(text), "of a str it is nothing"


def test_what_the_caller_assumes() -> None:
    data = document("€“”", None).encode("cp1252")
    assert every_way(data, "windows-1252") == notes("€“”")
    assert every_way(b"<?xml version='1.0'?>" + data, "cp1252") == notes("€“”")
    assert every_way(document("é", None).encode(), None) == notes("é")
    assert every_way(codecs.BOM_UTF8 + document("é", "utf-8").encode()) == notes("é")
    # White space before the declaration does not show the encoding.
    blank = ("\n" + document("é", None)).encode("utf-16-le")
    assert every_way(blank, "utf-16-le") == notes("é")
    assert "say encoding='utf-16-le'" in every_error(blank).reason


def contradiction(name: str, codec: str, mark: bytes = b"") -> tuple[str, bytes]:
    data = mark + document("e", name).encode(codec)
    error = every_error(data)
    assert type(error) is MalformedInput
    assert (error.line, error.column, error.offset) == (1, 1, 0)
    return error.reason, data


@pytest.mark.parametrize(
    ("name", "codec", "mark", "seen"),
    [
        ("UTF-16", "utf-8", b"", "it is not written in UTF-16"),
        ("UTF-16LE", "latin-1", b"", "it is not written in UTF-16"),
        ("UTF-32", "ascii", b"", "it is not written in UTF-32"),
        ("UTF-16", "utf-8", codecs.BOM_UTF8, "the byte order mark says UTF-8"),
        ("UTF-8", "utf-16-le", b"", "it is written in UTF-16 (little endian)"),
        ("iso-8859-1", "utf-16-be", b"", "it is written in UTF-16 (big endian)"),
        (
            "UTF-8",
            "utf-16-le",
            WIDE["utf-16-le"],
            "the byte order mark says UTF-16 (little endian)",
        ),
        (
            "UTF-16BE",
            "utf-16-le",
            WIDE["utf-16-le"],
            "the byte order mark says UTF-16 (little endian)",
        ),
        ("UTF-16", "utf-32-be", WIDE["utf-32-be"], "the byte order mark says UTF-32 (big endian)"),
    ],
)
def test_contradictions(name: str, codec: str, mark: bytes, seen: str) -> None:
    reason, data = contradiction(name, codec, mark)
    assert reason == f"the XML declaration says encoding '{name}', but {seen}"
    with pytest.raises((expat.ExpatError, ValueError)):
        expat.ParserCreate().Parse(data, True)


def test_encodings_that_are_not_known() -> None:
    reason, _ = contradiction("klingon", "utf-8")
    assert reason == "unknown encoding 'klingon' declared"
    reason, _ = contradiction("ISO-8859-1", "cp500")
    assert reason == "the document is in EBCDIC, which is not read; convert it to UTF-8"
    head = "<?xml version='1.0'" + 1100 * " " + "encoding='latin-1'?><notes/>"
    with pytest.raises(DecodeError, match="longer than 1024 bytes"):
        every_way(head.encode())


def test_bytes_that_are_no_characters() -> None:
    """The offset is that in the text as UTF-8; the line and the column need no encoding."""
    for name, codec, good, bad in [
        ("utf-8", "utf-8", "é", b"\xff"),
        ("US-ASCII", "ascii", "e", b"\x80"),
        ("Shift_JIS", "shift-jis", "漢", b"\x81\x20"),
        ("UTF-16", "utf-16-le", "é漢", b"\x00\xdc"),
        ("utf-32", "utf-32-be", "é漢", b"\x00\x11\x00\x00"),
    ]:
        before = document(good, name).partition("</note>")[0]
        behind = "</note></notes>".encode(codec)
        error = every_error(before.encode(codec) + bad + behind)
        assert type(error) is MalformedInput
        assert error.reason.startswith("invalid "), name
        assert error.offset == len(before.encode())
        assert (error.line, error.column) == (2, len(before.partition("\n")[2]) + 1)


def test_an_end_inside_a_character() -> None:
    before = document("漢", "Shift_JIS").partition("</note>")[0]
    error = every_error(before.encode("shift-jis") + b"\x8a")
    assert type(error) is TruncatedInput
    assert (error.line, error.offset) == (2, len(before.encode()))


def test_truncated_declarations() -> None:
    data = document("é", "windows-1252").encode("cp1252")
    for length in range(data.index(b"<notes>") + 1):
        assert type(every_error(data[:length])) is TruncatedInput, length


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "notes.xml"
    path.write_bytes(document("é漢", "utf-16").encode("utf-16"))
    assert xml.load(path, Root).notes == notes("é漢")
    assert list(xml.read(path, Note, at="notes/note")) == notes("é漢")
    assert json.dumps(xml.load(path)).count("\\u6f22") == 3


def test_the_limit_is_on_the_bytes_that_come() -> None:
    data = document("漢" * 100, "gbk").encode("gbk")
    limits = Limits(total=len(data))
    assert xml.decode(data, Root, limits=limits).notes == notes("漢" * 100)
    assert xml.load([data], Root, limits=limits).notes == notes("漢" * 100)
    limits = Limits(total=len(data) - 1)
    with pytest.raises(DecodeError, match=r"limits\.total"):
        xml.decode(data, Root, limits=limits)
    with pytest.raises(DecodeError, match=r"limits\.total"):
        xml.load([data], Root, limits=limits)


TEXT = st.text(st.sampled_from("aé漢字𝄞 \n&#;0"), max_size=30).map(
    lambda text: text.replace("&", "&amp;")
)


@given(
    TEXT,
    st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32", "utf-32-le", "gb18030"]),
    st.integers(1, 40),
)
def test_any_text_in_any_chunks(text: str, codec: str, size: int) -> None:
    name = codec.upper() if codec == "gb18030" else codec[:6].rstrip("-")
    data = document(text.replace("\n", " "), name).encode(codec)
    whole = text.replace("&amp;", "&").replace("\n", " ")
    assert xml.decode(data, Root).notes == notes(whole)
    assert read(chunks(data, size), None) == notes(whole)
    assert fed(data, size) == notes(whole)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@given(st.binary(max_size=12), st.integers(1, 5))
def test_any_beginning_in_any_chunks(start: bytes, size: int) -> None:
    """With any first bytes, the result is the same whole and in chunks."""
    data = start + b"<notes/>"

    def told(run: Callable[[], list[Note]]) -> object:
        try:
            return run()
        except DecodeError as error:
            return type(error), error.reason, error.offset, error.line, error.column

    whole = told(lambda: xml.decode(data, Root).notes)
    assert told(lambda: xml.load(chunks(data, size), Root).notes) == whole
    assert told(lambda: read(chunks(data, size), None)) == whole
    assert told(lambda: fed(data, size)) == whole
