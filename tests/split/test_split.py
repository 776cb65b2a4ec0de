"""The parts of a file are the file: its records, their numbers, and the places of its errors."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import at

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(slots=True)
class Row:
    n: int
    name: str | None = None


@dataclass(slots=True)
class Item:
    n: Annotated[int, at("@n")]
    name: str | None = None


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def table(records: list[Any]) -> str:
    rows = [f'{record["n"]},"{record["name"]}, ""\n"' for record in records]
    return "\n".join(["n,name", *rows])


def elements(records: list[Any]) -> str:
    items = [
        f"<item n='{record['n']}'><name>{record['name']}</name><!-- <item> --></item>"
        for record in records
    ]
    half = len(items) // 2
    parts = [
        f"<part a='{n}'>{''.join(each)}</part>"
        for n, each in enumerate([items[:half], items[half:]])
    ]
    return f"<?xml version='1.0'?>\n<!DOCTYPE list>\n<list>{''.join(parts)}</list>"


FORMS: dict[str, Any] = {
    "lines.ndjson": (lines, Row, None),
    "array.json": (json.dumps, Row, None),
    "inside.json": (lambda them: json.dumps({"x": 1, "them": them}, indent=2), Row, "them/*"),
    "table.csv": (table, Row, None),
    "list.xml": (elements, Item, "list/*/item"),
}
each = pytest.mark.parametrize("name", list(FORMS))


def written(folder: Path, name: str, records: list[Any]) -> tuple[Path, Any, Any]:
    make, cls, path = FORMS[name]
    (folder / name).write_text(make(records), encoding="utf-8")
    return folder / name, cls, path


def some(count: int, bad: set[int] = frozenset()) -> list[Any]:  # type: ignore[assignment]
    names = ["é", "}, {", "x\ty", ""]
    made = [{"n": n, "name": names[n % 4] * (n % 5)} for n in range(count)]
    return [{**record, "n": f"x{n}"} if n in bad else record for n, record in enumerate(made)]


def said(error: Any) -> tuple[Any, ...]:
    place = error.offset, error.line, error.column, error.record, str(error.path)
    return type(error), error.reason, *place, error.excerpt, str(error)


def whole(path: Path, cls: Any, at: Any) -> tuple[list[Any], list[Any]]:
    errors: list[Any] = []
    return list(penstock.read(path, cls, at=at, errors=errors.append)), [said(it) for it in errors]


def together(splits: penstock.Splits, cls: Any) -> tuple[list[Any], list[Any]]:
    errors: list[Any] = []
    records = [record for part in splits for record in part.read(cls, errors=errors.append)]
    return records, [said(it) for it in errors]


@each
@pytest.mark.parametrize("parts", [1, 2, 3, 7, 64])
def test_any_number_of_parts(name: str, parts: int, tmp_path: Path) -> None:
    path, cls, where = written(tmp_path, name, some(300, {4, 77, 150, 151, 299}))
    splits = penstock.split(path, parts=parts, at=where)
    assert len(splits) <= parts
    assert len(splits) >= min(parts, 60)
    expected = whole(path, cls, where)
    assert len(expected[0]) == 295
    assert len(expected[1]) == 5
    assert together(splits, cls) == expected
    assert splits.whole == {}
    columns = [pa.table(part.columns(cls, errors="skip")) for part in splits]
    assert pa.concat_tables(columns).column("n").to_pylist() == [it.n for it in expected[0]]
    assert [part.load(cls, errors="skip") for part in splits][-1][-1] == expected[0][-1]


@each
def test_any_number_of_threads_finds_the_same_parts(name: str, tmp_path: Path) -> None:
    path, _, where = written(tmp_path, name, some(90_000, {4, 30_000, 89_999}))
    assert path.stat().st_size > 1_500_000
    for options in ({"parts": 3}, {"bytes": 100_000}):
        alone = penstock.split(path, at=where, **options)
        assert len(alone) > 2
        for threads in (2, 3):
            assert penstock.split(path, at=where, threads=threads, **options) == alone


def test_lists_of_one_record_are_read(tmp_path: Path) -> None:
    # The planner can hop over hardly any of them. It gives that up after some megabytes.
    path = tmp_path / "lists.json"
    lists = [f'{{"them": [{{"n": {n}, "name": "{"x" * 30}"}}]}}' for n in range(120_000)]
    path.write_text(f"[{','.join(lists)}]")
    splits = penstock.split(path, bytes=900_000, at="*/them/*")
    assert len(splits) == path.stat().st_size // 900_000 + 1
    assert penstock.split(path, bytes=900_000, at="*/them/*", threads=2) == splits
    assert [next(part.read(Row)).n for part in splits] == [part.records_before for part in splits]


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@each
@SETTINGS
@given(data=st.data())
def test_any_sizes(name: str, tmp_path: Path, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 40))
    bad = data.draw(st.sets(st.integers(0, 40), max_size=2))
    path, cls, where = written(tmp_path, name, some(count, bad))
    size = data.draw(st.integers(1, 400))
    splits = penstock.split(path, bytes=size, at=where)
    assert together(splits, cls) == whole(path, cls, where)
    assert all(part.index == n for n, part in enumerate(splits))
    for part, later in pairwise(splits):
        assert part.end == later.begin > part.begin
        assert later.begin - part.begin >= min(size, 1)


@each
def test_a_part_goes_through_pickles_and_json(name: str, tmp_path: Path) -> None:
    path, cls, where = written(tmp_path, name, some(50))
    splits = penstock.split(path, parts=4, at=where)
    for part in splits:
        pickled = pickle.dumps(part)
        assert len(pickled) < 700
        again = pickle.loads(pickled)
        assert again == part
        back = penstock.Split.from_dict(json.loads(json.dumps(part.as_dict())))
        assert back.load(cls) == part.load(cls) == again.load(cls)
        assert penstock.read(path, cls, split=part).__next__() == part.load(cls)[0]
    assert pickle.loads(pickle.dumps(splits)) == splits


@each
@pytest.mark.parametrize("suffix", ["gz", "bgz", "zst"])
def test_files_that_are_compressed_in_pieces(name: str, suffix: str, tmp_path: Path) -> None:
    path, cls, where = written(tmp_path, name, some(20_000, {7, 10_000}))
    packed = tmp_path / f"{name}.{suffix}"
    penstock.recompress(path, packed)
    splits = penstock.split(packed, parts=5, at=where)
    assert len(splits) == 5
    assert splits.whole == {}
    assert together(splits, cls) == whole(packed, cls, where)
    plain = penstock.split(path, parts=5, at=where)
    assert [part.begin for part in splits] == [part.begin for part in plain]
    assert splits[0].text == path.stat().st_size > splits[0].size


def largest(part: penstock.Split) -> int:
    return max(row.n for row in part.read(Row))


def test_parts_go_to_processes(tmp_path: Path) -> None:
    path, _, _ = written(tmp_path, "array.json", some(1_000))
    splits = penstock.split(path, parts=5)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(largest, splits))
    assert found[-1] == 999
    assert found == [part.records_before - 1 for part in splits[1:]] + [999]


def test_malformed_text_is_met_by_its_part(tmp_path: Path) -> None:
    path, cls, where = written(tmp_path, "array.json", some(100))
    text = path.read_text()
    middle = text.index('{"n": 70')
    path.write_text(text[:middle] + "!" + text[middle:])
    splits = penstock.split(path, parts=5, at=where)
    with pytest.raises(penstock.MalformedInput) as expected:
        list(penstock.read(path, cls))
    readers = [part.read(cls) for part in splits]
    records = (record for reader in readers for record in reader)
    assert [next(records).n for _ in range(70)] == list(range(70))
    with pytest.raises(penstock.MalformedInput) as found:
        next(records)
    assert said(found.value) == said(expected.value)


@pytest.mark.parametrize("name", ["array.json", "inside.json", "list.xml"])
@pytest.mark.parametrize("fault", ["!", '"', "]", "}", "<", "<!", "</item>", "\\", "\x01", "&"])
def test_no_part_before_a_fault_depends_on_it(name: str, fault: str, tmp_path: Path) -> None:
    path, cls, where = written(tmp_path, name, some(20_000))
    text = path.read_text()
    middle = len(text) // 2
    path.write_text(text[:middle] + fault + text[middle:])
    records: list[Any] = []
    error = None
    try:
        records.extend(penstock.read(path, cls, at=where))
    except penstock.DecodeError as raised:
        error = said(raised)
    found: list[Any] = []
    met = None
    try:
        for part in penstock.split(path, parts=9, at=where):
            found.extend(part.read(cls))
    except penstock.DecodeError as raised:
        met = said(raised)
    assert met == error
    # What is read before an error ends with a part, or within it.
    assert found == records[: len(found)]
    assert error is not None or found == records


def test_bad_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    rows = [f'{{"n": {n}}}' for n in range(100)]
    for n in (3, 40, 41, 90):
        rows[n] = '{"n": tru' if n % 2 else "\\"
    path.write_text("\n".join(rows))
    for parts in (2, 9, 30):
        assert together(penstock.split(path, parts=parts), Row) == whole(path, Row, None)


@pytest.mark.parametrize(
    "bad",
    ['a "b,c', "x", "1,2,3", '"a"b,c', "\0,", 'a "b,c\n1,2', "x\n1,2\n1,2", '"\n",""\n1'],
    ids=repr,
)
def test_rows_in_error_are_counted(bad: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,name\n1,2\n" + f"{bad}\n" * 2_000 + "1,2\n" + f"{bad}\n" * 2_000 + "1,2")
    expected = whole(path, Row, None)
    assert len(expected[1]) >= 4_000
    for options in ({"parts": 2}, {"parts": 5}, {"bytes": 3_000}):
        splits = penstock.split(path, **options)
        assert len(splits) > 1
        assert together(splits, Row) == expected
        assert penstock.split(path, threads=2, **options) == splits


NOT_BGZF = "a gzip file that is not BGZF cannot be split: penstock recompress makes one that can"


def test_what_is_one_part(tmp_path: Path) -> None:
    text = lines(some(50)).encode()
    packed, wide = tmp_path / "a.ndjson.gz", tmp_path / "b.xml"
    packed.write_bytes(gzip.compress(text))
    wide.write_text(elements(some(50)), encoding="utf-16")
    members, empty = tmp_path / "c.json", tmp_path / "d.ndjson"
    members.write_text('{"a": {"n": 1}, "b": {"n": 2}}')
    empty.write_text("")
    for path, where, why in [
        (packed, None, NOT_BGZF),
        (wide, "list/*/item", "its encoding is not UTF-8"),
        (members, "*", "a record depends on what comes before it"),
        (empty, None, "it has no record"),
    ]:
        splits = penstock.split(path, parts=4, at=where)
        assert splits.whole == {str(path): why}
        assert len(splits) == 1
        assert str(splits).endswith(f"from record 1; it is not split: {why}")
        cls = Item if path is wide else Row
        assert splits[0].load(cls) == list(penstock.read(path, cls, at=where))


def test_several_files(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.ndjson").write_text(lines(some(40 + n)))
    splits = penstock.split(tmp_path / "*.ndjson", parts=6)
    assert [(part.index, part.count) for part in splits] == [(0, 2), (1, 2)] * 3
    assert together(splits, Row)[0] == list(penstock.read(tmp_path / "*.ndjson", Row))
    assert repr(splits) == "<Splits: 6 parts of 3 files>"
    assert str(splits).startswith("6 parts of 3 files, exact\n")


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path, cls, _ = written(tmp_path, "array.json", some(50))
    part = penstock.split(path, parts=3)[1]
    about = path.stat()
    path.write_text("[" + path.read_text()[1:-1] + " ]")
    with pytest.raises(ValueError, match=r"array\.json has changed since it was split$"):
        part.read(cls)
    # The same size and time, and other records.
    text = path.read_text().replace(" ]", "]").replace('{"n": 2,', '{"n":02,', 1)
    path.write_text(text)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert part.load(cls)[0].n > 2
    path.write_text("[   " + text[1:-4] + "]")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    with pytest.raises(penstock.MalformedInput):
        part.load(cls)


def test_a_part_that_nobody_has_split(tmp_path: Path) -> None:
    path, cls, _ = written(tmp_path, "array.json", some(50))
    _, part, _ = penstock.split(path, parts=3)
    values = part.as_dict()
    for changes in (
        {"end": 5},
        {"end": part.begin},
        {"end": part.end + 1},
        {"end": 10**15},
        {"begin": 1, "start": (1, 1, 2, 0, ["list"], [(0, None, None), (1, 0, None)])},
        {"start": (part.begin + 1, 1, 2, 0, ["list"], [(0, None, None), (1, 0, None)])},
        {"start": (10**15, 1, 2, 0, ["list"], [(0, None, None), (1, 0, None)])},
        {"start": (part.begin, 0, 0, 0, ["map"], [])},
        {"start": (part.begin, 1, 1, 0, ["list"], [(9, None, None)])},
        {"start": (part.begin, 1, 1, 0, None, [])},
    ):
        other = penstock.Split.from_dict({**values, **changes})
        try:
            found = other.load(cls)
        except (OSError, ValueError, penstock.DecodeError):
            continue
        # From the first record on, up to the same end; or a part without a byte.
        assert "begin" in changes or changes == {"end": part.begin}
        assert found == list(penstock.read(path, cls))[: len(found)]


def test_wrong_arguments(tmp_path: Path) -> None:
    path, cls, _ = written(tmp_path, "array.json", some(5))
    with pytest.raises(TypeError, match=r"^split\(\) takes parts or bytes, not both$"):
        penstock.split(path, parts=1, bytes=1)
    with pytest.raises(ValueError, match=r"^parts must be at least 1, not 0$"):
        penstock.split(path, parts=0)
    with pytest.raises(TypeError, match=r"^split\(\) takes the path of a file of records, not "):
        penstock.split(io.BytesIO())
    part = penstock.split(path, parts=2)[1]
    with pytest.raises(TypeError, match=r"^at= is known of a part: split\(\) takes it$"):
        penstock.read(path, cls, at="*", split=part)
    with pytest.raises(ValueError, match=r"^the part is one of .*array\.json$"):
        penstock.read(tmp_path / "other.json", cls, split=part)


DIALECTS = [
    penstock.csv.Dialect(";"),
    penstock.csv.Dialect("||", quote=None),
    penstock.csv.Dialect(":", quote="'", comment="#", trim=True),
    penstock.csv.Dialect(quote='"', escape="\\", header=["n", "name"]),
    penstock.csv.Dialect("|", terminator=";\n", skip_rows=2),
    penstock.csv.Dialect(header=None, terminator="any"),
    penstock.csv.Dialect(header=2),
]


@pytest.mark.parametrize("dialect", DIALECTS, ids=repr)
@SETTINGS
@given(
    rows=st.lists(
        st.lists(st.sampled_from([*"aé", " ", "\n", "'", '"', "#", ";", "\\"]), max_size=4)
    ),
    cells=st.lists(st.sampled_from(['"', "'", "\\", "a", "x\ny", "#", ";", "||"]), max_size=40),
    parts=st.integers(1, 9),
    threads=st.integers(1, 2),
)
def test_parts_of_any_dialect(
    tmp_path: Path,
    dialect: penstock.csv.Dialect,
    rows: list[list[str]],
    cells: list[str],
    parts: int,
    threads: int,
) -> None:
    """Also where the text is in error, the parts give the rows and errors of the file."""
    path = tmp_path / "rows.csv"
    end = {None: "\n", "any": "\r"}.get(dialect.terminator, dialect.terminator or "\n")
    pairs = [["".join(row), cell] for row, cell in zip(rows, cells, strict=False)]
    lines = ["n", *map(dialect.delimiter.join, pairs)]
    path.write_text("".join(line + end for line in lines), encoding="utf-8", newline="")
    expected: list[Any] = []
    read = [*collected(penstock.csv.read(path, dialect=dialect, errors=expected.append))]
    found = penstock.csv.split(path, parts=parts, dialect=dialect, threads=threads)
    met: list[Any] = []
    inside: list[Any] = []
    for part in found:
        moved = penstock.Split.from_dict(json.loads(json.dumps(part.as_dict())))
        inside += collected(moved.read(errors=met.append))
    assert inside == read, f"{found}"
    assert [*map(str, met)] == [*map(str, expected)]


def collected(reader: penstock.Reader[Any]) -> list[Any]:
    """Return the records, and the error that ends them."""
    records: list[Any] = []
    try:
        records.extend(reader)
    except penstock.DecodeError as error:
        records.append(str(error))
    return records


@pytest.mark.parametrize("dialect", DIALECTS, ids=repr)
def test_each_dialect_is_split(tmp_path: Path, dialect: penstock.csv.Dialect) -> None:
    path = tmp_path / "rows.csv"
    end = {None: "\n", "any": "\r"}.get(dialect.terminator, dialect.terminator or "\n")
    lines = [dialect.delimiter.join([str(n), "x"]) for n in range(300)]
    path.write_text(end.join([*lines, ""]), encoding="utf-8", newline="")
    found = penstock.csv.split(path, parts=4, dialect=dialect)
    assert len(found) == 4
    rows = list(penstock.csv.read(path, dialect=dialect))
    assert len(rows) > 290
    assert [row for part in found for row in part.read()] == rows


def test_parts_of_an_inferred_dialect(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("name;size\n" + "Bern;1,5\n" * 100)
    found = penstock.csv.split(path, parts=4, dialect="infer")
    assert len(found) == 4
    assert found[0].dialect == {"delimiter": ";"}
    assert [row for part in found for row in part.read()] == [{"name": "Bern", "size": "1,5"}] * 100
    with pytest.raises(TypeError, match=r"dialect must be a penstock.csv.Dialect or None, not str"):
        penstock.csv.split(path, dialect=";")  # type: ignore[arg-type]
