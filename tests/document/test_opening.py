"""Which sources can be opened, and the errors for the others."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = b'{"items": [1, 2.50, "caf\xc3\xa9"]}'
VALUE = json.loads(TEXT)


def verdict(call: Callable[[], Any]) -> tuple[object, ...]:
    """The value, exactly; or the error with its whole position and reason."""
    try:
        return "accepted", repr(call())
    except DecodeError as error:
        known = ("source", "offset", "line", "column", "record", "path", "excerpt", "caret")
        return type(error), str(error), *(getattr(error, name) for name in known)


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_bytes(TEXT)
    packed = tmp_path / "items.json.gz"
    packed.write_bytes(gzip.compress(TEXT))
    archive = tmp_path / "items.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("items.json", TEXT)
    sources: list[Any] = [
        path,
        str(path),
        packed,
        io.BytesIO(TEXT),
        iter([TEXT[:7], TEXT[7:]]),
        TEXT,
        bytearray(TEXT),
        memoryview(TEXT)[:],
        gzip.compress(TEXT, mtime=0),
        bytearray(bz2.compress(TEXT)),
        b"\xef\xbb\xbf" + TEXT,
    ]
    for source in sources:
        assert penstock.json.open(source) == VALUE
    assert penstock.open(path) == penstock.open(packed) == penstock.open(TEXT) == VALUE
    assert penstock.open(archive, format="json") == VALUE
    assert penstock.json.open(archive, member="items.json") == VALUE
    latin = TEXT.decode().encode("latin-1")
    assert penstock.open(latin, encoding="latin-1") == VALUE
    assert penstock.open(TEXT.decode().encode("utf-16"), encoding="utf-16") == VALUE
    with path.open("rb") as file:
        assert penstock.open(file) == VALUE
        assert not file.closed


def test_a_source_is_not_needed_any_more(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_bytes(TEXT)
    document = penstock.open(path)
    path.write_bytes(b"x" * 5)
    assert document["items"][2] == "café"
    path.unlink()
    assert document == VALUE
    assert repr(document) == f"Document({path}, an object of 1)"
    buffer = bytearray(TEXT)
    document = penstock.open(buffer)
    buffer[:] = b"x" * len(buffer)
    assert document == VALUE


@pytest.mark.parametrize(
    ("source", "options", "error", "message"),
    [
        (3, {}, TypeError, "open() takes a path, a binary file or an iterable of chunks of bytes, not int"),
        (io.StringIO("1"), {"format": "json"}, TypeError, "open() takes a binary file, not a text file"),
        (b"<a/>", {}, ValueError, "xml cannot be opened to look into it"),
        (TEXT, {"format": "xml"}, ValueError, "xml cannot be opened to look into it"),
        (TEXT, {"format": "csv"}, TypeError, "takes the path of a file of records, not bytes"),
        (TEXT, {"duplicates": "both"}, ValueError, "duplicates must be 'last', 'first' or 'error'"),
        (TEXT, {"limits": 3}, TypeError, "limits must be a Limits, not int"),
        (TEXT, {"at": ""}, ValueError, "a path has at least one step"),
        (TEXT, {"at": 3}, TypeError, "a path must be a str, not int"),
        (b"1\n2\n", {"format": "ndjson", "at": "*"}, ValueError, "the records of NDJSON are the lines"),
        (b"1\n2\n", {"format": "ndjson"}, TypeError, "path"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(
    source: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        penstock.open(source, **options)
    assert message in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        penstock.open(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError):
        penstock.open(tmp_path, format="json")


def test_ndjson(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(b'{"x": 1}\n{"x": 2}\n')
    with penstock.open(path, dict[str, int]) as rows:
        assert (rows[1], len(rows)) == ({"x": 2}, 2)


def test_a_source_that_raises() -> None:
    def chunks() -> Any:
        yield b'{"a": [1, '
        raise OSError("gone")

    with pytest.raises(DecodeError, match="reading failed: OSError: gone") as caught:
        penstock.json.open(chunks())
    assert isinstance(caught.value.__cause__, OSError)
    assert (caught.value.offset, caught.value.path) == (10, "a/1")


BROKEN = [
    b"",
    b" ",
    b"nul",
    b'{"a": 1,}',
    b'{"a" 1}',
    b'{"a": [1, {"b": tru}]}',
    b'{"a": [1, {"b": "\\x"}]}',
    b'{"a": [1, {"b": "\n"}]}',
    b'{"a": [1, {"b": "\xff"}]}',
    b'{"a": 01}',
    b'{"a": [1, {"b": 1.}]}',
    b'{"a": 1} 2',
    b'{"\\ud800": 1}',
    b'{"a": ["caf\xc3',
    b"[1, 2\n, 3 4]",
    b'[{"a": 1, "b": 2}, {"a": 1, "b": 2 "c": 3}]',
    b'[{"a": 1, "b": 2}, {"a": 1, "c" 3}]',
    b"\xff\xfe1\x00",
    gzip.compress(b"[1, 2", mtime=0),
    gzip.compress(b"[1, 2]", mtime=0)[:-9],
]


@pytest.mark.parametrize("data", BROKEN)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_broken_is_told_as_load_tells_it(tmp_path: Path, data: bytes, mark: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(mark + data)
    expected = verdict(lambda: penstock.json.load(path))
    assert expected[0] != "accepted"
    assert verdict(lambda: penstock.json.open(path)) == expected


@given(st.binary(max_size=8).map(lambda data: b'{"a": [' + data + b"]}") | st.binary(max_size=8))
def test_bytes_are_judged_as_decode_judges_them(data: bytes) -> None:
    opened = verdict(lambda: penstock.json.open(data, compression=None).to())
    assert opened == verdict(lambda: penstock.json.decode(data))


def test_json_test_suite(corpus: Callable[[str], Path]) -> None:
    for file in sorted(corpus("json/JSONTestSuite").glob("*.json")):
        data = file.read_bytes()
        expected = verdict(lambda data=data: penstock.json.decode(data))
        assert verdict(lambda data=data: penstock.json.open(data).to()) == expected, file.name
        pieces = [bytes([byte]) for byte in data]
        found = verdict(lambda pieces=pieces: penstock.json.open(pieces).to())
        # An excerpt shows only what was read, so it may differ.
        assert found[:-2] == expected[:-2], file.name


@pytest.mark.parametrize("count", [1, 3, 300])
def test_repeated_keys_as_errors(count: int) -> None:
    members = b", ".join(b'"key %d": [%d]' % (number, number) for number in range(count))
    fine = penstock.open(b"{%b}" % members, duplicates="error")
    assert len(fine) == count
    for again in (b'"key 0": 7', b'"key \\u0030": 7'):
        data = b'{"x": [%b, {%b, %b, "more": 1}]}' % (TEXT, members, again)
        expected = verdict(lambda data=data: penstock.decode(data, duplicates="error"))
        assert expected[0] is penstock.ValidationError
        assert verdict(lambda data=data: penstock.open(data, duplicates="error")) == expected


def test_limits() -> None:
    def limited(**limits: int) -> tuple[object, ...]:
        given = penstock.Limits(**limits)
        opened = verdict(lambda: penstock.open(TEXT, limits=given).to())
        assert opened == verdict(lambda: penstock.decode(TEXT, limits=given))
        return opened

    for name, most, fits in [("depth", 1, 2), ("token", 4, 5), ("number", 3, 4), ("total", 10, 40)]:
        assert limited(**{name: most})[0] is penstock.LimitExceeded, name
        assert limited(**{name: fits})[0] == "accepted", name


Kind = Literal["path", "bytes"]


@pytest.mark.parametrize("kind", ["path", "bytes"])
def test_documents_of_several_pieces(tmp_path: Path, kind: Kind) -> None:
    # Rows of many lengths, so that pieces end at every kind of place in them.
    rows = [
        {"text": "é" * (number % 97), "n": number, "x": [None] * (number % 5)}
        for number in range(9000)
    ]
    data = json.dumps(rows, ensure_ascii=False, indent=1).encode()
    assert len(data) > 1 << 20
    path = tmp_path / "rows.json"
    path.write_bytes(data)
    document: Any = penstock.open(path if kind == "path" else data)
    assert document == rows
    assert document[8999]["text"] == rows[8999]["text"]
