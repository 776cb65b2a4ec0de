"""Bugs of parts and checkpoints: of files that grow, that are replaced, and of what was kept."""

from __future__ import annotations

import bz2
import hashlib
import json
import os
import plistlib
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import pytest

import penstock
from penstock import Checkpoint, Split
from penstock._parts import points as _points
from penstock._parts import ranges as _ranges
from penstock._parts import split as _split
from penstock.csv import Dialect


def read_on(path: Path, resume: Any, dialect: Any = None) -> tuple[list[Any], Checkpoint]:
    """Return the records and the errors that a reader gives, and its checkpoint, through JSON."""
    told: list[Any] = []
    read: Any = penstock.read
    if dialect is not None:
        read = partial(penstock.csv.read, dialect=dialect)
    with read(
        path, resume=resume, errors=lambda error: told.append((error.record, error.line))
    ) as reader:
        for record in reader:
            told.append(record)  # noqa: PERF402 - errors come in between
        return told, Checkpoint.from_dict(json.loads(json.dumps(reader.checkpoint().as_dict())))


def grown(path: Path, whole: bytes, cut: int, dialect: Any = None) -> list[Any]:
    """Return what is read of the first bytes of a file, and then of the whole."""
    path.write_bytes(whole[:cut])
    told, kept = read_on(path, "start", dialect)
    path.write_bytes(whole)
    return told + read_on(path, kept, dialect)[0]


ROWS = [
    (b'id,note\n1,ok\n2,"line one\rline two"\n3,ok\n', None),
    (b'id,note\r\n1,ok\r\n2,"line\rone\r\nline two"\r\n3,ok\r\n', None),
    (b'id,note\r1,ok\r2,"line one\rline two"\r3,ok\r', None),
    (b'id,note\r1,ok\r2,"line one\rline two"\n3,ok\r', Dialect(terminator="any")),
    (b"id,note\r1,ok\r2,line one\\\rline two\r3,ok\r", Dialect(escape="\\")),
    (b'"line one\rline two"\n3\n', Dialect(header=["note"])),
]


@pytest.mark.parametrize(("whole", "dialect"), ROWS)
def test_523_a_row_that_is_torn_behind_a_carriage_return(
    tmp_path: Path, whole: bytes, dialect: Any
) -> None:
    """It was read as the last row of the file, in error, and its rest as another one."""
    path = tmp_path / "rows.csv"
    path.write_bytes(whole)
    expected, _ = read_on(path, "start", dialect)
    assert all(isinstance(row, dict) for row in expected)
    for cut in range(len(whole) + 1):
        assert grown(path, whole, cut, dialect) == expected, cut


def test_524_a_carriage_return_that_ends_no_row(tmp_path: Path) -> None:
    """It was the end of one, and what came behind it a record that is none of the file."""
    path = tmp_path / "rows.csv"
    whole = b"a,b\n1,2\nx\ry,3\n4,5\n"
    path.write_bytes(whole)
    expected, _ = read_on(path, "start")
    assert expected == [{"a": "1", "b": "2"}, (2, 3), {"a": "4", "b": "5"}]
    for cut in range(len(whole) + 1):
        assert grown(path, whole, cut) == expected, cut


def test_525_a_carriage_return_that_ends_no_line(tmp_path: Path) -> None:
    """It was the end of a line of JSON, and the line before it a record."""
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b'{"n":1}\n12\r {"x":1}')
    told, kept = read_on(path, "start")
    assert told == [{"n": 1}]
    assert kept.offset == 8
    path.write_bytes(b'{"n":1}\n12\r {"x":1}\n{"n":2}\n')
    assert read_on(path, kept)[0] == [(2, 2), {"n": 2}]


def test_526_a_dialect_is_found_anew_if_no_row_was_read(tmp_path: Path) -> None:
    """That of a torn header was kept: the header became a record, or each row an error."""
    path = tmp_path / "rows.csv"
    whole = b"n;m\n1;1,5\n2;2,5\n3;3,5\n"
    expected = [{"n": "1", "m": "1,5"}, {"n": "2", "m": "2,5"}, {"n": "3", "m": "3,5"}]
    for cut in (0, 1, 2, 3, 4, 9, 10):
        assert grown(path, whole, cut, "infer") == expected, cut


def test_527_a_checkpoint_of_several_files_does_not_double(tmp_path: Path) -> None:
    """Each place that waits in a file held all places that waited before it."""
    places: list[Path] = []
    resume: Any = "start"
    sizes: list[int] = []
    for number in range(30, 15, -1):
        places.insert(0, tmp_path / f"{number}.ndjson")
        places[0].write_text('{"a":1}\n{"a":2}\n')
        with penstock.read(places, resume=resume) as reader:
            next(reader)
            resume = reader.checkpoint()
        sizes.append(len(json.dumps(resume.as_dict())))
        assert all(each.done is None and each.waiting == () for each in resume.waiting)
    # Each run adds a place, of the same size.
    assert sizes[-1] < sizes[1] * len(sizes)
    assert len(list(penstock.read(places, resume=resume))) == len(places)


@pytest.mark.parametrize(
    ("value", "at"), [([1, 2, 3], None), ({"a": [1, 2], "b": [3]}, "*/*"), ({"a": 1, "b": 2}, "*")]
)
def test_528_a_checkpoint_of_a_property_list_right_behind_another(
    tmp_path: Path, value: Any, at: Any
) -> None:
    """It was refused until the first record was read."""
    path = tmp_path / "list.plist"
    path.write_bytes(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
    everything = list(penstock.read(path, at=at))
    reader = penstock.read(path, at=at, resume="start")
    for met in range(1, len(everything)):
        next(reader)
        kept = reader.checkpoint()
        again = penstock.read(path, at=at, resume=kept)
        assert again.checkpoint() == kept
        reader = penstock.read(path, at=at, resume=again.checkpoint())
        assert list(penstock.read(path, at=at, resume=again.checkpoint())) == everything[met:]


FILES: dict[str, tuple[bytes, Any]] = {
    "inside.json": (b'{"a":[{"n":1},{"n":2},{"n":3}],"b":[[1],[2]]}', "*/*"),
    "lines.ndjson": (b'{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n', None),
    "rows.csv": (b"a,b\n1,2\n3,4\n5,6\n", None),
    "list.xml": (b'<l><p xmlns:q="u"><i>1</i><i>2</i></p><p><i/></p></l>', "l/p/i"),
    "list.plist": (plistlib.dumps({"a": [1, 2, 3]}, fmt=plistlib.FMT_BINARY), "*/*"),
}
OTHERS: list[Any] = [
    None, "", "x", "map", "\ud800", [], {}, True, 1.5, -1, 0, 7, 2**32, 2**62, 2**64, 10**30, [1], [[]],
    ["map"], [["p", []]], [["", [["a", "b"]]]], [["", [["a"]]]],
]  # fmt: skip


def changed(value: Any) -> list[Any]:
    """Return what a value may be that somebody has damaged, at any depth."""
    made = list(OTHERS)
    if isinstance(value, list):
        for place, each in enumerate(value):
            made += [[*value[:place], other, *value[place + 1 :]] for other in changed(each)]
            made.append([*value[:place], *value[place + 1 :]])
            made.append([*value[:place], each, *value[place:]])
    return made


@pytest.mark.parametrize("name", list(FILES))
def test_529_parts_and_checkpoints_that_are_damaged(tmp_path: Path, name: str) -> None:
    """They were errors of the program, such as a TypeError, or of the system."""
    content, at = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    part = penstock.split(path, parts=3, at=at)[1]
    with penstock.read(path, at=at, resume="start") as reader:
        next(reader)
        checkpoint = reader.checkpoint()

    def split(values: Any) -> None:
        made = Split.from_dict(values)
        assert str(made)
        list(made.read(errors="skip"))

    def resume(values: Any) -> None:
        made = Checkpoint.from_dict(values)
        assert str(made)
        list(penstock.read(path, at=at, resume=made, errors="skip"))

    for use, kept in ((split, part), (resume, checkpoint)):
        values = json.loads(json.dumps(kept.as_dict()))
        use(values)
        for key in set(values) - {"path"}:
            for other in changed(values[key]):
                if key == "at" and isinstance(other, dict):
                    continue
                try:
                    use({**values, key: other})
                except (ValueError, penstock.DecodeError, penstock.PlanError):
                    continue
            without = {other: value for other, value in values.items() if other != key}
            if key not in {"dialect", "until", "pieces", "remote", "done", "waiting"}:
                with pytest.raises(ValueError, match=r"^these are not the values of a penstock\."):
                    use(without)
        with pytest.raises(ValueError, match=r"^these are not the values of a penstock\."):
            use({**values, "other": 1})
        with pytest.raises(ValueError, match=r"_?(Split|Checkpoint): format is damaged$"):
            use({**values, "format": []})
        with pytest.raises(ValueError, match=r"^the point where records begin is damaged$"):
            use({**values, "start": [1]})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pieces", "no table"), ("pieces", 7), ("pieces", []), ("text", "7"), ("text", None), ("text", -1),
        ("text", 2**62), ("text", True), ("why", 7), ("starts", 7), ("starts", [None]), ("starts", [[1]]),
        ("starts", [["1", 1, 1, 1, [], []]]), ("starts", [[9, 2, 1, 1, [], []], [7, 2, 1, 1, [], []]]),
    ],
)  # fmt: skip
def test_530_points_beside_a_file_that_are_damaged(tmp_path: Path, key: str, value: Any) -> None:
    """They were a TypeError, or an error that did not say which file was damaged."""
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b'{"n":1}\n' * 2000)
    penstock.split(path, parts=2, index=True)
    kept = rewritten(path, key, value)
    with pytest.raises(ValueError, match=f"^{kept} is damaged: if you delete it, split"):
        penstock.split(path, parts=2, index=True)


def rewritten(path: Path, key: str, value: Any) -> Path:
    """Change what was kept beside a file, with its hash."""
    kept = path.with_name(path.name + _points.SUFFIX)
    head, check = len(_points.MAGIC) + 1, _points.CHECK
    known = json.loads(kept.read_bytes()[head + check :])
    body = json.dumps({**known, key: value}).encode()
    hashed = hashlib.blake2b(body, digest_size=check).digest()
    kept.write_bytes(kept.read_bytes()[:head] + hashed + body)
    return kept


def test_531_a_text_that_is_said_to_be_very_long(tmp_path: Path) -> None:
    """Parts were looked for behind the last point, in 70,000,000,000 steps."""
    path = tmp_path / "lines.ndjson"
    path.write_bytes(b'{"n":1}\n' * 2000)
    expected = penstock.split(path, bytes=4096, index=True)
    rewritten(path, "text", (1 << 62) - 1)
    found = penstock.split(path, bytes=4096, index=True)
    assert [part.begin for part in found] == [part.begin for part in expected]
    assert sum(len(part.load()) for part in found) == 2000


BIG = b"".join(b'{"n":%d,"s":"%d"}\n' % (n, n * n * 7919 % 1_000_003) for n in range(300_000))


@pytest.mark.parametrize("suffix", ["bgz", "zst"])
def test_532_a_compressed_file_that_was_cut(tmp_path: Path, suffix: str) -> None:
    """The reader of a part said "failed to fill whole buffer"."""
    plain = tmp_path / "rows.ndjson"
    plain.write_bytes(BIG)
    path = tmp_path / f"rows.ndjson.{suffix}"
    penstock.recompress(plain, path)
    part = penstock.split(path, parts=2)[1]
    assert part.pieces is not None
    reader = part.read()
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(
        (OSError, penstock.DecodeError),
        match="the file is shorter than when its pieces were found",
    ):
        list(reader)


def test_533_a_file_of_bzip2_without_text(tmp_path: Path) -> None:
    """It was said to have one block, and that it could be split if it was compressed otherwise."""
    path = tmp_path / "rows.ndjson.bz2"
    path.write_bytes(bz2.compress(b"") * 2)
    assert penstock.split(path, parts=3).whole == {str(path): "the bzip2 file holds no text"}


def lines(value: str) -> str:
    return "".join(f'{{"v":"{value}","n":{n}}}\n' for n in range(1_000_000, 1_020_000))


@pytest.mark.parametrize("suffix", ["ndjson", "ndjson.bgz"])
@pytest.mark.parametrize("number", [0, 1])
def test_534_a_file_that_is_replaced_while_a_part_is_opened(
    tmp_path: Path, suffix: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records of the part came from the other file."""
    path, other = (tmp_path / f"{name}.{suffix}" for name in ("rows", "other"))
    for where, value in ((path, "old"), (other, "new")):
        plain = tmp_path / "plain.ndjson"
        plain.write_text(lines(value))
        if suffix.endswith("bgz"):
            penstock.recompress(plain, where)
        else:
            plain.rename(where)
    part = penstock.split(path, parts=2)[number]
    as_it_was = _split._as_it_was

    def replace(split: Split) -> tuple[Any, tuple[int, int]]:
        found = as_it_was(split)
        if other.exists():
            other.rename(path)
        return found

    monkeypatch.setattr(_split, "_as_it_was", replace)
    with pytest.raises(ValueError, match=f"^{path} has changed since it was split$"):
        part.load()


def test_533_ranges_of_a_file_that_changes_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error named no file, although several may be split."""
    path = tmp_path / "array.json"
    path.write_bytes(b"[" + b",".join(BIG[:30_000].split(b"\n")[:-1]) + b"]")

    def change(points: _ranges.Points, _: int) -> None:
        path.write_text("[]")
        points.finish()

    monkeypatch.setattr(_ranges, "SIZE", 4096)
    monkeypatch.setattr(_ranges, "by_threads", change)
    with pytest.raises(ValueError, match=f"^{path} has changed while it was split$"):
        penstock.split(path, bytes=5000, threads=2)


class Numbered(TypedDict):
    n: int


@pytest.mark.parametrize("rows", [100, 65_536])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_535_columns_of_a_file_with_a_torn_line(tmp_path: Path, threads: int, rows: int) -> None:
    """Threads lost the rows of the last piece that were not in the batch in which it began."""
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "rows.ndjson"
    path.write_bytes(b"".join(b'{"n":%d,"s":"%s"}\n' % (n, b"x" * 20) for n in range(60_000)))
    with path.open("ab") as file:
        file.write(b'{"n":60000')
    found: list[int] = []
    columns = penstock.columns(path, Numbered, rows=rows, threads=threads, resume="start")
    found += (n for batch in columns for n in pyarrow.record_batch(batch)["n"].to_pylist())
    kept = columns.checkpoint()
    assert found == list(range(60_000))
    with path.open("ab") as file:
        file.write(b"}\n")
    (batch,) = penstock.columns(path, Numbered, rows=rows, threads=threads, resume=kept)
    assert pyarrow.record_batch(batch)["n"].to_pylist() == [60_000]
