"""Bugs of streams, of their compression and of their encodings that were fixed, by number."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import lzma
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import (
    DecodeError,
    Decoder,
    LimitExceeded,
    Limits,
    MalformedInput,
    TruncatedInput,
    aio,
    ndjson,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from pathlib import Path

LINES = b"".join(b'{"at": %d}\n' % at for at in range(1_000))
ROWS = [{"at": at} for at in range(1_000)]


async def later(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def awaited(chunks: Any, *into: Any, **options: Any) -> list[Any]:
    async def main() -> list[Any]:
        return [row async for row in aio.read(chunks, *into, **options)]

    return asyncio.run(main())


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def fed(decoder: Decoder[Any], chunks: Iterable[bytes]) -> list[Any]:
    return [row for chunk in chunks for row in decoder.feed(chunk)] + decoder.finish()


def test_144_an_asynchronous_stream_is_of_no_format_unless_it_is_said() -> None:
    message = r"^cannot tell the format of a stream without a name: pass format='json', 'ndjson', 'xml', 'csv' or 'plist'$"
    with pytest.raises(ValueError, match=message):
        awaited(later([b"1\n2\n"]), int)
    with pytest.raises(ValueError, match=message):
        penstock.read([b"1\n2\n"], int)
    assert awaited(later([b"1\n2\n"]), int, format="ndjson") == [1, 2]
    with pytest.raises(TypeError) as raised:
        awaited([b"1"], int, format="json")
    assert str(raised.value) == (
        "aio.read() takes an asynchronous iterable of chunks of bytes, not list: for other "
        "sources use penstock.read()"
    )


@pytest.mark.parametrize("size", [1, 7, 1_000, 1 << 20])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_145_chunks_may_be_compressed(pack: Callable[[bytes], bytes], size: int) -> None:
    chunks = cut(pack(LINES), size)
    assert fed(Decoder(format="ndjson"), chunks) == ROWS
    assert fed(ndjson.Decoder(), chunks) == ROWS
    assert awaited(later(chunks), format="ndjson") == ROWS
    xml = cut(pack("<?xml version='1.0' encoding='latin1'?><a><b>é</b></a>".encode("latin1")), size)
    assert fed(penstock.xml.Decoder(str), xml) == ["é"]


def test_145_records_come_as_soon_as_their_bytes_do() -> None:
    stream = io.BytesIO()
    with gzip.open(stream, "wb") as file:
        file.write(b"1\n2\n")
        file.flush()
        first = stream.getvalue()
        file.write(b"3\n")
    decoder = ndjson.Decoder(int)
    assert decoder.feed(first) == [1, 2]
    assert decoder.feed(stream.getvalue()[len(first) :]) == [3]
    assert decoder.finish() == []


def test_145_many_megabytes_of_one_chunk() -> None:
    text = b"[" + b", ".join([b"7"] * 4_000_000) + b"]"
    assert sum(fed(Decoder(int), [gzip.compress(text)])) == 28_000_000


def test_145_with_the_limits_and_the_errors_of_a_source() -> None:
    packed = gzip.compress(LINES)
    for limits in (Limits(total=100),):
        with pytest.raises(LimitExceeded, match=r"100 bytes \(limits.total\)"):
            fed(ndjson.Decoder(limits=limits), [packed])
    with pytest.raises(TruncatedInput, match="the gzip data ends early"):
        fed(ndjson.Decoder(), [packed[:-20]])
    with pytest.raises(MalformedInput, match="the gzip data is followed by something else"):
        fed(ndjson.Decoder(), [packed, b"{}\n"])
    with pytest.raises(MalformedInput, match="this is gzip data, not zstd data"):
        fed(ndjson.Decoder(compression="zstd"), [packed])
    with pytest.raises(MalformedInput, match="found byte 0x1f"):
        fed(ndjson.Decoder(compression=None), [packed])
    bomb = gzip.compress(b" " * (64 << 20) + b"1")
    with pytest.raises(LimitExceeded, match="ratio"):
        fed(ndjson.Decoder(limits=Limits(ratio=50)), cut(bomb, 1_000))
    # The first byte of each mark may begin something else.
    for text in (b"B", b"BZ", b"P", b"(", b"\x1f"):
        errors: list[str] = []
        for chunks in ([text], cut(text + b" 1", 1)):
            with pytest.raises(MalformedInput) as raised:
                fed(ndjson.Decoder(), chunks)
            errors.append(raised.value.reason or "")
        assert len(set(errors)) == 1


@dataclass
class Row:
    at: int


def test_146_a_connection_that_breaks() -> None:
    class ReadError(Exception):
        pass

    broken = ReadError("peer closed connection")

    async def breaks() -> AsyncIterator[bytes]:
        yield b'{"at": 1}\n{"at": 2}\n{"a'
        raise broken

    def chunks() -> Any:
        yield b'{"at": 1}\n{"at": 2}\n{"a'
        raise broken

    def outcome(rows: list[Row], error: DecodeError) -> tuple[Any, ...]:
        return (rows, type(error), str(error), error.offset, error.record, error.__cause__)

    async def main() -> tuple[Any, ...]:
        rows: list[Row] = []
        with pytest.raises(DecodeError) as raised:  # noqa: PT012 - a loop
            async for row in aio.read(breaks(), Row, format="ndjson"):
                rows.append(row)  # noqa: PERF401 - those before the error count
        return outcome(rows, raised.value)

    rows: list[Row] = []
    with pytest.raises(DecodeError) as raised:  # noqa: PT012 - a loop
        for row in ndjson.read(chunks(), Row):
            rows.append(row)  # noqa: PERF402 - those before the error count
    assert asyncio.run(main()) == outcome(rows, raised.value)
    assert raised.value.__cause__ is broken
    assert raised.value.reason == "reading failed: ReadError: peer closed connection"


@pytest.mark.parametrize("raised", [KeyboardInterrupt, asyncio.CancelledError, MemoryError])
def test_146_what_is_no_error_of_the_connection(raised: type[BaseException]) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield b"1\n"
        raise raised

    with pytest.raises(raised):
        awaited(breaks(), format="ndjson")


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.10"])
def test_147_a_document_of_xml_1_1_is_read_as_1_0(version: str) -> None:
    head = f"<?xml version='{version}' encoding='UTF-8'?>\n"
    text = f"{head}<job><name>nightly</name><note>a&#x85;b\x85c\u2028d&#10;e</note></job>"
    read = {"job": {"name": "nightly", "note": "a\x85b\x85c\u2028d\ne"}}
    for data in (text, text.encode()):
        assert penstock.xml.decode(data) == read
    assert fed(penstock.xml.Decoder(str), cut(text.encode(), 1)) == list(read["job"].values())
    with pytest.raises(MalformedInput) as raised:
        penstock.xml.decode(f"{head}<a>x&#1;</a>")
    assert raised.value.reason == "the reference means U+0001, which only XML 1.1 allows"
    assert (raised.value.line, raised.value.column) == (2, 5)
    for bad in ("&#0;", "&#xFFFE;"):
        with pytest.raises(MalformedInput, match="which is not allowed in XML "):
            penstock.xml.decode(f"{head}<a>{bad}</a>")


def test_148_a_byte_order_mark_where_files_were_joined(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    parts = [mark + b"1\n2\n", mark, mark + b"3\n", mark + b"\n", b"4\n" + mark]
    joined = b"".join(parts)
    for size in (1, 2, 1_000):
        reader = ndjson.read(cut(joined, size), int, errors="skip")
        assert (list(reader), reader.skipped) == ([1, 2, 3, 4], 0)
        assert fed(ndjson.Decoder(int), cut(joined, size)) == [1, 2, 3, 4]
    assert ndjson.decode(joined, int) == [1, 2, 3, 4]
    path = tmp_path / "joined.ndjson"
    path.write_bytes(joined)
    assert ndjson.load(path, int) == [1, 2, 3, 4]
    with ndjson.open(path, int) as rows:
        assert list(rows) == [rows[at] for at in range(4)] == [1, 2, 3, 4]
    concatenated = [mark + b"[1]" + mark + b"[2]"]
    assert list(ndjson.read(concatenated, framing="concatenated")) == [[1], [2]]
    sequence = [mark + b"\x1e1\n" + mark + b"\x1e2\n"]
    assert list(ndjson.read(sequence, framing="sequence")) == [1, 2]


def test_148_and_nowhere_else() -> None:
    for text in ("1\ufeff\n", "[\ufeff1]\n", "\ufefb\n"):
        with pytest.raises(MalformedInput):
            ndjson.decode(text)
    with pytest.raises(MalformedInput):
        penstock.json.decode("\ufeff\ufeff1")


@pytest.mark.parametrize("name", ["ISO-8859-9", "latin5", "ISO-8859-11", "TIS-620", "KOI8-U"])
def test_149_an_encoding_is_not_read_as_its_relative_of_windows(name: str) -> None:
    head = f"<?xml version='1.0' encoding='{name}'?>".encode()
    for byte in range(0x80, 0x100):
        try:
            char = bytes([byte]).decode(name)
        except UnicodeDecodeError:
            with pytest.raises(MalformedInput, match="these bytes are not a character"):
                penstock.xml.decode(head + b"<a>%c</a>" % byte)
            continue
        assert penstock.xml.decode(head + b"<a>%c</a>" % byte, str) == char
        assert penstock.decode(b'"%c"' % byte, encoding=name) == char


@pytest.mark.parametrize(
    "declared",
    [
        "<!ENTITY lt '&#38;#60;'>",
        "<!ENTITY lt '&#60;'>",
        "<!ENTITY lt '<'>",
        "<!ENTITY lt '&lt;'>",
        "<!ENTITY amp '&#38;'>",
        "<!ENTITY apos '&apos;'>",
        "<!ENTITY apos '&#39;'>",
        '<!ENTITY apos "\'">',
        "<!ENTITY gt '&gt;'>",
    ],
)
def test_150_a_predefined_entity_may_be_declared_to_be_itself(declared: str) -> None:
    text = f"<!DOCTYPE a [{declared}]><a b='&lt;&amp;&apos;'>&lt;&amp;&apos;&gt;</a>"
    assert penstock.xml.decode(text) == {"a": {"@b": "<&'", "#text": "<&'>"}}


@pytest.mark.parametrize("other", ["x", "&gt;", "&#38;#38;", "<<", "&lt;&lt;", ""])
def test_150_but_not_to_be_something_else(other: str) -> None:
    with pytest.raises(MalformedInput) as raised:
        penstock.xml.decode(f"<!DOCTYPE a [<!ENTITY lt '{other}'>]><a/>")
    reason = "the entity 'lt' may not be declared to be something else"
    assert raised.value.reason == reason


UTF_16 = "line 1, column 1: this looks like UTF-16 ({}); say encoding='{}' (record 1)"


@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
@pytest.mark.parametrize(
    ("data", "order", "encoding"),
    [
        (b"\\\x00", "little endian", "utf-16-le"),
        (b"\0\r\n{}\n", "big endian", "utf-16-be"),
    ],
)
def test_365_a_decoder_of_an_encoding_that_nobody_said(
    errors: Any, data: bytes, order: str, encoding: str
) -> None:
    """The decoder looked for the next line in text that it could not read, without end."""
    decoder = penstock.ndjson.Decoder(errors=errors)

    def fed() -> None:
        decoder.feed(data)
        decoder.finish()

    with pytest.raises(penstock.MalformedInput) as caught:
        fed()
    assert str(caught.value) == UTF_16.format(order, encoding)
    assert decoder.skipped == 0
