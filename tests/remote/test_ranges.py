"""Files behind an address, over a server that misbehaves: the same rows, or an error."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import plistlib
import random
import threading
import time
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock._io.remote import source as remote_source

if TYPE_CHECKING:
    import misbehaving

pytest.importorskip("obstore")


@dataclass(slots=True)
class Row:
    id: int
    name: str


COUNT = 20_000
ROWS = [Row(n, f"Zürich {n}") for n in range(COUNT)]
DATA = b"".join(penstock.json.encode(row) + b"\n" for row in ROWS)
SMALL = ROWS[:8]
SMALL_DATA = b"".join(penstock.json.encode(row) + b"\n" for row in SMALL)


def rows(address: str, **options: Any) -> list[Row]:
    return list(penstock.read(penstock.remote(address, **options), Row, format="ndjson"))


def test_pieces_come_in_order_and_grow(server: misbehaving.Server) -> None:
    address, served = server.add("/order.ndjson", DATA, wait=0.1)
    assert rows(address, requests=3) == ROWS
    asked = sorted(
        (int(first), int(last))
        for first, last in (each.removeprefix("bytes=").split("-") for each in served.asked if each)
    )
    assert asked[0] == (0, 65_535)
    assert [last + 1 for _, last in asked[:-1]] == [first for first, _ in asked[1:]]
    assert asked[-1][1] == len(DATA) - 1
    assert [last - first + 1 for first, last in asked[:-1]] == [
        65_536 << n for n in range(len(asked) - 1)
    ]
    assert 1 < served.most <= 3


@pytest.mark.parametrize("requests", [1, 2, 5])
def test_no_more_requests_than_said(server: misbehaving.Server, requests: int) -> None:
    address, served = server.add(f"/most{requests}.ndjson", DATA, wait=0.005)
    remote = penstock.remote(address, requests=requests)
    found: list[int] = []

    def count() -> None:
        found.append(sum(1 for _ in penstock.read(remote, Row)))

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [COUNT] * 3
    assert served.most <= requests


def test_a_connection_that_ends_at_any_byte(server: misbehaving.Server) -> None:
    resumed = 0
    for cut in range(len(SMALL_DATA)):
        address, served = server.add(f"/cut{cut}.ndjson", SMALL_DATA, cut=cut, cuts=1)
        assert rows(address) == SMALL, cut
        resumed += served.asked[1:] == [f"bytes={cut}-65535"]
    # Where the end overtakes the bytes before it, nothing has come.
    assert resumed > len(SMALL_DATA) // 2


def test_a_connection_that_always_ends(server: misbehaving.Server) -> None:
    for cut in (1_000, 4_093, 65_536, 70_001):
        address, served = server.add(f"/always{cut}.ndjson", DATA, cut=cut, cuts=1_000_000)
        assert rows(address) == ROWS
        assert served.given >= len(DATA) // 70_001 - 2


def test_an_object_of_s3_goes_on(server: misbehaving.Server) -> None:
    """Checkpoints and parts of it hold where the store is, and no credentials."""
    _, served = server.add("/bucket/rows.ndjson", DATA, cut=70_001, cuts=1_000_000)
    options: dict[str, Any] = {
        "endpoint": f"http://127.0.0.1:{server.server_port}",
        "region": "us-east-1",
        "access_key_id": "ali",
        "secret_access_key": "sesame",
    }
    remote = penstock.remote("s3://bucket/rows.ndjson", **options)
    reader = penstock.read(remote, Row)
    first = [next(reader) for _ in range(15_000)]
    assert served.given > 2
    place = reader.checkpoint()
    part = penstock.split(remote, parts=2)[1]
    for kept in (json.dumps(place.as_dict()), json.dumps(part.as_dict())):
        assert "sesame" not in kept
        assert '"ali"' not in kept
    again = penstock.remote("s3://bucket/rows.ndjson", **options)
    assert first + list(penstock.read(again, Row, resume=place)) == ROWS
    assert list(penstock.read(again, Row, split=part)) == ROWS[part.records_before :]


def test_a_stream_that_ends_at_any_byte(server: misbehaving.Server) -> None:
    for chunked in (False, True):
        for cut in range(0, len(SMALL_DATA), 7 if chunked else 3):
            address, _ = server.add(
                f"/whole{cut}{chunked}.ndjson",
                SMALL_DATA,
                ranges=False,
                chunked=chunked,
                cut=cut,
                cuts=1_000_000,
            )
            found: list[Row] = []
            remote = penstock.remote(address)
            # Without a range in the answer, the first look at it warns.
            with pytest.warns(penstock.RemoteWarning, match="is read as one stream"):
                remote.connect()
            with pytest.raises((penstock.TruncatedInput, OSError)) as raised:
                found.extend(penstock.read(remote, Row))
            if not isinstance(raised.value, penstock.TruncatedInput):
                # Nothing came: not even a header of the body.
                assert not found
            assert found == SMALL[: len(found)]
            if not chunked:
                assert len(found) == SMALL_DATA[:cut].count(b"\n")


def test_servers_without_ranges_are_read_as_one_stream(server: misbehaving.Server) -> None:
    for chunked in (False, True):
        address, _ = server.add(f"/one{chunked}", DATA, ranges=False, chunked=chunked)
        with pytest.warns(penstock.RemoteWarning) as warned:
            assert rows(address) == ROWS
        assert [Path(each.filename).name for each in warned] == [Path(__file__).name]


def test_the_server_says_no_for_a_while(server: misbehaving.Server) -> None:
    for status in (429, 500, 503):
        address, served = server.add(f"/busy{status}.ndjson", DATA, fail=3, status=status)
        assert rows(address) == ROWS
        assert len(served.asked) > 3


def test_the_server_says_no(server: misbehaving.Server) -> None:
    kinds = {401: PermissionError, 403: PermissionError, 404: FileNotFoundError, 410: OSError}
    for status, kind in kinds.items():
        address, served = server.add(f"/no{status}.ndjson", DATA, fail=1_000, status=status)
        with pytest.raises(kind) as raised:
            rows(address)
        assert address in str(raised.value)
        assert "\n" not in str(raised.value)
        # The client asks again by itself on a connection that was closed meanwhile.
        assert len(served.asked) <= 2


def test_it_stops_to_ask(server: misbehaving.Server) -> None:
    address, served = server.add("/never.ndjson", DATA, fail=1_000)
    with pytest.raises(ConnectionError, match="503"):
        rows(address)
    assert len(served.asked) == remote_source.TRIES


@pytest.mark.parametrize("tag", ['"2"', None, 'W/"2"'])
def test_a_change_is_an_error(server: misbehaving.Server, tag: str | None) -> None:
    other = DATA.replace(b"rich", b"RICH") + (b"" if tag else b"\n")
    before = tag and tag.replace("2", "1")
    address, _ = server.add(
        f"/changed{len(tag or '')}.ndjson", DATA, tag=before, changes=(3, tag, other)
    )
    found: list[Row] = []
    with pytest.raises(penstock.DecodeError, match="it has changed since it was opened"):
        found.extend(penstock.read(penstock.remote(address), Row))
    assert 0 < len(found) < COUNT
    assert found == ROWS[: len(found)]


def test_it_stays_pinned(server: misbehaving.Server) -> None:
    address, served = server.add("/pinned.ndjson", DATA)
    remote = penstock.remote(address)
    assert len(penstock.load(remote, list[Row])) == COUNT
    assert (remote.version, remote.size) == ('"1"', len(DATA))
    served.tag, served.data = '"2"', DATA + DATA
    with pytest.raises((OSError, penstock.DecodeError), match="it has changed since"):
        penstock.load(remote, list[Row])
    assert len(penstock.load(penstock.remote(address), list[Row])) == 2 * COUNT


def test_redirects_queries_and_empty_files(server: misbehaving.Server) -> None:
    server.add("/there.ndjson?key=a%20b&c", DATA)
    address, _ = server.add("/here.ndjson", b"", to="/there.ndjson?key=a%20b&c")
    assert rows(address) == ROWS
    address, _ = server.add("/empty.ndjson", b"")
    assert rows(address) == []


def test_content_encodings(server: misbehaving.Server) -> None:
    packed = gzip.compress(DATA)
    address, _ = server.add("/packed.ndjson", packed, headers={"Content-Encoding": "gzip"})
    assert rows(address) == ROWS
    address, _ = server.add("/br.ndjson", packed, headers={"Content-Encoding": "br"})
    with pytest.raises(ValueError, match=r"the server encodes the content \(br\)"):
        rows(address)


def test_every_verb_takes_it(server: misbehaving.Server, tmp_path: Path) -> None:
    address, _ = server.add("/verbs.ndjson", DATA)
    remote = penstock.remote(address)
    assert penstock.ndjson.load(remote, Row) == ROWS
    assert str(penstock.schema(remote)) == "Schema(id: Int64, name: Utf8)"
    assert sum(len(batch) for batch in penstock.columns(remote, Row)) == COUNT
    assert sum(len(batch) for batch in penstock.columns(remote, threads=2)) == COUNT
    target = tmp_path / "rows.csv"
    assert penstock.convert(remote, target).records == COUNT
    assert list(penstock.read(target, Row)) == ROWS
    # As a file by its path, a server gives the rows of another format.
    address, _ = server.add("/rows.csv", target.read_bytes())
    remote = penstock.remote(address)
    assert penstock.csv.load(remote, Row) == ROWS
    with penstock.csv.open(remote, Row) as opened:
        assert (opened[19_999], opened[7], len(opened)) == (ROWS[19_999], ROWS[7], COUNT)
    plist = plistlib.dumps([{"id": n, "name": str(n)} for n in range(500)], fmt=plistlib.FMT_BINARY)
    address, _ = server.add("/rows.plist", plist)
    remote = penstock.remote(address)
    assert len(penstock.load(remote, list[Row])) == 500
    assert sum(1 for _ in penstock.read(remote, Row)) == 500
    address, _ = server.add("/one", b'{"a": {"b": [1, 2]}}')
    with penstock.open(penstock.remote(address), format="json") as document:
        assert document["a"]["b"][1] == 2
    assert penstock.load(penstock.remote(address)) == {"a": {"b": [1, 2]}}
    address, _ = server.add("/x.xml", b"<a><b>1</b><b>2</b></a>")
    assert list(penstock.read(penstock.remote(address), int, at="a/b")) == [1, 2]
    assert list(penstock.read([remote, remote], Row)) == [
        Row(n % 500, str(n % 500)) for n in range(1000)
    ]


def test_random_rows_ask_for_little(server: misbehaving.Server, tmp_path: Path) -> None:
    """A row takes one range at most, whether the index was just made or has been kept."""
    address, served = server.add("/random.ndjson", DATA * 8)
    wanted = random.Random(1).sample(range(8 * COUNT), 100)
    for _ in range(2):
        remote = penstock.remote(address)
        with penstock.ndjson.open(remote, Row, index=tmp_path / "index") as opened:
            served.asked.clear()
            assert [opened[n] for n in wanted] == [ROWS[n % COUNT] for n in wanted]
            assert 50 < len(served.asked) <= 100
            given = (each.removeprefix("bytes=").split("-") for each in served.asked if each)
            assert sum(int(last) + 1 - int(first) for first, last in given) < len(DATA)
    assert len(DATA) * 8 > 5_000_000


def test_parts(server: misbehaving.Server) -> None:
    address, _ = server.add("/parts.ndjson", DATA)
    parts = penstock.split(penstock.remote(address), parts=4)
    assert len(parts) == 4
    assert [row for part in parts for row in part.read(Row)] == ROWS
    again = pickle.loads(pickle.dumps(parts))
    assert [row for part in again for row in part.read(Row)] == ROWS
    kept = [penstock.Split.from_dict(json.loads(json.dumps(part.as_dict()))) for part in parts]
    assert [row for part in kept for row in part.read(Row)] == ROWS
    assert [
        part.begin for part in penstock.split(penstock.remote(address), parts=4, threads=2)
    ] == [part.begin for part in parts]
    assert str(parts[1].schema()) == "Schema(id: Int64, name: Utf8)"


def test_parts_of_a_compressed_file(server: misbehaving.Server, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.ndjson", tmp_path / "a.ndjson.gz"
    plain.write_bytes(DATA)
    penstock.recompress(plain, packed)
    address, _ = server.add("/a.ndjson.gz", packed.read_bytes())
    parts = penstock.split(penstock.remote(address), parts=3)
    assert len(parts) == 3
    assert [row for part in parts for row in part.read(Row)] == ROWS


def test_parts_of_another_state_are_refused(server: misbehaving.Server) -> None:
    address, served = server.add("/other.ndjson", DATA)
    (_, last) = penstock.split(penstock.remote(address), parts=2)
    last = pickle.loads(pickle.dumps(last))
    served.tag, served.data = '"2"', DATA[::-1]
    with pytest.raises((OSError, ValueError, penstock.DecodeError), match="it has changed since"):
        list(last.read(Row))


def test_pickles_have_no_credentials() -> None:
    remote = penstock.remote(
        "s3://bucket/key.ndjson",
        secret_access_key="sesame",
        access_key_id="ali",
        region="eu-central-1",
    )
    again = pickle.loads(pickle.dumps(remote))
    assert b"sesame" not in pickle.dumps(remote)
    assert b"ali" not in pickle.dumps(remote)
    assert again._options == {"region": "eu-central-1"}
    assert again.address == remote.address
    shown = penstock.remote("https://ali:sesame@example.org/a.json?signature=1")
    assert repr(shown) == "penstock.remote('https://example.org/a.json')"


@dataclass
class Ranged:
    """A file of the caller's."""

    data: bytes
    version: str | None = "1"
    asked: int = 0

    @property
    def size(self) -> int:
        return len(self.data)

    def read_range(self, start: int, end: int) -> bytes:
        self.asked += 1
        if self.asked == 2:
            raise ConnectionResetError("reset")
        return self.data[start:end]


def test_files_of_the_caller() -> None:
    file = Ranged(DATA)
    remote = penstock.remote(file)
    assert penstock.ndjson.load(remote, Row) == ROWS
    file.version = "2"
    with pytest.raises((OSError, penstock.DecodeError), match="it has changed since"):
        penstock.ndjson.load(remote, Row)


def test_file_systems_of_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    files.pipe("/bucket/rows.ndjson", DATA)
    assert penstock.load(penstock.remote("/bucket/rows.ndjson", store=files), list[Row]) == ROWS
    assert penstock.load(penstock.remote("bucket/rows.ndjson", store=files), list[Row]) == ROWS
    with pytest.raises(FileNotFoundError):
        penstock.load(penstock.remote("/bucket/none.ndjson", store=files), list[Row])


def test_stores_of_obstore() -> None:
    from obstore.store import MemoryStore

    store = MemoryStore()
    store.put("a/rows.ndjson", DATA)
    remote = penstock.remote("a/rows.ndjson", store=store)
    assert penstock.load(remote, list[Row]) == ROWS
    store.put("a/rows.ndjson", DATA + b"\n")
    with pytest.raises((OSError, penstock.DecodeError), match="it has changed since"):
        penstock.load(remote, list[Row])


def test_what_is_no_address() -> None:
    with pytest.raises(ValueError, match=r"'a\.json' is no address: it has no scheme"):
        penstock.remote("a.json")
    with pytest.raises(ValueError, match=r"pass the path of a file, '/tmp/a\.json'"):
        penstock.remote("file:///tmp/a.json")
    with pytest.raises(
        TypeError, match=r"remote\(\) takes an address, not PosixPath: it has no size"
    ):
        penstock.remote(Path("a.json"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="requests must be at least 1, not 0"):
        penstock.remote("https://example.org", requests=0)
    with pytest.raises(
        ValueError, match=r"^read\(\) opens files, not URLs: pass penstock.remote\("
    ):
        penstock.read("https://example.org/a.json", Row)


def test_four_in_flight_are_quicker(server: misbehaving.Server) -> None:
    """By what is in flight, and not by the clock."""
    address, served = server.add("/quick.ndjson", DATA * 4, wait=0.1)
    list(penstock.read(penstock.remote(address), Row))
    assert 2 <= served.most <= 4
    served.most = 0
    list(penstock.read(penstock.remote(address, requests=1), Row))
    assert served.most == 1


def test_an_interrupt_is_answered(server: misbehaving.Server) -> None:
    import _thread

    address, _ = server.add("/slow.ndjson", DATA, wait=3)
    begun = time.perf_counter()
    threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        rows(address)
    assert time.perf_counter() - begun < 2


def test_a_member_of_a_zip_archive_is_read_by_ranges(server: misbehaving.Server) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("other.bin", random.Random(1).randbytes(3 << 20))
        archive.writestr("rows.ndjson", DATA)
    address, served = server.add("/a.zip", file.getvalue())
    remote = penstock.remote(address)
    assert list(penstock.read(remote, Row, member="rows.ndjson")) == ROWS
    given = [each.removeprefix("bytes=").split("-") for each in served.asked if each]
    assert sum(int(last) + 1 - int(first) for first, last in given) < 2 << 20


def test_doors_read_it_again(server: misbehaving.Server) -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    import penstock.duckdb
    import penstock.polars

    address, _ = server.add("/doors.ndjson", DATA)
    remote = penstock.remote(address)
    frame = penstock.polars.scan(remote, Row)
    for _ in range(2):
        assert frame.filter(polars.col("id") > COUNT - 3).collect()["id"].to_list() == [
            COUNT - 2,
            COUNT - 1,
        ]
    with duckdb.connect() as connection:
        penstock.duckdb.register(connection, "rows", remote, Row)
        for _ in range(2):
            assert connection.sql("select max(id), count(*) from rows").fetchall() == [
                (COUNT - 1, COUNT)
            ]


def test_what_needs_a_path_says_so(server: misbehaving.Server) -> None:
    address, _ = server.add("/path.ndjson", DATA)
    remote = penstock.remote(address)
    with pytest.raises(ValueError, match="nothing can be kept beside http"):
        penstock.ndjson.open(remote, Row, index=True)
    with pytest.raises(ValueError, match="nothing can be kept beside http"):
        penstock.split(remote, parts=2, index=True)


def test_indexes_at_a_path(server: misbehaving.Server, tmp_path: Path) -> None:
    address, served = server.add("/index.ndjson", DATA)
    kept = tmp_path / "rows.index"
    with penstock.ndjson.open(penstock.remote(address), Row, index=kept) as opened:
        assert opened[77] == ROWS[77]
    served.asked.clear()
    with penstock.ndjson.open(penstock.remote(address), Row, index=kept) as opened:
        assert opened[78] == ROWS[78]
    assert len(served.asked) <= 6
    parts = penstock.split(penstock.remote(address), parts=3, index=tmp_path / "parts")
    served.asked.clear()
    assert penstock.split(penstock.remote(address), parts=3, index=tmp_path / "parts") == parts
    assert len(served.asked) <= 2
    assert [row for part in parts for row in part.read(Row)] == ROWS


def test_two_readers_of_one_thread(server: misbehaving.Server) -> None:
    for ranges in (True, False):
        address, _ = server.add(f"/two{ranges}.ndjson", DATA * 8, ranges=ranges)
        remote = penstock.remote(address, requests=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", penstock.RemoteWarning)
            pairs = zip(penstock.read(remote, Row), penstock.read(remote, Row), strict=True)
            assert sum(one == other for one, other in pairs) == 8 * COUNT


def test_a_file_that_also_gives_ranges_is_a_file() -> None:
    class Both(io.BytesIO):
        def read_range(self, _start: int, _end: int) -> bytes:
            raise AssertionError("nobody asks for it")

    assert penstock.ndjson.load(Both(DATA), Row) == ROWS
    assert sum(len(batch) for batch in penstock.columns(Both(DATA), Row, format="ndjson")) == COUNT


def test_a_size_that_is_none_is_refused() -> None:
    file = Ranged(DATA)
    remote = penstock.remote(file)
    file.data = None  # type: ignore[assignment]
    with pytest.raises(TypeError):
        penstock.ndjson.load(remote, Row)

    class Unknown:
        size, version = None, "1"

        def read_range(self, _start: int, _end: int) -> bytes:
            raise AssertionError("nobody asks for it")

    with pytest.raises(TypeError, match="size must be an int, not None"):
        penstock.ndjson.load(penstock.remote(Unknown()), Row)  # type: ignore[arg-type]


def test_an_archive_is_one_part(server: misbehaving.Server, tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.ndjson", DATA)
    address, _ = server.add("/archive.zip", path.read_bytes())
    local = penstock.split(path, parts=3)
    parts = penstock.split(penstock.remote(address), parts=3)
    assert [*parts.whole.values()] == [*local.whole.values()] == ["it is an archive"]
    assert [part.begin for part in parts] == [part.begin for part in local] == [0]
