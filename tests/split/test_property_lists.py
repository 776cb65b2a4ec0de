"""The parts of a binary property list are the list: its records, their numbers, and its errors."""

from __future__ import annotations

import json
import pickle
import plistlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock

SETTINGS = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(slots=True)
class Row:
    n: int
    name: str | None = None


def some(count: int, bad: set[int] = frozenset()) -> list[Any]:  # type: ignore[assignment]
    rows = [{"n": n, "name": "né"[: n % 3] * (n % 7)} for n in range(count)]
    return [{**row, "n": "x"} if n in bad else row for n, row in enumerate(rows)]


FORMS: dict[str, tuple[Callable[[list[Any]], Any], Any]] = {
    "root": (lambda rows: rows, None),
    "inside": (lambda rows: {"before": [1, 2], "rows": rows, "then": {"rows": [3]}}, "rows/*"),
    "members": (lambda rows: {f"k{n}": row for n, row in enumerate(rows)}, "*"),
    "several": (
        lambda rows: {"groups": [{"rows": rows[n : n + n % 9 + 1]} for n in starts(len(rows))]},
        "groups/*/rows/*",
    ),
    "named": (lambda rows: [{"row": row, "other": row} for row in rows], "*/row"),
}
each = pytest.mark.parametrize("form", list(FORMS))


def starts(count: int) -> list[int]:
    """Return where groups begin that have one to nine rows each."""
    found, at = [], 0
    while at < count:
        found.append(at)
        at += at % 9 + 1
    return found


def written(folder: Path, form: str, rows: list[Any]) -> tuple[Path, Any]:
    make, where = FORMS[form]
    path = folder / f"{form}.plist"
    path.write_bytes(plistlib.dumps(make(rows), fmt=plistlib.FMT_BINARY, sort_keys=False))
    return path, where


def said(error: Any) -> tuple[Any, ...]:
    return type(error), error.reason, error.offset, error.record, str(error.path), str(error)


def collected(readers: Any, *, errors: Any) -> list[Any]:
    """Return the records of readers, and the error that ends them."""
    found: list[Any] = []
    try:
        for make in readers:
            with make(errors=errors) as reader:
                found.extend(reader)
    except penstock.DecodeError as error:
        found.append(said(error))
    return found


def assert_same(path: Path, where: Any, into: Any, splits: penstock.Splits) -> list[Any]:
    """Assert that parts have the records and errors of the file, and return these records."""
    expected: list[Any] = []
    kind: Any = "plist"
    one = [partial(penstock.read, path, into, at=where, format=kind)]
    records = collected(one, errors=lambda error: expected.append(said(error)))
    met: list[Any] = []
    moved = [penstock.Split.from_dict(json.loads(json.dumps(part.as_dict()))) for part in splits]
    parts = [partial(part.read, into) for part in moved]
    assert collected(parts, errors=lambda error: met.append(said(error))) == records, f"{splits}"
    assert met == expected, f"{splits}"
    return records


@each
@pytest.mark.parametrize("parts", [1, 2, 3, 7, 64])
def test_any_number_of_parts(form: str, parts: int, tmp_path: Path) -> None:
    path, where = written(tmp_path, form, some(300, {4, 77, 150, 151, 299}))
    splits = penstock.split(path, parts=parts, at=where)
    assert len(splits) == parts
    assert splits.whole == {}
    records = assert_same(path, where, Row, splits)
    assert len(records) == 295
    columns = [pa.table(part.columns(Row, errors="skip")) for part in splits]
    assert pa.concat_tables(columns).column("n").to_pylist() == [row.n for row in records]
    assert splits[-1].load(Row, errors="skip")[-1] == records[-1]
    sizes = [len(part.load(Row, errors="skip")) for part in splits]
    assert max(sizes) - min(sizes) <= 1 + len({4, 77, 150, 151, 299})
    with pytest.raises(penstock.ValidationError) as caught:
        splits[0].load(Row)
    assert caught.value.record == 5


@each
def test_a_part_goes_through_pickles(form: str, tmp_path: Path) -> None:
    path, where = written(tmp_path, form, some(50))
    splits = penstock.split(path, parts=4, at=where)
    for part in splits:
        pickled = pickle.dumps(part)
        assert len(pickled) < 900
        assert pickle.loads(pickled) == part
        assert penstock.read(path, Row, split=part).__next__() == part.load(Row)[0]
    assert [part.begin for part in splits] == sorted({part.begin for part in splits})
    assert splits[0].begin == 0
    assert splits[-1].end is None
    # Twelve or thirteen each: the half of a record goes to either side.
    sizes = [len(part.load()) for part in splits]
    assert set(sizes) == {12, 13}
    assert sum(sizes) == 50


values = st.recursive(
    st.one_of(st.integers(0, 3), st.text("aé", max_size=3), st.booleans(), st.binary(max_size=2)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=30,
)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@SETTINGS
@given(
    value=values,
    where=st.sampled_from(
        [None, "*", "*/*", "a/*", "a", "*/b", "//a", "1/*", "*/*/*", "@a", "*/0"]
    ),
    parts=st.integers(1, 12),
)
def test_any_list(tmp_path: Path, value: Any, where: Any, parts: int) -> None:
    path = tmp_path / "any.plist"
    path.write_bytes(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
    splits = penstock.split(path, parts=parts, at=where)
    records = assert_same(path, where, object, splits)
    if where is None and isinstance(value, list):
        assert records == value
        assert len(splits) == max(1, min(parts, len(value)))
    for into in (int, list[int], dict[str, Any]):
        assert_same(path, where, into, splits)


@SETTINGS
@given(data=st.data())
def test_any_damage(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever byte is another one: the same records, up to the same error."""
    form = data.draw(st.sampled_from(list(FORMS)))
    path, where = written(tmp_path, form, some(data.draw(st.integers(1, 30))))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.sampled_from([len(content)] * 4 + [len(content) // 2, len(content) - 1]))
    path.write_bytes(content[:length])
    splits = penstock.split(path, parts=data.draw(st.integers(1, 9)), at=where)
    for into in (object, Row):
        assert_same(path, where, into, splits)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
def test_every_property_list_of_the_corpora(corpus: Callable[[str], Path]) -> None:
    files = [path for path in sorted(corpus("plist").rglob("*")) if path.is_file()]
    assert len(files) >= 55
    split = 0
    for path in files:
        for where in (None, "*", "*/*"):
            for parts in (1, 2, 5, 64):
                splits = penstock.split(path, parts=parts, at=where, format="plist")
                assert_same(path, where, object, splits)
                split += len(splits) > 1
                is_binary = path.read_bytes().startswith(b"bplist")
                assert len(splits) == 1 or is_binary
    assert split >= 18


def bytes_of(objects: list[bytes], offsets: list[int] | None = None) -> bytes:
    """Return a binary property list of objects, the first one the root."""
    content, places = b"bplist00", []
    for made in objects:
        places.append(len(content))
        content += made
    table = b"".join(place.to_bytes(2, "big") for place in offsets or places)
    numbers = (len(objects), 0, len(content))
    trailer = bytes(6) + b"\2\1" + b"".join(number.to_bytes(8, "big") for number in numbers)
    return content + table + trailer


def test_objects_that_are_shared_and_cycles(tmp_path: Path) -> None:
    path = tmp_path / "graph.plist"
    # The items 1 to 6: a list, the same list, a list of itself, a dict of the root, a list of that
    # list twice, and no object at all.
    objects = [
        b"\xa6\1\1\2\3\4\x0c",
        b"\xa1\5",
        b"\xa1\2",
        b"\xd1\6\0",
        b"\xa2\1\1",
        b"\x10\7",
        b"Qk",
    ]
    path.write_bytes(bytes_of(objects))
    for parts in (1, 2, 3, 4, 5, 6):
        splits = penstock.split(path, parts=parts)
        assert len(splits) >= min(parts, 4)
        found = assert_same(path, None, object, splits)
        assert found[:3] == [[7], [7], [[7], [7]]]
        assert "a reference to object 12" in found[-1][1]
    last = penstock.split(path, parts=6)[-1]
    with last.read(object, errors="skip") as reader:
        twice = next(reader)
    assert twice[0] is twice[1]


def test_a_container_around_a_part_that_a_record_holds(tmp_path: Path) -> None:
    """What was passed over on the way to a part is counted where a record leads there."""
    path = tmp_path / "graph.plist"
    # {"a": [[x, x], [], []], "b": [[a], 0]}, and x is a list.
    objects = [b"\xd2\1\2\3\4", b"Qa", b"Qb", b"\xa3\5\6\6", b"\xa2\7\x08", b"\xa2\6\6", b"\xa0"]
    objects += [b"\xa1\3", b"\x10\0"]
    path.write_bytes(bytes_of(objects))
    splits = penstock.split(path, parts=5, at="*/*")
    assert len(splits) == 5
    assert assert_same(path, "*/*", object, splits) == [[[], []], [], [], [[[[], []], [], []]], 0]
    for parts in range(1, 6):
        splits = penstock.split(path, parts=parts, at="*/*")
        shared = [record for part in splits for record in part.load(object)][3][0][0]
        assert shared[0] is shared[1]


def test_offsets_outside_of_the_objects(tmp_path: Path) -> None:
    path = tmp_path / "offsets.plist"
    objects = [b"\xa5\1\2\3\4\5", b"\x10\1", b"\x10\2", b"\x10\3", b"\x10\4", b"\x10\5"]
    for number in range(6):
        for offset in (0, 8, 12, 23, 24, 25, 65_535):
            offsets = [8, 14, 16, 18, 20, 22]
            offsets[number] = offset
            path.write_bytes(bytes_of(objects, offsets))
            for parts in (1, 2, 3, 5):
                assert_same(path, None, object, penstock.split(path, parts=parts))


def test_what_is_one_part(tmp_path: Path) -> None:
    binary = plistlib.dumps(some(40), fmt=plistlib.FMT_BINARY)
    named = {
        "a.plist": (plistlib.dumps(some(40)), "a record depends on what comes before it"),
        "b.plist": (plistlib.dumps({"a": 1}, fmt=plistlib.FMT_BINARY), "it is one record"),
        "c.plist": (b"({n = 1;}, {n = 2;})", "a record depends on what comes before it"),
        "d.plist": (plistlib.dumps([], fmt=plistlib.FMT_BINARY), "it has no record"),
        "e.plist": (b"bplist00 and no more", "it has no record"),
    }
    for name, (content, why) in named.items():
        (tmp_path / name).write_bytes(content)
        splits = penstock.split(tmp_path / name, parts=4)
        assert len(splits) == 1
        assert splits.whole == {str(tmp_path / name): why}
    (tmp_path / "f.plist").write_bytes(binary)
    packed = tmp_path / "f.plist.zst"
    penstock.recompress(tmp_path / "f.plist", packed)
    splits = penstock.split(packed, parts=4)
    assert splits.whole == {str(packed): "it is no text"}
    assert splits[0].load(Row) == [Row(**row) for row in some(40)]


def test_a_part_that_nobody_has_split(tmp_path: Path) -> None:
    path, _ = written(tmp_path, "root", some(50))
    _, part, _ = penstock.split(path, parts=3)
    values = part.as_dict()
    rows = penstock.load(path, list[Row])
    start = list(values["start"])
    for changes in (
        {"until": None},
        {"until": []},
        {"until": [5]},
        {"until": [10**18]},
        {"until": [20, 5]},
        {"until": [33, 1, 2, 3]},
        {"start": None},
        {"start": [*start[:4], [10**18], start[5]]},
        {"start": [*start[:4], [49], start[5]]},
        {"start": [*start[:4], [50], start[5]]},
        {"start": [*start[:4], [3, 0], start[5]]},
        {"start": [*start[:4], [3, 0], [*start[5], start[5][0]]]},
        {"start": [*start[:4], [3] * 600, [start[5][0]] * 601]},
        {"start": [*start[:4], [], start[5]]},
        {"start": [*start[:4], None, start[5]]},
        {"start": [*start[:4], ["list"], start[5]]},
        {"start": [*start[:4], start[4], [[9, None, None]] * 2]},
        {"format": "json"},
        {"format": "csv"},
    ):
        try:
            found = penstock.Split.from_dict({**values, **changes}).load(Row)
        except (ValueError, penstock.DecodeError):
            continue
        assert all(row in rows for row in found), changes
    text = path.read_bytes()
    path.write_bytes(plistlib.dumps(some(50)))
    with pytest.raises(ValueError, match=r"root\.plist has changed since it was split$"):
        part.load(Row)
    path.write_bytes(text)
    about = path.stat()
    moved = penstock.Split.from_dict({**values, "mtime_ns": about.st_mtime_ns})
    assert moved.load(Row) == rows[17:33]


def test_a_large_file_is_read_at_positions(tmp_path: Path) -> None:
    """A part of a large file opens nothing but what it needs: the rest may be damaged."""
    rows = [{"n": n, "name": f"{n:0>1000}"} for n in range(12_000)]
    path, _ = written(tmp_path, "root", rows)
    assert path.stat().st_size > 11 << 20
    splits = penstock.split(path, bytes=1 << 20)
    assert len(splits) == -(-path.stat().st_size // (1 << 20))
    assert [row.n for part in splits for row in part.read(Row)] == list(range(12_000))
    assert [row["n"] for part in splits for row in part.read()] == list(range(12_000))
    inside, where = written(tmp_path, "inside", rows)
    found = penstock.split(inside, parts=3, at=where)
    assert [row.n for part in found for row in part.read(Row)] == list(range(12_000))
    assert found[1].load(Row)[0].n == 4_000
    text = str(splits[1])
    assert re.fullmatch(
        r".*root\.plist, part 2 of 12: bytes [\d,]+ to [\d,]+, from record 1,0\d\d", text
    )


def longest(rows: Any) -> int:
    return max(row.n for row in rows)


def test_map_reads_parts(tmp_path: Path) -> None:
    path, where = written(tmp_path, "inside", some(500))
    splits = penstock.split(path, parts=4, at=where)
    with penstock.map(splits, Row, longest, processes=2) as found:
        assert list(found) == [124, 249, 374, 499]
        assert found.progress.records == 500
