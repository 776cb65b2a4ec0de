"""`read` of several files: a list of paths, a pattern or a folder."""

from __future__ import annotations

import gc
import gzip
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import penstock
from penstock import DecodeError, MalformedInput, ValidationError


@dataclass(slots=True)
class Row:
    at: int


def line(at: object) -> str:
    return f'{{"at": {at}}}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "c.json").write_text('[{"at": 5}, {"at": 6}]')
    (folder / "a.ndjson").write_text(line(1) + line(2))
    (folder / "b.ndjson.gz").write_bytes(gzip.compress((line(3) + line(4)).encode()))
    (folder / "d.xml").write_text("<rows><row><at>7</at></row></rows>")
    with zipfile.ZipFile(folder / "e.jsonl.zip", "w") as archive:
        archive.writestr("e.jsonl", line(8))
    (folder / ".hidden.json").write_text("broken")
    (folder / "readme.txt").write_text("no data")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "f.ndjson").write_text(line(9))
    return folder


def numbers(source: Any, **options: Any) -> list[int]:
    return [row.at for row in penstock.read(source, Row, **options)]


def test_a_folder(folder: Path) -> None:
    assert numbers(folder) == numbers(str(folder)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert numbers(folder, format="ndjson") == [1, 2, 3, 4, 8]
    assert [row.at for row in penstock.ndjson.read(folder, Row)] == [1, 2, 3, 4, 8]
    assert [row.at for row in penstock.json.read(folder, Row)] == [5, 6]
    assert [row.at for row in penstock.xml.read(folder, Row)] == [7]
    assert numbers(folder / "deeper") == [9]
    empty = folder / "empty"
    empty.mkdir()
    with pytest.raises(FileNotFoundError) as raised:
        penstock.read(empty)
    assert raised.value.filename == str(empty)
    assert raised.value.strerror == (
        "The folder has no file whose name says the format 'json', 'ndjson', 'xml', 'csv' or 'plist'"
    )
    with pytest.raises(FileNotFoundError, match="whose name says the format 'xml'"):
        penstock.read(folder / "deeper", format="xml")
    (empty / "2026").mkdir()
    with pytest.raises(FileNotFoundError) as raised:
        penstock.read(empty)
    pattern = str(empty / "**" / "*.ndjson")
    assert raised.value.strerror.endswith(
        f"; a pattern means files in its folders, such as {pattern!r}"
    )


def test_a_pattern(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert numbers(folder / "*.ndjson*") == [1, 2, 3, 4]
    assert numbers(f"{folder}/[ac].*") == [1, 2, 5, 6]
    assert numbers(f"{folder}/**/*.ndjson") == [1, 2, 9]
    assert numbers(f"{folder}/d.xm?") == [7]
    monkeypatch.chdir(folder)
    assert numbers("[b-c].*") == [3, 4, 5, 6]
    with pytest.raises(FileNotFoundError, match=r"No file matches: '\*.csv'"):
        penstock.read("*.csv")
    # A file may have such a name itself.
    Path("[ac].json").write_text(line(10))
    assert numbers("[ac].json") == [10]


def test_a_list_of_paths(folder: Path) -> None:
    paths = [folder / "c.json", str(folder / "a.ndjson"), os.fspath(folder / "d.xml")]
    assert numbers(paths) == numbers(tuple(paths)) == [5, 6, 1, 2, 7]
    assert numbers([folder / "a.ndjson"]) == [1, 2]
    assert numbers([folder / "deeper", folder / "a*"]) == [9, 1, 2]
    assert numbers([folder / "a.ndjson"] * 3) == [1, 2] * 3
    with pytest.raises(FileNotFoundError) as raised:
        penstock.read([folder / "a.ndjson", folder / "none.json"])
    assert raised.value.filename == str(folder / "none.json")
    with pytest.raises(ValueError, match=r"cannot tell the format of .*readme.txt"):
        penstock.read([folder / "a.ndjson", folder / "readme.txt"])
    with pytest.raises(TypeError, match=r"^a list of paths holds paths only, not bytes$"):
        penstock.read([folder / "a.ndjson", b"[1]"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="the paths of several files must be a list"):
        list(penstock.json.read(iter(paths)))  # type: ignore[arg-type]
    # Chunks are chunks in a list as well.
    assert numbers([b'[{"at": 1}', b"]"], format="json") == [1]


def test_batches_go_over_the_ends_of_files(folder: Path) -> None:
    reader = penstock.read(folder, Row)
    assert [[row.at for row in rows] for rows in reader.batches(3)] == [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8],
    ]


def test_progress_is_that_of_all(folder: Path) -> None:
    (folder / "c.json").rename(folder / "c.ndjson").write_text(line(5) + line(6))
    (folder / "d.xml").rename(folder / "d.ndjson").write_text(line(7))
    paths = sorted(folder.glob("[a-d].*"))
    total = sum(path.stat().st_size for path in paths)
    with penstock.read(paths, Row) as reader:
        assert repr(reader) == "Reader(4 files -> Row, a line each, 0 records, 0 %)"
        assert reader.progress.bytes_total == total
        seen = []
        for row in reader:
            progress = reader.progress
            seen.append((row.at, progress.records))
            assert progress.bytes_read <= total
        assert seen == [(at, at) for at in range(1, 8)]
        assert reader.progress.bytes_read == total
        assert reader.progress.records == 7
        assert repr(reader) == "Reader(4 files -> Row, a line each, 7 records, 100 %)"


def test_an_error_names_its_file(folder: Path) -> None:
    (folder / "a.ndjson").write_text(line(1) + line('"x"') + line(2))
    reader = penstock.read(folder / "[ac].*", Row)
    assert next(reader).at == 1
    with pytest.raises(ValidationError) as raised:
        next(reader)
    assert raised.value.source == str(folder / "a.ndjson")
    assert (raised.value.line, raised.value.record) == (2, 2)
    # As the rest of that file is lost, the next file follows, if anybody asks.
    assert [row.at for row in reader] == [5, 6]
    (folder / "c.json").write_text("[1")
    (folder / "a.ndjson").write_text(line(1))
    reader = penstock.read(folder / "[ac].*")
    assert next(reader) == {"at": 1}
    assert next(reader) == 1
    with pytest.raises(penstock.TruncatedInput) as truncated:
        next(reader)
    assert truncated.value.source == str(folder / "c.json")
    assert list(reader) == []


@pytest.fixture
def bad(tmp_path: Path) -> list[Path]:
    texts = [line(1) + line('"x"') + line(2), line(3), line('"y"') + "{\n", line(4) + line('"z"')]
    paths = [tmp_path / f"{at}.ndjson" for at in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def places(paths: list[Path], errors: Any) -> list[tuple[int, int | None, int | None]]:
    names = [str(path) for path in paths]
    return [(names.index(error.source), error.line, error.record) for error in errors]


WRONG = [(0, 2, 2), (2, 1, 1), (2, 2, 2), (3, 2, 2)]


def test_bad_records_of_all_files(bad: list[Path]) -> None:
    reader = penstock.read(bad, Row, errors="skip")
    assert ([row.at for row in reader], reader.skipped) == ([1, 2, 3, 4], 4)
    errors: list[DecodeError] = []
    assert numbers(bad, errors=errors.append) == [1, 2, 3, 4]
    assert places(bad, errors) == WRONG


def test_collected_errors_come_behind_the_last_file(bad: list[Path]) -> None:
    reader = penstock.read(bad, Row, errors="collect")
    assert [next(reader).at for _ in range(4)] == [1, 2, 3, 4]
    with pytest.raises(ExceptionGroup, match="4 records in error") as raised:
        next(reader)
    assert places(bad, raised.value.exceptions) == WRONG
    assert list(reader) == []
    # One more than are kept: at once.
    reader = penstock.read(bad, Row, errors="collect", max_errors=2)
    assert [next(reader).at for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ExceptionGroup) as raised:
        next(reader)
    assert places(bad, raised.value.exceptions) == WRONG[:2]
    # With the error that ends a file.
    broken = bad[1].with_suffix(".json")
    broken.write_text("[")
    reader = penstock.read([bad[0], broken, bad[1]], Row, errors="collect")
    assert [next(reader).at for _ in range(2)] == [1, 2]
    with pytest.raises(ExceptionGroup) as raised:
        next(reader)
    assert [type(error) for error in raised.value.exceptions] == [
        ValidationError,
        penstock.TruncatedInput,
    ]
    assert [row.at for row in reader] == [3]


def test_unknown_keys_and_repairs_of_all_files(tmp_path: Path) -> None:
    for at in range(3):
        (tmp_path / f"{at}.xml").write_text(f"<rows><row><at>{at}</at><x>a & b</x></row></rows>")
    reader = penstock.xml.read(tmp_path, Row, unknown="collect", repair="bare_ampersand")
    assert [row.at for row in reader] == [0, 1, 2]
    assert reader.unknown == {"Row.x": 3}
    assert reader.repair_counts == {"bare_ampersand": 3}
    assert [repair.column for repair in reader.repairs] == [27, 27, 27]


def test_a_path_and_paths_with_types(folder: Path) -> None:
    @dataclass
    class At:
        value: Annotated[int, penstock.at("at")]

    assert [row.value for row in penstock.read(folder / "[ac].*", At)] == [1, 2, 5, 6]
    (folder / "g.json").write_text('{"rows": [{"at": 3}]}')
    (folder / "h.json").write_text('{"rows": [{"at": 4}]}')
    assert numbers(folder / "[gh].json", at="rows/*") == [3, 4]
    reader = penstock.json.read(folder / "[gh].json", at={"rows/*": Row})
    assert [row.at for row in reader] == [3, 4]


def files_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.thread_unsafe(reason="it counts the open files of the process")
def test_one_file_is_open_at_a_time(tmp_path: Path) -> None:
    for at in range(50):
        (tmp_path / f"{at:02}.ndjson").write_text(line(at))
    gc.collect()
    before = files_open()
    reader = penstock.read(tmp_path, Row)
    assert max(files_open() - before for _ in reader) <= 1
    assert files_open() == before
    with penstock.read(tmp_path, Row) as reader:
        next(reader)
    assert files_open() == before
    with pytest.raises(ValueError, match="this Reader is closed"):
        next(reader)


def test_a_file_that_is_gone_when_its_turn_comes(bad: list[Path]) -> None:
    reader = penstock.read([bad[1], bad[0], bad[1]], Row, errors="skip")
    bad[0].unlink()
    assert next(reader).at == 3
    with pytest.raises(FileNotFoundError) as raised:
        next(reader)
    assert raised.value.filename == str(bad[0])
    assert [row.at for row in reader] == [3]


def test_other_verbs_take_one_file(folder: Path) -> None:
    for verb in (penstock.load, penstock.open, penstock.json.load, penstock.ndjson.open):
        name = verb.__name__
        with pytest.raises(IsADirectoryError) as raised:
            verb(folder)  # type: ignore[operator]
        assert raised.value.strerror == "Is a directory; penstock.read() reads the files in it"
    for verb in (penstock.load, penstock.open, penstock.json.load):
        name = verb.__name__
        with pytest.raises(TypeError) as refused:
            verb([folder / "a.ndjson"])  # type: ignore[operator]
        assert str(refused.value) == (
            f"{name}() takes one source: penstock.read() takes a list of paths"
        )
        with pytest.raises(FileNotFoundError) as missing:
            verb(folder / "*.json")  # type: ignore[operator]
        assert missing.value.strerror == "No such file; penstock.read() takes a pattern"


def test_urls_are_no_files() -> None:
    for verb in (penstock.read, penstock.load, penstock.json.read, penstock.xml.load):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message follows
            verb("https://example.org/a.json")  # type: ignore[operator]
        assert str(raised.value) == (
            f"{verb.__name__}() opens files, not URLs: "
            "pass penstock.remote('https://example.org/a.json')"
        )
    with pytest.raises(ValueError, match=r"pass penstock.remote\('s3://bucket/a.json'\)"):
        penstock.read(["s3://bucket/a.json"])
    with pytest.raises(MalformedInput):
        penstock.decode("https://example.org")
    for verb in (penstock.columns, penstock.schema):
        with pytest.raises(ValueError, match=rf"^{verb.__name__}\(\) opens files, not URLs: pass"):
            verb("https://example.org/a.json")  # type: ignore[operator]
    for verb in (penstock.read, penstock.load, penstock.columns):
        with pytest.raises(ValueError, match=r"by their paths, not URLs: pass '/tmp/a b.json'$"):
            verb("file:///tmp/a%20b.json")  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"^write\(\) opens files by .*: pass '/tmp/b.json'$"):
        penstock.write("file://localhost/tmp/b.json")
    # Documents are no patterns and no URLs.
    for text in ('{"a": "*?"}', '[{"a": "*"}]', "<a xmlns='http://a.b'>?</a>", "[1, 2]"):
        for verb in (penstock.json.read, penstock.json.load):
            with pytest.raises(FileNotFoundError) as missing:
                verb(text)  # type: ignore[operator]
            assert missing.value.strerror == "No such file or directory"
