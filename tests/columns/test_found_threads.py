"""Schemas that several threads find: they, the errors and their places are those of one thread."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from effort import often
from repeated import repeated

import penstock

COUNT = 40_000
MANY = (2, 3)

# Folder, suffixes, format, and how many files there are at least that have a schema.
SUITES = [
    ("json", {".json"}, "json", 100),
    ("csv", {".csv"}, "csv", 20),
    ("xml", {".xml", ".nxml"}, "xml", 150),
]


def record(n: int) -> dict[str, Any]:
    """Return a record that has a key of its own now and then, and wider numbers late."""
    made: dict[str, Any] = {"n": n, "name": f"Zürich {n * n % 1_000_003}", "tags": ['a},\n{"n":']}
    if n % 5_003 == 0:
        made[f"late {n}"] = {"ratio": n / 8, "deep": [{"n": None}, {"n": n}]}
    if n > COUNT * 3 // 4:
        made["n"] = 2**53 + 1 + n
        made["ratio"] = 0.5
    return made


def element(n: int) -> str:
    own = f"<late{n} x='1'>t</late{n}>" if n % 5_003 == 0 else ""
    many = "<tag>1</tag><tag>x</tag>" if n % 7_001 == 0 else "<tag>1</tag>"
    return f"<item n='{n}'><name>Zürich {n}</name>{many}{own}</item>\n"


def cells(n: int) -> str:
    name = f'"Zürich, ""quoted""\n{n},0,"' if n % 97 == 0 else f"Zürich {n}" + " on the lake" * 7
    return f"{n},{name},{n / 8 if n > COUNT // 2 else ''},"


RECORDS = [record(n) for n in range(COUNT)]
DATA: dict[str, tuple[Any, str | None, bytes]] = {
    "ndjson": ("ndjson", None, "".join(json.dumps(each) + "\n" for each in RECORDS).encode()),
    "json": ("json", None, json.dumps(RECORDS).encode()),
    "inside": ("json", "page/items/*", json.dumps({"page": {"items": RECORDS}}, indent=1).encode()),
    "csv": ("csv", None, "\n".join(["n,name,ratio,none", *map(cells, range(COUNT))]).encode()),
    "xml": ("xml", "list/item", f"<list>\n{''.join(map(element, range(COUNT)))}</list>".encode()),
}

each = pytest.mark.parametrize("name", list(DATA))


def found(source: Any, format: Any, at: Any, threads: int, **options: Any) -> Any:
    """Return the schema, or the error with all that it says."""
    try:
        return str(penstock.schema(source, format=format, at=at, threads=threads, **options))
    except penstock.PenstockError as error:
        place: Any = None
        if isinstance(error, penstock.DecodeError):
            place = error.offset, error.line, error.column, error.record, str(error.path)
        return type(error), str(error), place


@pytest.mark.thread_unsafe(reason="it counts the threads of the process")
@each
def test_the_threads_read(name: str) -> None:
    kind, at, data = DATA[name]
    counts = []

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(data), 2**16):
            names = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
            counts.append(names.count("penstock\n"))
            yield data[start : start + 2**16]

    for threads in (1, 3):
        counts.clear()
        found(chunks(), kind, at, threads)
        assert max(counts) == (0 if threads == 1 else threads)


@each
def test_the_schema_is_the_same(name: str, tmp_path: Path) -> None:
    kind, at, data = DATA[name]
    expected = found(io.BytesIO(data), kind, at, 1)
    assert expected.startswith("Schema(")
    path = tmp_path / "data"
    path.write_bytes(data)
    for threads in MANY:
        assert found(io.BytesIO(data), kind, at, threads) == expected
        assert found([path, path], kind, at, threads) == expected
        reader = penstock.read(path, format=kind, at=at)
        assert str(reader.columns(threads=threads)) == expected.replace("Schema", "Columns", 1)


def damaged(name: str) -> list[bytes]:
    """Texts with faults: a record that does not fit, bad text, a bad end."""
    data = DATA[name][2]
    middle, late = len(data) // 2, len(data) * 5 // 6
    misfit, between = {
        "csv": (b"1,2\n", b"\n"),
        "xml": (b"<item><name><b/></name></item>", b"</item>\n"),
        "ndjson": (b'{"n": true}\n', b"}\n"),
    }.get(name, (b'{"n": true},', b"},"))
    begin = data.index(between, late) + len(between)
    bad = data[:late] + b"\xff\xfe" + data[late:]
    broken = data[:middle] + b'\x00"<' + data[middle:]
    return [data[:begin] + misfit + data[begin:], bad, broken, data[:late], data + b"\n}\n"]


@each
@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_errors_are_the_same(name: str, errors: Any) -> None:
    kind, at, _ = DATA[name]
    refused = 0
    for data in damaged(name):
        expected = found(io.BytesIO(data), kind, at, 1, errors=errors)
        for threads in MANY:
            assert found(io.BytesIO(data), kind, at, threads, errors=errors) == expected
        refused += isinstance(expected, tuple)
    assert refused >= (4 if errors == "raise" else 0)


def test_a_value_of_another_kind_names_the_first() -> None:
    lines = DATA["ndjson"][2].splitlines(keepends=True)
    lines[20_000] = b'{"n": 1, "only": true}\n'
    lines[30_000] = b'{"n": 1, "only": "x"}\n'
    for threads in (1, 2):
        _, said, (*_, record, path) = found(io.BytesIO(b"".join(lines)), "ndjson", None, threads)
        assert "expected a bool as in record 20001, got a string" in said
        assert (record, path) == (30_001, "only")


def test_too_many_columns() -> None:
    lines = b"".join(b'{"key%d": 1, "fill": "%b"}\n' % (n, b"x" * 300) for n in range(12_000))
    expected = found(io.BytesIO(lines), "ndjson", None, 1)
    assert "there are more than 10000 columns" in expected[1]
    for errors in ("raise", "skip"):
        one, two = (
            found(io.BytesIO(lines), "ndjson", None, threads, errors=errors) for threads in (1, 2)
        )
        assert one == two
    assert two.count("key") == 9_999


@pytest.mark.parametrize("threads", [0, 257])
def test_what_is_no_number_of_threads(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be from 1 to 256"):
        penstock.schema(io.BytesIO(b"{}"), format="ndjson", threads=threads)


def test_a_source_that_fails() -> None:
    def chunks() -> Iterator[bytes]:
        yield from [b'{"n": 1}\n' * 10_000] * 40
        raise OSError("the disk is gone")

    one, two = (found(chunks(), "ndjson", None, threads) for threads in (1, 2))
    assert one == two
    assert "the disk is gone (record 400001)" in one[1]


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: str, least: int
) -> None:
    schemas = 0
    paths = [path for path in sorted(corpus(folder).rglob("*")) if path.suffix in suffixes]
    every = often(2, long=1)
    # Conversions by threads take those between these.
    for path in [path for path in paths if path.stat().st_size <= 2**22][every - 1 :: every]:
        for data in repeated(path.read_bytes(), kind):
            expected = found(io.BytesIO(data), kind, None, 1)
            assert found(io.BytesIO(data), kind, None, 2) == expected, path
            schemas += len(data) > 2_000_000 and isinstance(expected, str)
    assert schemas >= least // every
