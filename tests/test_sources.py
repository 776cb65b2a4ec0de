"""Which sources `load` and `read` take, their names in messages, and how the format is found."""

import array
import bz2
import gzip
import io
import lzma
import os
import struct
import zipfile
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import penstock

Verb = Callable[..., Any]


def load(source: object, **options: Any) -> object:
    return penstock.load(source, **options)  # type: ignore[call-overload,arg-type]


def read(source: object, **options: Any) -> object:
    return list(penstock.read(source, **options))  # type: ignore[arg-type]


each_verb = pytest.mark.parametrize("verb", [load, read])


class Async:
    def __aiter__(self) -> AsyncIterator[bytes]:
        raise NotImplementedError


class OnlyReadinto:
    """The smallest object that counts as a binary file."""

    def __init__(self, data: bytes) -> None:
        self.file = io.BytesIO(data)

    def readinto(self, buffer: bytearray) -> int:
        return self.file.readinto(buffer)


# --- Kinds of source --------------------------------------------------------------------------


@each_verb
def test_a_path_as_text_or_as_an_object(verb: Verb, tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"[1, 2]")
    assert verb(path) == verb(str(path)) == [1, 2]


@each_verb
def test_binary_files(verb: Verb, tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"[1, 2]")
    with path.open("rb") as file:
        assert verb(file) == [1, 2]
        assert not file.closed
    with path.open("rb", buffering=0) as raw:
        assert verb(raw) == [1, 2]
    assert verb(io.BytesIO(b"[1, 2]"), format="json") == [1, 2]
    assert verb(OnlyReadinto(b"[1, 2]"), format="json") == [1, 2]


@each_verb
def test_chunks(verb: Verb) -> None:
    chunks = [b"[1", bytearray(b","), memoryview(b" 2"), array.array("b", b"3]")]
    assert verb(chunks, format="json") == [1, 23]
    assert verb((bytes([byte]) for byte in b"[1, 23]"), format="json") == [1, 23]


@each_verb
def test_what_is_no_source_is_refused_with_advice(verb: Verb) -> None:
    for source, message in [
        (
            b"[1]",
            f"{verb.__name__}() takes a path or a binary file; for data in memory use decode()",
        ),
        (
            bytearray(b"[1]"),
            f"{verb.__name__}() takes a path or a binary file; for data in memory use decode()",
        ),
        (
            io.StringIO("[1]"),
            f"{verb.__name__}() takes a binary file, not a text file: open it with 'rb'",
        ),
        (
            3,
            f"{verb.__name__}() takes a path, a binary file or an iterable of chunks of bytes, not int",
        ),
        (
            None,
            f"{verb.__name__}() takes a path, a binary file or an iterable of chunks of bytes, not NoneType",
        ),
        (
            Async(),
            f"{verb.__name__}() cannot wait for an asynchronous Async: use penstock.aio.read()",
        ),
    ]:
        with pytest.raises(TypeError) as caught:
            verb(source)
        assert str(caught.value) == message


@each_verb
def test_a_missing_file_is_an_oserror(verb: Verb, tmp_path: Path) -> None:
    for missing in ("n.json", "n.json.zip", "n"):
        with pytest.raises(FileNotFoundError) as caught:
            verb(tmp_path / missing)
        assert caught.value.filename == str(tmp_path / missing)


def test_a_file_that_a_reader_opened_is_closed_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"[1, 2]")
    with penstock.read(path) as reader:
        assert next(reader) == 1
    with pytest.raises(ValueError, match="closed"):
        next(reader)


# --- Names in messages ------------------------------------------------------------------------


def source_of(source: object, **options: Any) -> str | None:
    with pytest.raises(penstock.MalformedInput) as caught:
        load(source, **options)
    return caught.value.source


def test_a_message_names_the_source_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b"[1 2]")
    assert source_of(path) == str(path)
    monkeypatch.chdir(tmp_path)
    assert source_of("bad.json") == "bad.json"
    with path.open("rb") as file:
        assert source_of(file) == str(path)
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    path.rename(odd)
    assert source_of(odd) == f"{tmp_path}/\\udcff.json"
    Path(odd).rename(path)
    with open(os.open(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123 - its name is a number
        assert source_of(file, format="json") is None
    assert source_of(io.BytesIO(b"[1 2]"), format="json") is None
    assert source_of([b"[1 2]"], format="json") is None


# --- Formats ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["n.json", "N.JSON", "n.geojson", "n.json.gz", "n.v2.json", "n", "n.dat"]
)
def test_json_by_suffix_or_first_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = b"\xef\xbb\xbf \n[1, [2]]"
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert load(path) == read(path) == [1, [2]]


@pytest.mark.parametrize(
    "name", ["n.ndjson", "n.jsonl", "n.jsonl.gz", "n.ndjson.xz", "n.ndjson.bz2"]
)
def test_ndjson_by_suffix(name: str, tmp_path: Path) -> None:
    pack = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}.get(
        name.rpartition(".")[2], bytes
    )
    path = tmp_path / name
    path.write_bytes(pack(b"1\n[2]\n"))
    assert load(path) == read(path) == [1, [2]]


def test_the_callers_word_is_stronger_than_the_name(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_bytes(b"1\n2\n")
    assert load(path, format="ndjson") == [1, 2]


@each_verb
def test_a_format_that_nothing_tells_is_asked_for(verb: Verb, tmp_path: Path) -> None:
    path = tmp_path / "n.dat"
    path.write_bytes(b"hello")
    for source, what in [(path, repr(str(path))), (io.BytesIO(b"[1]"), "a stream without a name")]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared below
            verb(source)
        assert str(caught.value) == (
            f"cannot tell the format of {what}: pass format='json', 'ndjson', 'xml', 'csv' or 'plist'"
        )


def test_unknown_formats_are_refused_by_name() -> None:
    for word, message in [
        ("yaml", "format='yaml' is not a format: 'json', 'ndjson', 'xml', 'csv' and 'plist' are"),
    ]:
        for call in (
            lambda f=word: penstock.decode("1", format=f),
            lambda f=word: penstock.load("n.json", format=f),
            lambda f=word: penstock.read("n.json", format=f),
            lambda f=word: penstock.Decoder(format=f),
        ):
            with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared below
                call()
            assert str(caught.value) == message


def test_decode_takes_data_for_json_unless_it_is_plainly_not() -> None:
    assert penstock.decode(b" 1") == penstock.decode("1") == penstock.decode(bytearray(b"1")) == 1
    with pytest.raises(penstock.TruncatedInput, match=r"which ends a binary property list$"):
        penstock.decode(b"bplist00")


def test_ndjson_as_a_whole_is_a_list() -> None:
    data = "1\n2\n"
    assert penstock.decode(data, format="ndjson") == [1, 2]
    assert penstock.decode(data, Any, format="ndjson") == [1, 2]
    assert penstock.decode(data, list, format="ndjson") == [1, 2]
    assert penstock.decode(data, list[int], format="ndjson") == [1, 2]
    with pytest.raises(TypeError) as caught:
        penstock.decode(data, int, format="ndjson")
    assert str(caught.value) == (
        "decode() of NDJSON gives a list: ask for list[int], or call penstock.ndjson.decode() with int"
    )


# --- Zip archives -----------------------------------------------------------------------------


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@each_verb
def test_a_zip_of_one_file(verb: Verb, tmp_path: Path) -> None:
    path = zipped(tmp_path / "n.zip", {"a/": b"", "a/n.ndjson": b"1\n2\n", "__MACOSX/a/._n": b"x"})
    assert verb(path) == [1, 2]
    with path.open("rb") as file:
        assert verb(file) == [1, 2]
        assert not file.closed


@each_verb
def test_a_zip_of_several_files(verb: Verb, tmp_path: Path) -> None:
    path = zipped(tmp_path / "n.zip", {"a.json": b"[1]", "b.json.gz": gzip.compress(b"[2]")})
    assert verb(path, member="a.json") == [1]
    assert verb(path, member="b.json.gz") == [2]
    assert verb(io.BytesIO(path.read_bytes()), member="b.json.gz") == [2]
    for options, message in [
        ({}, f"{path} holds 2 files; choose one with member=: 'a.json', 'b.json.gz'"),
        ({"member": "c"}, f"{path} does not hold 'c' exactly once; it holds 'a.json', 'b.json.gz'"),
    ]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared below
            verb(path, **options)
        assert str(caught.value) == message


def test_a_zip_of_nothing(tmp_path: Path) -> None:
    path = zipped(tmp_path / "n.zip", {"a/": b""})
    with pytest.raises(ValueError, match=r"n\.zip holds no file$"):
        load(path)


def test_a_zip_needs_to_seek() -> None:
    with pytest.raises(TypeError) as caught:
        load([b"PK"], member="a.json")
    assert (
        str(caught.value)
        == "load() needs a path or a file that can seek to look into a zip archive"
    )


def test_a_member_is_named_in_messages(tmp_path: Path) -> None:
    path = zipped(tmp_path / "n.zip", {"a/n.json": b"[1 2]"})
    assert source_of(path) == f"{path}/a/n.json"
    assert source_of(io.BytesIO(path.read_bytes()), member="a/n.json") == "a/n.json"


def test_bad_archives_are_malformed_input(tmp_path: Path) -> None:
    path = tmp_path / "n.zip"
    path.write_bytes(b"[1, 2]")
    with pytest.raises(penstock.MalformedInput, match=r"n\.zip: not a zip archive: "):
        load(path)

    good = zipped(tmp_path / "good.zip", {"n.json": b"[" + b"1, " * 1000 + b"1]"}).read_bytes()
    start = good.index(b"n.json") + len("n.json")
    path.write_bytes(good[:start] + b"\xff" * 8 + good[start + 8 :])
    with pytest.raises(
        penstock.MalformedInput, match=r"n\.zip/n\.json: the zip archive cannot be read: "
    ):
        load(path)

    # The flag for a password, in both places of the archive.
    locked = bytearray(good)
    central = good.rindex(b"PK\x01\x02")
    for flags in (6, central + 8):
        struct.pack_into("<H", locked, flags, 1)
    path.write_bytes(locked)
    with pytest.raises(penstock.MalformedInput, match="password required"):
        load(path)


def test_a_zip_bomb_is_stopped(tmp_path: Path) -> None:
    path = zipped(tmp_path / "n.zip", {"n.json": b" " * (40 << 20) + b"[]"})
    assert load(path, limits=penstock.Limits(ratio=2000)) == []
    with pytest.raises(penstock.LimitExceeded, match=r"500 times its size \(limits\.ratio\)"):
        load(path)
    with pytest.raises(penstock.LimitExceeded, match=r"100 times its size \(limits\.ratio\)"):
        load(path, limits=penstock.Limits(ratio=100))


def test_an_archive_that_was_opened_here_is_closed(tmp_path: Path) -> None:
    # A file that stays open warns when it is dropped, and warnings are errors here.
    path = zipped(tmp_path / "n.zip", {"n.json": b"[1, 2]"})
    reader = penstock.read(path)
    assert next(reader) == 1
    reader.close()
    penstock.read(path)


def test_no_compression_means_no_zip_either(tmp_path: Path) -> None:
    path = tmp_path / "n.json.zip"
    path.write_bytes(b"[1]")
    assert load(path, compression=None) == [1]


@pytest.mark.parametrize("verb", [penstock.columns, penstock.schema])
def test_columns_say_what_is_no_source(verb: Any) -> None:
    for source, message in [
        (b"[1]", "takes a path or a binary file; wrap data in memory in io.BytesIO()"),
        (int, "takes a path, a binary file or an iterable of chunks of bytes, not type"),
    ]:
        with pytest.raises(TypeError) as caught:
            verb(source)
        assert str(caught.value) == f"{verb.__name__}() {message}"


def test_values_that_are_parsed_already_are_no_sources() -> None:
    message = "values that are parsed already are for penstock.make() and penstock.dump()"
    verbs: list[Any] = [penstock.read, penstock.load, penstock.columns, penstock.json.read]
    for verb in (*verbs, partial(penstock.convert, to="json")):
        for value in ({"a": 1}, [{"a": 1}], ({"a": 1},)):
            with pytest.raises(TypeError) as caught:
                verb(value, int if verb in verbs else io.BytesIO())
            assert str(caught.value).endswith(f"not {type(value).__name__}: {message}")
    with pytest.raises(TypeError, match=r"writes a file: penstock\.make\(\) makes objects"):
        penstock.convert([b"[]"], int)  # type: ignore[arg-type]
