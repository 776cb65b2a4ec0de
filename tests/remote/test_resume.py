"""Checkpoints of files behind an address: reading goes on at the record, in the same state."""

from __future__ import annotations

import gzip
import json
import pickle
import plistlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import penstock

if TYPE_CHECKING:
    import misbehaving

pytest.importorskip("obstore")


@dataclass(slots=True)
class Row:
    n: int


COUNT = 30_000
ROWS = [Row(n) for n in range(COUNT)]
LINES = b"".join(b'{"n": %d}\n' % n for n in range(COUNT))
MANY = {
    "rows.ndjson": LINES,
    "rows.json": json.dumps([{"n": n} for n in range(COUNT)]).encode(),
    "rows.csv": b"n\n" + b"".join(b"%d\n" % n for n in range(COUNT)),
    "rows.xml": b"<r>" + b"".join(b"<i><n>%d</n></i>" % n for n in range(COUNT)) + b"</r>",
    "rows.plist": plistlib.dumps([{"n": n} for n in range(COUNT)], fmt=plistlib.FMT_BINARY),
}
FEW = {
    "torn.ndjson": b'{"a":1}\n\n{"a":2} \r\n[3]\n12',
    "array.json": b'[1, {"a":[2]} , "x",\n 4, null]',
    "windows.csv": b'a,b\r\n1,"x\r\ny"\r\n\r\n2,3\r\n4,""\r\n',
    "root.xml": b'<r xmlns:p="urn:p">\n<i id="1"/>t<i>2</i><j/><p:i>3</p:i>\n<i>4</i></r>\n',
    "list.plist": plistlib.dumps([1, {"a": [2]}, "x", [], 4], fmt=plistlib.FMT_BINARY),
    "empty.ndjson": b"",
}


def numbered(reader: penstock.Reader[Any], most: int = 1 << 30) -> list[Any]:
    """Return the records, and where each stands."""
    return [
        (record, reader.place.record, reader.place.line)
        for record, _ in zip(reader, range(most), strict=False)
    ]


def taken(reader: penstock.Reader[Any], count: int) -> list[Any]:
    return [next(reader) for _ in range(count)]


def moved(checkpoint: penstock.Checkpoint) -> penstock.Checkpoint:
    """Return a checkpoint as another process would have it."""
    through_json = penstock.Checkpoint.from_dict(json.loads(json.dumps(checkpoint.as_dict())))
    assert through_json == pickle.loads(pickle.dumps(checkpoint))
    return through_json


@pytest.mark.parametrize("name", FEW)
def test_behind_each_record(server: misbehaving.Server, name: str) -> None:
    address, _ = server.add(f"/{name}", FEW[name])
    remote = penstock.remote(address)
    whole = list(penstock.read(remote))
    place: penstock.Checkpoint | Literal["start"] = "start"
    for count in range(len(whole) + 1):
        reader = penstock.read(remote, resume=place)
        assert taken(reader, count and 1) == whole[max(0, count - 1) : count]
        place = moved(reader.checkpoint())
        assert (place.path, place.records) == (address, count)
        # What has gone on meets the same end.
        assert list(penstock.read(penstock.remote(address), resume=place)) == whole[count:]


@pytest.mark.parametrize("name", MANY)
def test_the_places_are_those_of_one_go(server: misbehaving.Server, name: str) -> None:
    address, served = server.add(f"/{name}", MANY[name])
    expected = numbered(penstock.read(penstock.remote(address), Row))
    reader = penstock.read(penstock.remote(address), Row)
    assert taken(reader, 23_456) == ROWS[:23_456]
    reader.checkpoint()
    asked = len(served.asked)
    place = moved(reader.checkpoint())
    assert len(served.asked) == asked
    reader.close()
    served.asked.clear()
    rest = penstock.read(penstock.remote(address), Row, resume=place)
    assert numbered(rest) == expected[23_456:]
    if name != "rows.plist":
        begins = [int(each.removeprefix("bytes=").split("-")[0]) for each in served.asked if each]
        # The beginning is looked at, and what lies between that and the place is not.
        assert not [at for at in begins if 70_000 < at < place.offset - 1_024]


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_file_in_pieces(server: misbehaving.Server, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "a.ndjson").write_bytes(LINES)
    packed = tmp_path / f"a.ndjson.{suffix}"
    penstock.recompress(tmp_path / "a.ndjson", packed)
    address, served = server.add(f"/a.ndjson.{suffix}", packed.read_bytes())
    reader = penstock.read(penstock.remote(address), Row)
    first = taken(reader, 23_456)
    place = moved(reader.checkpoint())
    asked = len(served.asked)
    first += taken(reader, 2)
    again = moved(reader.checkpoint())
    # Where its pieces are is known by now.
    assert len(served.asked) - asked <= 2
    assert first == ROWS[:23_458]
    for checkpoint in (place, again):
        rest = penstock.read(penstock.remote(address), Row, resume=checkpoint)
        assert list(rest) == ROWS[checkpoint.records :]


def test_a_file_compressed_as_a_whole(server: misbehaving.Server) -> None:
    address, _ = server.add("/a.ndjson.gz", gzip.compress(LINES))
    remote = penstock.remote(address)
    reader = penstock.read(remote, Row)
    begin = moved(reader.checkpoint())
    next(reader)
    with pytest.raises(ValueError, match="there is no checkpoint: a gzip file that is not BGZF"):
        reader.checkpoint()
    assert sum(1 for _ in reader) == COUNT - 1
    end = moved(reader.checkpoint())
    assert [sum(1 for _ in penstock.read(remote, Row, resume=at)) for at in (begin, end)] == [
        COUNT,
        0,
    ]


@pytest.mark.parametrize("tag", ['"1"', None])
@pytest.mark.parametrize("data", [LINES + b'{"n": 1}\n', LINES[:-2] + b"]\n"])
def test_a_file_that_has_changed(server: misbehaving.Server, tag: str | None, data: bytes) -> None:
    address, served = server.add("/a.ndjson", LINES, tag=tag)
    remote = penstock.remote(address)
    reader = penstock.read(remote, Row)
    next(reader)
    place = moved(reader.checkpoint())
    assert list(penstock.read(penstock.remote(address), Row, resume=place)) == ROWS[1:]
    served.tag, served.data = tag and '"2"', data
    with pytest.raises(ValueError, match=f"^{address} has changed since the checkpoint was made$"):
        penstock.read(penstock.remote(address), Row, resume=place)
    # A source stays with the state that it has met first.
    if tag is not None:
        with pytest.raises((OSError, penstock.DecodeError), match="it has changed since it was"):
            list(penstock.read(remote, Row, resume=place))


def test_a_server_without_ranges(server: misbehaving.Server) -> None:
    address, served = server.add("/a.ndjson", LINES)
    reader = penstock.read(penstock.remote(address), Row)
    next(reader)
    place = reader.checkpoint()
    served.ranges = False
    with pytest.warns(penstock.RemoteWarning):
        reader = penstock.read(penstock.remote(address), Row)
    next(reader)
    with pytest.raises(ValueError, match="there is no checkpoint: the server gives no ranges"):
        reader.checkpoint()
    resumes: tuple[penstock.Checkpoint | Literal["start"], ...] = (place, "start")
    for resume in resumes:
        with (
            pytest.warns(penstock.RemoteWarning),
            pytest.raises(ValueError, match=f"the server of {address} gives no ranges of bytes"),
        ):
            penstock.read(penstock.remote(address), Row, resume=resume)


def test_a_checkpoint_has_no_credentials(server: misbehaving.Server) -> None:
    address, _ = server.add("/a.ndjson?signature=sesame", LINES)
    other, _ = server.add("/a.ndjson?signature=open", LINES)
    reader = penstock.read(penstock.remote(address), Row)
    first = taken(reader, 10)
    place = moved(reader.checkpoint())
    assert "sesame" not in json.dumps(place.as_dict())
    assert b"sesame" not in pickle.dumps(place)
    # Another day, another signature.
    assert first + list(penstock.read(penstock.remote(other), Row, resume=place)) == ROWS


def test_several_addresses(server: misbehaving.Server, tmp_path: Path) -> None:
    addresses = [server.add(f"/{name}", MANY[name])[0] for name in ("rows.ndjson", "rows.json")]
    local = tmp_path / "rows.csv"
    local.write_bytes(MANY["rows.csv"])

    def sources() -> list[Any]:
        return [*map(penstock.remote, addresses), local]

    place: penstock.Checkpoint | Literal["start"] = "start"
    found: list[Row] = []
    for count in (COUNT - 1, 1, 1, COUNT, COUNT - 1):
        reader = penstock.read(sources(), Row, resume=place)
        found += taken(reader, count)
        place = moved(reader.checkpoint())
    assert found == ROWS * 3
    assert list(penstock.read(sources(), Row, resume=place)) == []
    server.files["/rows.ndjson"].tag = '"2"'
    with pytest.raises(ValueError, match=f"{addresses[0]} has changed since it was read"):
        penstock.read(sources(), Row, resume=place)


@pytest.mark.parametrize("name", ["rows.ndjson", "rows.json"])
@pytest.mark.filterwarnings("ignore::penstock.RemoteWarning")
def test_what_is_kept(server: misbehaving.Server, tmp_path: Path, name: str) -> None:
    """A checkpoint is one of the address, whether the file is kept or not."""
    address, served = server.add(f"/{name}", MANY[name])
    kept = penstock.remote(address, keep=tmp_path / "here")
    reader = penstock.read(kept, Row)
    first = taken(reader, 20_000)
    place = moved(reader.checkpoint())
    assert (place.path, place.mtime_ns) == (address, penstock.remote(address).stat().st_mtime_ns)
    for remote in (kept, penstock.remote(address), penstock.remote(address, keep=tmp_path / "b")):
        assert first + list(penstock.read(remote, Row, resume=place)) == ROWS
    served.fail, served.status = 1_000_000, 503
    offline = penstock.remote(address, keep=tmp_path / "here")
    assert first + list(penstock.read(offline, Row, resume=place)) == ROWS
    served.fail, served.tag = 0, '"2"'
    with pytest.raises(ValueError, match="has changed since the checkpoint was made"):
        penstock.read(penstock.remote(address, keep=tmp_path / "here"), Row, resume=place)


def test_columns_and_dialects(server: misbehaving.Server) -> None:
    address, _ = server.add("/rows.ndjson", LINES)
    columns = penstock.columns(penstock.remote(address), Row, rows=1_000)
    assert sum(len(next(columns)) for _ in range(3)) == 3_000
    place = moved(columns.checkpoint())
    assert list(penstock.read(penstock.remote(address), Row, resume=place)) == ROWS[3_000:]
    rest = penstock.columns(penstock.remote(address), Row, resume=place)
    assert sum(map(len, rest)) == COUNT - 3_000
    address, _ = server.add("/rows.csv", b"name;size\nBern;1,5\nChur;0,4\n")
    reader = penstock.csv.read(penstock.remote(address), dialect="infer", resume="start")
    assert next(reader) == {"name": "Bern", "size": "1,5"}
    place = moved(reader.checkpoint())
    (row,) = penstock.csv.read(penstock.remote(address), dialect="infer", resume=place)
    assert row == {"name": "Chur", "size": "0,4"}


def test_an_object_of_the_caller() -> None:
    class Ranged:
        size, version = len(LINES), "1"

        def read_range(self, start: int, end: int) -> bytes:
            return LINES[start:end]

    reader = penstock.read(penstock.remote(Ranged()), Row, format="ndjson")
    first = taken(reader, 7)
    # JSON has it, because it holds no object.
    place = moved(reader.checkpoint())
    rest = penstock.read(penstock.remote(Ranged()), Row, format="ndjson", resume=place)
    assert first + list(rest) == ROWS
