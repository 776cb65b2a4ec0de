"""Where parts may begin is kept beside a file: the next parts need no pass over it."""

from __future__ import annotations

import json
import os
import pickle
import plistlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import Limits, _rust
from penstock._parts import points as _points

SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def lines(count: int) -> str:
    return "".join(f'{{"n": {n}, "name": "{"x" * (n % 50)}"}}\n' for n in range(count))


def array(count: int) -> str:
    return json.dumps({"rows": [{"n": n, "name": "],[" * (n % 9)} for n in range(count)]})


def elements(count: int) -> str:
    items = [f"<p:i n='{n}'>{'y' * (n % 30)}</p:i>" for n in range(count)]
    return f"<l xmlns:p='u'>{''.join(items)}</l>"


def table(count: int) -> str:
    return "n,name\n" + "".join(f'{n},"a\n{"z" * (n % 20)}"\n' for n in range(count))


FORMS: dict[str, tuple[Any, Any]] = {
    "a.ndjson": (lines, None),
    "a.json": (array, "rows/*"),
    "a.xml": (elements, "l/*"),
    "a.csv": (table, None),
}
each = pytest.mark.parametrize("name", list(FORMS))


def written(folder: Path, name: str, count: int = 4_000) -> tuple[Path, Any]:
    make, where = FORMS[name]
    path = folder / name
    path.write_text(make(count), encoding="utf-8")
    return path, where


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count the passes over files."""
    made: list[str] = []
    real = _rust.split_points

    def counted(*arguments: Any) -> Any:
        made.append("a pass")
        return real(*arguments)

    monkeypatch.setattr(_rust, "split_points", counted)
    return made


@each
def test_parts_of_another_size_need_no_pass(name: str, tmp_path: Path, passes: list[str]) -> None:
    path, where = written(tmp_path, name)
    first = penstock.split(path, parts=8, at=where, index=True)
    kept = tmp_path / f"{name}.penstock-splits"
    assert set(tmp_path.iterdir()) == {path, kept}
    assert len(passes) == 1
    before = kept.stat().st_ino
    records = [*penstock.read(path, at=where)]
    sizes = [{"parts": 8}, {"parts": 3}, {"parts": 1}, {"bytes": 30_000}, {"parts": 10_000}, {}]
    for options in sizes:
        splits = penstock.split(path, at=where, index=True, **options)  # type: ignore[arg-type]
        assert [record for part in splits for record in part.read()] == records
        again = penstock.Split.from_dict(json.loads(json.dumps(splits[-1].as_dict())))
        assert again.load() == splits[-1].load()
        assert pickle.loads(pickle.dumps(splits)) == splits
        if options == {"parts": 8}:
            assert splits == first
            assert len(splits) == 8
            # Each begins next to where it does without points that were kept.
            for part, bare in zip(splits, penstock.split(path, parts=8, at=where), strict=True):
                assert abs(part.begin - bare.begin) < 5_000
            passes.pop()
        for part, later in pairwise(splits):
            assert part.end == later.begin > part.begin
    assert len(penstock.split(path, bytes=30_000, at=where, index=True)) >= 3
    # As many as there are points.
    assert 15 < len(penstock.split(path, parts=10_000, at=where, index=True)) < 100
    assert len(passes) == 1
    assert kept.stat().st_ino == before


def test_where_it_is_kept(tmp_path: Path, passes: list[str]) -> None:
    path, _ = written(tmp_path, "a.ndjson")
    elsewhere = tmp_path / "folder" / "points"
    elsewhere.parent.mkdir()
    for index in (elsewhere, str(elsewhere)):
        splits = penstock.split(path, parts=4, index=index)
        assert len(splits) == 4
    assert len(passes) == 1
    assert set(tmp_path.iterdir()) == {path, elsewhere.parent}
    assert [*elsewhere.parent.iterdir()] == [elsewhere]
    penstock.split(path, parts=4, index=False)
    assert set(tmp_path.iterdir()) == {path, elsewhere.parent}
    # The file may get another name, also in another folder.
    moved = path.rename(tmp_path / "b.ndjson")
    assert penstock.split(moved, parts=4, index=elsewhere)[1].begin == splits[1].begin
    assert len(passes) == 2


def test_other_records_are_looked_for_again(tmp_path: Path, passes: list[str]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"a": list(range(9_000)), "b": list(range(9_000))}))
    options: list[dict[str, Any]] = [
        {"at": "a/*"},
        {"at": "b/*"},
        {"at": "*/*"},
        {"at": "*/*", "limits": Limits(depth=9)},
        {"at": {"a/*": int, "b/*": int}},
        {"at": {"b/*": int, "a/*": int}},
    ]
    for count, each in enumerate(options, 1):
        for _ in range(2):
            splits = penstock.split(path, parts=3, index=True, **each)
            assert len(passes) == count
        assert len(splits) == 3
    rows = tmp_path / "a.csv"
    rows.write_text("a;b,c\n" * 5_000)
    dialects = [None, penstock.csv.Dialect(";"), penstock.csv.Dialect(";", header=["a", "b"])]
    for count, dialect in enumerate(dialects, len(options) + 1):
        for _ in range(2):
            found = penstock.csv.split(rows, parts=3, dialect=dialect, index=True)
            assert len(passes) == count
        whole = penstock.csv.load(rows, dialect=dialect)
        assert [row for part in found for row in part.read()] == whole
    # Its name says the delimiter, if nobody does.
    penstock.split(rows, parts=3, index=True)
    assert len(passes) == count + 1
    index = tmp_path / "a.csv.penstock-splits"
    tabs = rows.rename(tmp_path / "a.tsv")
    penstock.split(tabs, parts=3, index=index)
    assert len(passes) == count + 2


@each
def test_a_file_that_changes(name: str, tmp_path: Path, passes: list[str]) -> None:
    path, where = written(tmp_path, name)
    kept = tmp_path / f"{name}.penstock-splits"
    penstock.split(path, parts=4, at=where, index=True)
    first, about, text = kept.read_bytes(), path.stat(), path.read_text()
    changes = [
        (text + "\n", about.st_mtime_ns),
        (text, about.st_mtime_ns + 1),
        (text.replace("0", "7", 1), about.st_mtime_ns),
    ]
    for count, (other, changed) in enumerate(changes, 2):
        path.write_text(other)
        os.utime(path, ns=(about.st_atime_ns, changed))
        splits = penstock.split(path, parts=4, at=where, index=True)
        assert len(passes) == count
        assert kept.read_bytes() != first
        assert splits[0].load()[0] == next(penstock.read(path, at=where))
    path.write_text(text)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    penstock.split(path, parts=4, at=where, index=True)
    assert kept.read_bytes() == first


def test_what_is_damaged(tmp_path: Path) -> None:
    path, _ = written(tmp_path, "a.ndjson")
    kept = tmp_path / "a.ndjson.penstock-splits"
    expected = penstock.split(path, parts=4, index=True)
    first = kept.read_bytes()
    assert first.startswith(b"PENSTSP\2")
    for wrong in (
        first[:-1],
        first[:8],
        first[:30],
        first + b"\0",
        first[:20] + bytes([first[20] ^ 1]) + first[21:],
        first.replace(b'"size"', b'"sise"'),
    ):
        kept.write_bytes(wrong)
        with pytest.raises(ValueError, match=rf"^{kept} is damaged: if you delete it, "):
            penstock.split(path, parts=4, index=True)
        assert kept.read_bytes() == wrong
    # An index of another version is made again; anything else is not replaced.
    for other in (b"PENSTSP", b"PENSTSP\1" + first[8:]):
        kept.write_bytes(other)
        assert penstock.split(path, parts=4, index=True) == expected
        assert kept.read_bytes() == first
    for foreign in (b"", b"{}\n", b"PENSTIX\2"):
        kept.write_bytes(foreign)
        with pytest.raises(FileExistsError, match="index= names something else than an index"):
            penstock.split(path, parts=4, index=True)
        assert kept.read_bytes() == foreign
    kept.unlink()
    kept.symlink_to(path)
    with pytest.raises(FileExistsError):
        penstock.split(path, parts=4, index=True)
    assert path.read_text() == lines(4_000)
    with pytest.raises(FileExistsError):
        penstock.split(path, parts=4, index=path)
    with pytest.raises(FileNotFoundError):
        penstock.split(path, parts=4, index=tmp_path / "none" / "points")


def test_several_files(tmp_path: Path, passes: list[str]) -> None:
    for n in range(3):
        (tmp_path / f"{n}.ndjson").write_text(lines(1_000 + n))
    for _ in range(2):
        splits = penstock.split(tmp_path / "*.ndjson", parts=6, index=True)
        assert [(part.index, part.count) for part in splits] == [(0, 2), (1, 2)] * 3
        assert len(passes) == 3
    assert len([*tmp_path.iterdir()]) == 6
    assert sum(len(part.load()) for part in splits) == 3_003
    with pytest.raises(
        ValueError, match=r"^index= is the path for one file: True keeps one beside"
    ):
        penstock.split(tmp_path / "*.ndjson", parts=6, index=tmp_path / "points")


def test_what_is_one_part(tmp_path: Path, passes: list[str]) -> None:
    members, empty = tmp_path / "a.json", tmp_path / "b.ndjson"
    members.write_text(json.dumps({f"k{n}": n for n in range(2_000)}))
    empty.write_text("")
    for path, where in ((members, "*"), (empty, None)):
        bare = penstock.split(path, parts=4, at=where)
        passes.clear()
        for _ in range(2):
            assert penstock.split(path, parts=4, at=where, index=True) == bare
        assert len(passes) == 1


@pytest.mark.parametrize("suffix", ["bgz", "zst"])
def test_files_that_are_compressed_in_pieces(
    suffix: str, tmp_path: Path, passes: list[str]
) -> None:
    path, _ = written(tmp_path, "a.ndjson")
    packed = tmp_path / f"a.ndjson.{suffix}"
    penstock.recompress(path, packed)
    for _ in range(2):
        splits = penstock.split(packed, parts=5, index=True)
        assert len(splits) == 5
        assert splits[0].text == path.stat().st_size
        assert [row["n"] for part in splits for row in part.read()] == list(range(4_000))
    assert len(passes) == 1


def test_property_lists(tmp_path: Path, passes: list[str]) -> None:
    path = tmp_path / "a.plist"
    rows = [{"n": n, "name": "x" * (n % 50)} for n in range(4_000)]
    path.write_bytes(plistlib.dumps(rows, fmt=plistlib.FMT_BINARY))
    for _ in range(2):
        splits = penstock.split(path, parts=5, index=True)
        assert len(splits) == 5
        assert [row for part in splits for row in part.read()] == rows
    assert len(passes) == 1


@SETTINGS
@given(
    starts=st.lists(st.integers(1, 1_000), unique=True, max_size=30).map(sorted),
    offsets=st.lists(st.integers(0, 1_100), max_size=20).map(sorted),
)
def test_the_nearest_points(starts: list[int], offsets: list[int]) -> None:
    """Each is the nearest one behind the last: the twin looks at all of them."""
    points = _points.Points(1_000, [(start,) for start in starts], None)
    found: list[int] = []
    for offset in offsets:
        left = [start for start in starts if not found or start > found[-1]]
        if left and not (found and found[-1] >= offset):
            found.append(min(left, key=lambda start: (abs(start - offset), start)))
    assert [start for (start,) in points.nearest(offsets)] == found


def test_points_are_spread() -> None:
    assert _points.spread(0) == _points.spread(4_096) == []
    assert _points.spread(10_000) == [4_096, 8_192]
    assert len(_points.spread(1 << 30)) == 1_023
    assert len(_points.spread(1 << 36)) == (1 << 14) - 1
    assert _points.spread(1 << 36)[0] == 4 << 20
    assert len(_points.spread(1 << 42)) == _points.MOST - 1


def test_too_many_points_are_thinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = written(tmp_path, "a.ndjson")
    monkeypatch.setattr(_points, "LARGEST", 1_200)
    splits = [penstock.split(path, parts=50, index=True) for _ in range(2)]
    assert (tmp_path / "a.ndjson.penstock-splits").stat().st_size < 1_300
    assert [row["n"] for part in splits[1] for row in part.read()] == list(range(4_000))
    assert splits[0] == splits[1]
    assert len(splits[1]) > 3
