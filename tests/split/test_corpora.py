"""Every file of the corpora is the same in parts: its records, its errors, and their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pytest

import penstock
from penstock import _ranges

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
            refused = None
            try:
                checkpoint = reader.checkpoint()
            except ValueError as error:
                refused = str(error)
            if refused is not None:
                assert any(why in refused for why in REFUSED), f"{path}: {refused}"
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


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_columns_of_every_file_behind_a_checkpoint(
    corpus: Callable[[str], Path],
    folder: str,
    suffixes: set[str],
    kind: Any,
    least: int,
    threads: int,
) -> None:
    files = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    assert len(files) >= least
    resumed = 0
    for path in files:
        try:
            schema = penstock.schema(path, format=kind)
        except (penstock.DecodeError, penstock.PlanError):
            continue
        if not schema.names:
            continue
        whole = told([penstock.read(path, schema, format=kind)])
        batches = penstock.columns(path, schema, format=kind, rows=7, threads=threads)
        seen = 0
        for _, batch in zip(range(3), batches, strict=False):
            seen += len(batch)
            refused = None
            try:
                place = batches.checkpoint()
            except ValueError as error:
                refused = str(error)
            if refused is not None:
                assert any(why in refused for why in REFUSED), f"{path}: {refused}"
                continue
            if kind == "csv" and not path.read_bytes().endswith(b"\n"):
                continue
            rest = told([penstock.read(path, schema, format=kind, resume=place)])
            assert (whole[0][seen:], *whole[1:]) == rest, f"{path}, {place}"
            resumed += 1
    assert resumed > 5
