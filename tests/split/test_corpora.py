"""Every file of the corpora is the same in parts: its records, its errors, and their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pytest

import penstock
from penstock._parts import ranges as _ranges

# Folder, suffixes, format, and how many files there are at least.
SUITES = [
    ("json", {".json"}, "json", 300),
    ("csv", {".csv"}, "csv", 20),
    ("xml", {".xml", ".nxml"}, "xml", 150),
]


# Why a file has no checkpoint at some records.
REFUSED = [
    "a record depends on what comes before it",
    "its encoding is not UTF-8",
    "the last line has no line feed",
]


def told(readers: Iterable[penstock.Reader[Any]]) -> tuple[list[str], str | None, Any]:
    """Return the records, and the error that ends them, if there is one."""
    records: list[str] = []
    try:
        for reader in readers:
            with reader:
                records.extend(map(repr, reader))
    except penstock.DecodeError as error:
        place = error.offset, error.line, error.column, error.record, error.excerpt
        return records, str(error), place
    return records, None, None


def place_of(reader: penstock.Reader[Any] | penstock.Columns, path: Path) -> Any:
    """Return a checkpoint, or None if there is none at this record."""
    try:
        return reader.checkpoint()
    except ValueError as error:
        refused = str(error)
    assert any(why in refused for why in REFUSED), f"{path}: {refused}"
    return None


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file_in_parts(
    corpus: Callable[[str], Path],
    folder: str,
    suffixes: set[str],
    kind: Any,
    least: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    assert len(files) >= least
    split = 0
    for path in files:
        expected = told([penstock.read(path, format=kind)])
        monkeypatch.setattr(_ranges, "SIZE", max(64, path.stat().st_size // 7))
        for parts, threads in ((2, 1), (5, 2), (64, 1)):
            found = penstock.split(path, parts=parts, format=kind, threads=threads)
            split += len(found) > 1
            assert told(part.read() for part in found) == expected, f"{path}\n{found}"
    assert split > 10


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file_behind_a_checkpoint(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: Any, least: int
) -> None:
    files = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    assert len(files) >= least
    resumed = 0
    for path in files:
        expected = told([penstock.read(path, format=kind)])
        records = expected[0]
        for count in {1, len(records) // 2, len(records) - 1} - {0, -1}:
            reader = penstock.read(path, format=kind)
            before = [repr(next(reader)) for _ in range(min(count, len(records)))]
            if not before:
                continue
            checkpoint = place_of(reader, path)
            if checkpoint is None:
                continue
            if kind == "csv" and not path.read_bytes().endswith(b"\n"):
                # What has no end is left for another time.
                continue
            behind, *problem = told([penstock.read(path, format=kind, resume=checkpoint)])
            assert ([*before, *behind], *problem) == expected, f"{path}, {checkpoint}"
            resumed += 1
    assert resumed > 10


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_all_files_one_after_the_other(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: Any, least: int
) -> None:
    """A reader of all files that are good gives way to another one every few records."""
    files = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    good, records = [], []
    # A last line without an end would be left in the last file only.
    files.sort(key=lambda path: path.read_bytes()[-1:] == b"\n")
    for path in files:
        found, error, _ = told([penstock.read(path, format=kind)])
        if error is None:
            good.append(path)
            records += found
    assert len(good) > least // 4
    resume: penstock.Checkpoint | Literal["start"] = "start"
    seen: list[str] = []
    kept = 0
    some = max(1, len(records) // 40)
    while True:
        reader = penstock.read(good, format=kind, resume=resume)
        got = [repr(record) for record in islice(reader, some)]
        while True:
            refused = None
            try:
                resume = reader.checkpoint()
            except ValueError as error:
                refused = str(error)
            if refused is None:
                break
            assert any(why in refused for why in REFUSED), refused
            got.append(repr(next(reader)))
        kept += 1
        seen += got
        if not got:
            break
    assert seen == records
    assert kept > 20


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
def test_every_property_list_behind_a_checkpoint(corpus: Callable[[str], Path]) -> None:
    files = [path for path in sorted(corpus("plist").rglob("*")) if path.suffix == ".plist"]
    assert len(files) > 20
    resumed = 0
    for path in files:
        for at in ("*", "*/*", "$objects/*"):
            expected = told([penstock.read(path, at=at, format="plist")])
            records = expected[0]
            for count in range(1, min(len(records), 20)):
                reader = penstock.read(path, at=at, format="plist")
                before = [repr(next(reader)) for _ in range(count)]
                if path.read_bytes()[:6] != b"bplist":
                    with pytest.raises(ValueError, match="of property lists, only a binary one"):
                        reader.checkpoint()
                    continue
                place = reader.checkpoint()
                behind, *problem = told([penstock.read(path, at=at, format="plist", resume=place)])
                assert ([*before, *behind], *problem) == expected, f"{path}, {place}"
                resumed += 1
    assert resumed > 30


def compared(path: Path, kind: Any, rows: int | None, threads: int) -> tuple[int, int]:
    """Compare what is behind some batches of columns with the records of the file.

    There are three batches, unless it is said how many rows one has. Return how many checkpoints
    there were, and how many pieces several threads have read.
    """
    try:
        schema = penstock.schema(path, format=kind)
    except (penstock.DecodeError, penstock.PlanError):
        return 0, 0
    if not schema.names:
        return 0, 0
    whole = told([penstock.read(path, schema, format=kind)])
    rows = len(whole[0]) // 3 + 1 if rows is None else rows
    batches = penstock.columns(path, schema, format=kind, rows=rows, threads=threads)
    seen = resumed = 0
    for _, batch in zip(range(3), batches, strict=False):
        seen += len(batch)
        place = place_of(batches, path)
        if place is None:
            continue
        if kind == "csv" and not path.read_bytes().endswith(b"\n"):
            continue
        rest = told([penstock.read(path, schema, format=kind, resume=place)])
        assert (whole[0][seen:], *whole[1:]) == rest, f"{path}, {place}"
        resumed += 1
    return resumed, batches.reader._pieces()


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_columns_of_every_file_behind_a_checkpoint(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: Any, least: int
) -> None:
    files = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    assert len(files) >= least
    assert sum(compared(path, kind, rows=7, threads=1)[0] for path in files) > 5


def repeated(text: bytes, kind: str, size: int) -> bytes:
    """Return a document with the records of another one, again and again up to a size."""
    times = -(-size // len(text))
    if kind == "csv":
        header, _, rows = text.partition(b"\n")
        return header + b"\n" + (rows.rstrip(b"\n") + b"\n") * times
    if kind == "json":
        inner = text.strip()
        inner = inner[1:-1] if inner.startswith(b"[") else inner
        return b"[" + b",".join([inner] * times) + b"]"
    root = re.search(rb"<\w[^>]*>", text)
    end = text.rindex(b"</")
    return (
        text if root is None else text[: root.end()] + text[root.end() : end] * times + text[end:]
    )


@pytest.mark.parametrize(("folder", "suffixes", "kind", "_"), SUITES, ids=[s[0] for s in SUITES])
def test_columns_that_several_threads_read_behind_a_checkpoint(
    corpus: Callable[[str], Path],
    folder: str,
    suffixes: set[str],
    kind: Any,
    _: int,
    tmp_path: Path,
) -> None:
    """The largest files, several times over: of less, one thread reads all."""
    files = [path for path in corpus(folder).rglob("*") if path.suffix in suffixes]
    files.sort(key=lambda path: (path.stat().st_size, path))
    resumed = pieces = 0
    for path in files[-8:]:
        large = tmp_path / path.name
        large.write_bytes(repeated(path.read_bytes(), kind, 6 << 20))
        more, read = compared(large, kind, rows=None, threads=2)
        resumed, pieces = resumed + more, pieces + read
    assert resumed > 5
    assert pieces > 10
