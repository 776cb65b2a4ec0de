"""Conversions by several threads: the target, the errors and their places are those of one thread."""

from __future__ import annotations

import gzip
import io
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from converting import in_chunks, outcome
from effort import often
from folders import names
from repeated import repeated

import penstock
from penstock import Limits

COUNT = 30_000
MANY = (2, 3)
TARGETS = ["json", "ndjson", "xml", "csv", "plist"]


@dataclass
class Cell:
    n: int
    name: str
    ratio: float | None = None


def record(n: int) -> dict[str, Any]:
    """Return a flat record with the same keys as all others, so that each format has a form for it."""
    return {"n": n, "name": f"Zürich {n * n % 1_000_003}", "ratio": n / 8, "text": 'a},\n{"n":'}


def element(n: int) -> str:
    more = '<!-- <item n="0"> -->' if n % 1009 == 0 else ""
    more += "<p:x xmlns:p='urn:p' p:y='1'/>" if n % 7_001 == 0 else ""
    return f"<item n='{n}'><name>Zürich &amp; {n}</name>{more}<tag>t</tag></item>\n"


def cells(n: int) -> str:
    name = f'"Zürich, ""quoted""\n{n},0,"' if n % 97 == 0 else f"Zürich {n}" + " on the lake" * 4
    return f"{n},{name},{n / 8}"


RECORDS = [record(n) for n in range(COUNT)]
DATA: dict[str, tuple[Any, str | None, bytes]] = {
    "ndjson": ("ndjson", None, "".join(json.dumps(each) + "\n" for each in RECORDS).encode()),
    "json": ("json", "*", json.dumps(RECORDS).encode()),
    "inside": ("json", "page/items/*", json.dumps({"page": {"items": RECORDS}}, indent=1).encode()),
    "csv": ("csv", None, "\n".join(["n,name,ratio", *map(cells, range(COUNT))]).encode()),
    "xml": ("xml", "list/item", f"<list>\n{''.join(map(element, range(COUNT)))}</list>".encode()),
}

each = pytest.mark.parametrize("name", list(DATA))


def made(name: str, to: Any, threads: int, data: bytes | None = None, **options: Any) -> Any:
    """What becomes of the target and the numbers, or the error with all that it says."""
    kind, at, whole = DATA[name]
    data = whole if data is None else data
    return of(in_chunks(data, 2**16), kind, to, threads, at=at, **options)


def of(source: Any, kind: Any, to: Any, threads: int, **options: Any) -> Any:
    def call(target: io.BytesIO) -> Any:
        done = penstock.convert(source, target, format=kind, to=to, threads=threads, **options)
        numbers = done.records, done.skipped, done.bytes_read, done.bytes_written
        return *numbers, done.repair_counts

    return outcome(call)


@pytest.mark.thread_unsafe(reason="it counts the threads of the process")
@each
@pytest.mark.parametrize("into", [None, Cell])
def test_the_threads_convert(name: str, into: Any) -> None:
    kind, at, data = DATA[name]
    counts = []

    def chunks() -> Iterator[bytes]:
        for chunk in in_chunks(data, 2**16):
            tasks = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
            counts.append(tasks.count("penstock\n"))
            yield chunk

    if into is not None and kind == "xml":
        return
    for threads in (1, 3):
        counts.clear()
        # A thread that has just begun has another name, and where others work, it may begin late.
        for _ in range(5 if threads > 1 else 1):
            of(chunks(), kind, "ndjson", threads, at=at, into=into)
            if max(counts) > 0:
                break
        assert (max(counts) > 0) == (threads > 1)


@each
@pytest.mark.parametrize("to", TARGETS)
def test_the_target_is_the_same(name: str, to: Any) -> None:
    expected = made(name, to, 1)
    numbers = (COUNT, 0, len(DATA[name][2]), len(expected[0]), {})
    assert expected[1] == numbers or (name, to) == ("xml", "csv")
    for threads in MANY:
        assert made(name, to, threads) == expected


STYLES: list[tuple[str, Any, dict[str, Any]]] = [
    ("ndjson", "json", {"indent": 2, "sort_keys": True}),
    ("json", "ndjson", {"canonical": True}),
    ("inside", "ndjson", {"ascii": True}),
    ("csv", "csv", {"to_dialect": penstock.csv.Dialect(delimiter=";", header=None)}),
    ("ndjson", "csv", {"quoting": "all", "formulas": "escape"}),
    ("xml", "xml", {"indent": 1}),
    ("xml", "xml", {"namespaces": {"q": "urn:p"}}),
    ("xml", "ndjson", {"force_list": True}),
    ("xml", "json", {"form": "element"}),
    ("csv", "xml", {"record": "row", "null": "omit", "declaration": False}),
    ("json", "plist", {"to_form": "gnustep"}),
    ("json", "plist", {"to_form": "binary"}),
    ("ndjson", "plist", {"to_form": "openstep", "indent": 0}),
    ("csv", "plist", {"to_form": "xml", "sort_keys": True}),
]


@pytest.mark.parametrize(("name", "to", "options"), STYLES)
def test_the_target_is_the_same_in_each_style(name: str, to: Any, options: Any) -> None:
    one, two = (made(name, to, threads, **options) for threads in (1, 2))
    assert one == two
    assert one[1][0] == COUNT


def test_the_element_form_both_ways() -> None:
    lists = made("xml", "ndjson", 1, form="element")[0]
    one, two = (of(io.BytesIO(lists), "ndjson", "xml", each, form="element") for each in (1, 2))
    assert one == two
    assert one[1][0] == COUNT


@each
@pytest.mark.parametrize("to", ["json", "ndjson", "csv"])
def test_by_a_class(name: str, to: Any) -> None:
    if name == "xml":
        return
    one, *others = (made(name, to, threads, into=Cell) for threads in (1, *MANY))
    assert others == [one] * len(MANY)
    assert one[1][0] == COUNT


def test_a_value_that_the_class_rarely_has() -> None:
    @dataclass
    class Priced:
        n: int
        name: Annotated[str, penstock.at("name")]
        ratio: Any

    lines = DATA["ndjson"][2].splitlines(keepends=True)
    # What no fit takes: objects are made of these records.
    lines[9_000] = b'{"n": 123456789012345678901234567890, "name": "a", "ratio": 1}\n'
    lines[20_000] = b'{"n": 1, "name": "a", "name": "b", "ratio": {"x": [1e400]}}\n'
    for errors in ("raise", "skip"):
        one, two = (
            made("ndjson", "json", threads, b"".join(lines), into=Priced, errors=errors)
            for threads in (1, 2)
        )
        assert one == two


def damaged(name: str) -> list[bytes]:
    """Texts with faults: values that do not fit, bad text, a bad end."""
    data = DATA[name][2]
    middle, late = len(data) // 2, len(data) * 5 // 6
    misfit, between = {
        "csv": (b"1,2\n", b"\n"),
        "xml": (b"<item><name>a</name><name>b</name></item>", b"</item>\n"),
        "ndjson": (b'{"n": null, "name": [1]}\n', b"}\n"),
        "json": (b'{"n": null, "name": [1]}, ', b'"}, '),
        "inside": (b'{"n": null, "name": [1]},', b"},\n"),
    }[name]
    begin = data.index(between, late) + len(between)
    bad = data[:late] + b"\xff\xfe" + data[late:]
    broken = data[:middle] + b'\x00"<' + data[middle:]
    return [data[:begin] + misfit + data[begin:], bad, broken, data[:late], data + b"\n}\n"]


@each
@pytest.mark.parametrize("to", ["ndjson", "csv", "plist"])
@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
@pytest.mark.parametrize("into", [None, Cell])
def test_errors_are_the_same(name: str, to: Any, errors: Any, into: Any) -> None:
    if into is not None and (name == "xml" or to == "plist"):
        return
    refused = 0
    for data in damaged(name):
        one, two = (made(name, to, threads, data, errors=errors, into=into) for threads in (1, 2))
        assert one == two
        refused += isinstance(one[0], str) or one[1][1] > 0
    assert refused >= 4


@each
def test_errors_are_told_in_order(name: str) -> None:
    data = damaged(name)[0]
    outcomes = []
    for threads in (1, 2, 3):
        told: list[str] = []
        got = made(
            name, "csv", threads, data, errors=lambda error, told=told: told.append(str(error))
        )
        outcomes.append((told, got))
    assert outcomes[1:] == outcomes[:1] * 2
    assert outcomes[0][0]


def test_repairs_are_the_same() -> None:
    lines = DATA["csv"][2].split(b"\n")
    for number in (9, 20_000, 29_000):
        lines.insert(number, b"1,a")
    one, two = (
        made("csv", "ndjson", threads, b"\n".join(lines), repair="short_rows") for threads in (1, 2)
    )
    assert one == two
    assert one[1][-1] == {"short_rows": 3}


@pytest.mark.parametrize("limit", [{"memory": 2_000}, {"token": 20}, {"depth": 1}, {"row": 40}])
@each
def test_limits_are_the_same(name: str, limit: dict[str, int]) -> None:
    one, two = (made(name, "csv", threads, limits=Limits(**limit)) for threads in (1, 2))
    assert one == two


def test_columns_of_a_table_are_cut(tmp_path: Path) -> None:
    from penstock._verbs import convert as _convert

    source = tmp_path / "a.csv"
    source.write_bytes(DATA["csv"][2])
    texts = []
    for threads in (1, 2):
        target = tmp_path / f"{threads}.csv"
        arguments = (None, None, None, "plain", "raise", 1, "allow", {}, {}, None, "infer")
        _convert.run(
            source, target, *arguments, None, None, columns=("ratio,n", False), threads=threads
        )
        texts.append(target.read_text())
    assert texts[0] == texts[1]
    assert texts[0].startswith("ratio,n\n0.0,0\n")


def test_files_that_are_compressed(tmp_path: Path) -> None:
    source = tmp_path / "a.ndjson.gz"
    source.write_bytes(gzip.compress(DATA["ndjson"][2], 1))
    for threads in (1, 2):
        done = penstock.convert(source, tmp_path / f"{threads}.csv.gz", threads=threads)
        assert (done.records, done.bytes_read) == (COUNT, source.stat().st_size)
        assert done.bytes_written == (tmp_path / f"{threads}.csv.gz").stat().st_size
    one, two = (gzip.decompress((tmp_path / f"{n}.csv.gz").read_bytes()) for n in (1, 2))
    assert one == two
    assert len(one.splitlines()) == 2 * COUNT + 1


def test_a_target_that_is_the_source_and_one_that_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(DATA["ndjson"][2])
    assert penstock.convert(path, path, to="csv", threads=2).records == COUNT
    kept = path.read_bytes() + b"1,2\n"
    path.write_bytes(kept)
    with pytest.raises(penstock.MalformedInput):
        penstock.convert(path, path, format="csv", to="ndjson", threads=2)
    assert path.read_bytes() == kept
    assert names(tmp_path) == ["a.ndjson"]


def test_a_target_that_fails() -> None:
    for into in (None, Cell):
        for threads in (1, 2):
            taken = []

            def take(text: bytes, taken: list[int] = taken) -> None:
                taken.append(len(text))
                if sum(taken) > 700_000:
                    raise OSError("the disk is full")

            with pytest.raises(OSError, match="the disk is full"):
                penstock.convert(
                    io.BytesIO(DATA["ndjson"][2]),
                    take,
                    format="ndjson",
                    to="ndjson",
                    into=into,
                    threads=threads,
                )
            assert sum(taken) > 700_000


def test_a_source_that_fails() -> None:
    def chunks() -> Iterator[bytes]:
        yield from [b'{"n": 1}\n' * 10_000] * 40
        raise OSError("the disk is gone")

    one, two = (of(chunks(), "ndjson", "json", threads) for threads in (1, 2))
    assert one == two
    assert "the disk is gone (record 400001)" in one[1]


@pytest.mark.parametrize("threads", [0, 257])
def test_what_is_no_number_of_threads(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be from 1 to 256"):
        penstock.convert(io.BytesIO(b"{}"), io.BytesIO(), format="json", to="xml", threads=threads)


def test_arrow_columns_have_no_threads() -> None:
    columns = penstock.columns(io.BytesIO(b'{"n": 1, "name": "a"}\n'), Cell, format="ndjson")
    with pytest.raises(TypeError, match=r"threads= is no option for Arrow columns"):
        penstock.convert(columns, io.BytesIO(), to="csv", threads=2)


@pytest.mark.thread_unsafe(reason="it sends the process a signal")
def test_an_interrupt(tmp_path: Path) -> None:
    line = DATA["ndjson"][2][: 2**20].rpartition(b"\n")[0] + b"\n"
    main = threading.get_ident()

    def chunks() -> Iterator[bytes]:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            yield line

    # The tests may run with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            penstock.convert(chunks(), tmp_path / "a.csv", format="ndjson", threads=2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert names(tmp_path) == []


# Folder, suffixes, format, and how many large targets there are at least.
SUITES = [
    ("json", {".json"}, "json", 60),
    ("csv", {".csv"}, "csv", 10),
    ("xml", {".xml", ".nxml"}, "xml", 60),
]


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: str, least: int
) -> None:
    large = 0
    paths = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    # Each file goes into another format, and each format comes from many files.
    paths = [path for path in paths if path.stat().st_size < 2**22]
    every = often(2, long=1)
    for number, path in enumerate(paths[::every]):
        to, threads = TARGETS[number % 5], MANY[number % 2]
        at = {"json": "*", "xml": "*/*"}.get(kind) if to != "ndjson" else None
        # Small sources are converted by one thread: the large ones are many of them.
        for data in repeated(path.read_bytes(), kind):
            one, many = (
                of(io.BytesIO(data), kind, to, count, at=at, errors="skip")
                for count in (1, threads)
            )
            assert many == one, (path, to)
            large += len(data) > 2**20 and isinstance(one[0], bytes)
    assert large >= least // every
