"""`penstock.csv.open`: any row of a file, with the results of `read`."""

from __future__ import annotations

import gc
import gzip
import os
import pickle
import random
import struct
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, Limits, Rows, csv, ndjson
from penstock.csv import Dialect

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class City:
    name: str
    population: int = 0


TEXT = (
    'name,population\nBern,134591\n\n"Ch""ur",38765\r\n"Ż\nuk",7\nLyon,many\n'
    'Biel\n"Ba"sel,1\nend,"3"'
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cities.csv"
    path.write_bytes(TEXT.encode())
    return path


def outcomes(path: Path, into: Any, **how: Any) -> list[Any]:
    """Return the rows of `read`, with the errors in their places."""
    errors: list[DecodeError] = []
    with csv.read(path, into, errors=errors.append, **how) as reader:
        made: list[Any] = list(reader)
    for error in sorted(errors, key=lambda error: error.record or 0):
        assert error.record is not None
        made.insert(error.record - 1, error)
    return made


def outcome(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except DecodeError as error:
        return error


def same(one: Any, other: Any) -> bool:
    if isinstance(one, DecodeError):
        return type(one) is type(other) and one.report() == other.report()
    return type(one) is type(other) and one == other


def assert_as_read(path: Path, into: Any, **how: Any) -> None:
    expected = outcomes(path, into, **how)
    with csv.open(path, into, **how) as rows:
        assert len(rows) == len(expected)
        for place, record in enumerate(expected):
            assert same(outcome(lambda place=place: rows[place]), record), place
        for start in (0, len(expected) // 2):
            iterator = iter(rows[start:])
            for record in expected[start:]:
                assert same(outcome(lambda iterator=iterator: next(iterator)), record)
            assert list(iterator) == []


CELLS = st.sampled_from(["", "a", "é", '"', '""', "7", "#", " ", "\n", '"x\ny"', "\\", '"a,b"'])
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r", ";"])
DIALECTS = st.builds(
    Dialect,
    quote=st.sampled_from(['"', None]),
    escape=st.sampled_from([None, "\\"]),
    comment=st.sampled_from([None, "#"]),
    terminator=st.sampled_from([None, "any", ";"]),
    trim=st.booleans(),
    header=st.sampled_from(["first", None, ["x"], ["x", "y"]]),
)


@given(
    table=st.lists(st.tuples(st.lists(CELLS, max_size=3), ENDS), max_size=12),
    dialect=DIALECTS,
    row=st.sampled_from([1 << 20, 1 << 20, 6]),
    mark=st.booleans(),
)
def test_each_row_is_that_of_read(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[tuple[list[str], str]],
    dialect: Dialect,
    row: int,
    mark: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / f"some-{threading.get_ident()}.csv"
    text = "x,y\n" + "".join(",".join(cells) + end for cells, end in table)
    path.write_bytes(b"\xef\xbb\xbf" * mark + text.encode())
    limits = Limits(row=row)
    opened = outcome(lambda: csv.open(path, dialect=dialect, limits=limits))
    if isinstance(opened, DecodeError):
        # The header, or the first row of a file without one.
        found = outcome(lambda: next(csv.read(path, dialect=dialect, limits=limits)))
        assert same(found, opened)
    else:
        assert_as_read(path, object, dialect=dialect, limits=limits)


def test_a_class(path: Path) -> None:
    rows = csv.open(path, City)
    assert isinstance(rows, Sequence)
    assert_as_read(path, City)
    assert len(rows) == 7
    assert rows[0] == City("Bern", 134591)
    assert rows[-1] == City("end", 3)
    assert rows[-5] == City("Ż\nuk", 7)
    assert rows.to(dict[str, str], 0) == {"name": "Bern", "population": "134591"}
    assert random.Random(7).choice(rows[:3]) in list(rows[:3])
    wrong = {
        3: f'{path}:7:6: expected int, got "many" (record 4, at population)',
        4: f"{path}:8:5: the row has 1 cell, and there are 2 columns (record 5)",
        5: f"{path}:9:5: text behind the closing quote of a cell (record 6)",
    }
    for place, message in wrong.items():
        with pytest.raises(DecodeError) as raised:
            rows[place]
        assert str(raised.value) == message


@dataclass
class Town:
    town: str


def test_a_header_that_does_not_fit(path: Path) -> None:
    message = f'{path}:1:1: Town requires the column "town", which the header lacks; '
    message += 'the columns are "name" and "population"'
    with pytest.raises(penstock.ValidationError) as raised:
        csv.open(path, Town)
    assert str(raised.value) == message
    assert same(raised.value, outcome(lambda: next(csv.read(path, Town))))
    rows = csv.open(path)
    with pytest.raises(penstock.ValidationError) as raised:
        rows.to(Town, 3)
    assert str(raised.value) == message
    path.write_text("town\n")
    assert list(csv.open(path, Town)) == []


def test_bytes_of_rows(path: Path) -> None:
    with csv.open(path) as rows:
        bytes_of = [rows.raw(place) for place in range(len(rows))]
    assert bytes_of == [
        b"Bern,134591",
        b'"Ch""ur",38765',
        '"Ż\nuk",7'.encode(),
        b"Lyon,many",
        b"Biel",
        b'"Ba"sel,1',
        b'end,"3"',
    ]
    path.write_bytes(b"a;1,\xff;" + b"x" * 50 + b";2\n;")
    dialect = Dialect(terminator=";")
    with csv.open(path, dialect=dialect, limits=Limits(row=20)) as rows:
        assert rows.raw(2) == b"2\n"
        with pytest.raises(penstock.MalformedInput, match="invalid UTF-8: byte 0xff"):
            rows.raw(0)
        # Its first line is at hand, so its bytes are known.
        assert rows.raw(1) == b"x" * 50
        with pytest.raises(LimitExceeded, match=r"a row is longer than 20 bytes \(limits.row\)"):
            rows[1]


def test_slices(path: Path) -> None:
    everything = outcomes(path, object)[:4]
    with csv.open(path) as opened:
        rows = opened[:4]
        for cut in (slice(1, 3), slice(None, 3), slice(2, None, -1), slice(3, 0, -2), slice(9, 99)):
            part = rows[cut]
            assert type(part) is Rows
            assert len(part) == len(everything[cut])
            assert list(part) == everything[cut]
            assert [part[at] for at in range(len(part))] == everything[cut]
        assert rows.index(everything[2]) == 2
        assert rows.index(everything[2], 1, 3) == 2
        with pytest.raises(ValueError, match=r"^$"):
            rows.index(everything[2], 0, 2)
        with pytest.raises(IndexError, match=r"^record 4 of 4$"):
            rows[4]
        with pytest.raises(TypeError, match="is an int or a slice, not str"):
            rows["name"]  # type: ignore[call-overload]


def files_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_closed_file(path: Path) -> None:
    rows = csv.open(path)
    part, iterator = rows[:2], iter(rows)
    assert next(iterator)["name"] == "Bern"
    assert repr(rows) == f"<Rows of {str(path)!r}: 7 records>"
    lookup = rows.index(by="name")
    with rows:
        assert not part.closed
    for ask in (
        lambda: rows[0],
        lambda: part.raw(0),
        lambda: next(iterator),
        lambda: rows.index(by="name"),
        lambda: lookup["Bern"],
        lambda: "Bern" in lookup,
    ):
        with pytest.raises(ValueError, match=r"^these Rows are closed$"):
            ask()
    gc.collect()
    before = files_open()
    opened = [csv.open(path) for _ in range(5)]
    assert files_open() == before + 5
    del opened
    assert files_open() == before


@pytest.mark.thread_unsafe(reason="all threads have one file")
def test_a_file_that_changes(path: Path) -> None:
    rows = csv.open(path)
    iterator, lookup = iter(rows), rows.index(by="name")
    assert next(iterator) == rows[0]
    kept = pickle.dumps(rows)
    with path.open("a") as file:
        file.write("\nx,1\n")
    for ask in (
        lambda: rows[0],
        lambda: rows.raw(0),
        lambda: next(iter(rows)),
        lambda: rows.index(by="name"),
        lambda: lookup["Bern"],
        lambda: "Bern" in lookup,
    ):
        with pytest.raises(DecodeError, match="has changed since it was opened: open it again"):
            ask()
    with pytest.raises(DecodeError, match="has changed since these Rows were pickled"):
        pickle.loads(kept)
    assert len(csv.open(path)) == 8


@pytest.mark.thread_unsafe(reason="all threads have one file")
def test_a_file_that_changes_without_a_trace(path: Path) -> None:
    # The same size and date with other rows: the positions of the index are not behind rows.
    rows, about = csv.open(path), path.stat()
    path.write_bytes(TEXT.encode().replace(b"\n", b" ").replace(b"\r", b" "))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    for ask in (lambda: rows[2], lambda: next(iter(rows[1:]))):
        with pytest.raises(DecodeError, match="has changed since it was opened: open it again"):
            ask()


def test_pickles(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    dialect = Dialect(comment="#")
    rows = csv.open("cities.csv", City, dialect=dialect, limits=Limits(row=100))[2::-2]
    found = csv.open("cities.csv").index(by="name")["Bern"]
    kept = pickle.dumps([rows, found])
    monkeypatch.chdir("/")
    again, also = pickle.loads(kept)
    assert list(again) == list(rows) == [City("Ż\nuk", 7), City("Bern", 134591)]
    assert list(also) == [{"name": "Bern", "population": "134591"}]


def test_an_index_is_kept(path: Path) -> None:
    beside = path.with_name("cities.csv.penstock-index")
    rows = csv.open(path, index=True)
    assert not rows._file.is_kept
    first = beside.read_bytes()
    again = csv.open(path, index=True)
    assert again._file.is_kept
    assert list(again[:3]) == list(rows[:3])
    assert set(path.parent.iterdir()) == {path, beside}
    # It is of another dialect, another limit, or another format: it is made again.
    for open_it in (
        lambda: csv.open(path, index=True, dialect=Dialect(header=None)),
        lambda: csv.open(path, index=True, dialect=Dialect(quote=None)),
        lambda: csv.open(path, index=True, limits=Limits(row=30)),
        lambda: ndjson.open(path, index=True),
    ):
        beside.write_bytes(first)
        other: Any = open_it()
        assert not other._file.is_kept
        assert beside.read_bytes() != first
        assert open_it()._file.is_kept
        assert not csv.open(path, index=True)._file.is_kept
        assert beside.read_bytes() == first
    for wrong in (b"PENSTIX", b"PENSTIX\1", first[:-1], first + b"\0" * 9):
        beside.write_bytes(wrong)
        assert not csv.open(path, index=True)._file.is_kept
        assert beside.read_bytes() == first
    for other_file in (b"", b"name,population\n"):
        beside.write_bytes(other_file)
        with pytest.raises(FileExistsError):
            csv.open(path, index=True)
        assert beside.read_bytes() == other_file


def forged(index: bytes, records: int, step: int, marks: bytes) -> bytes:
    """Return an index with a right sum and wrong contents."""
    wrong = index[:33] + struct.pack("<QB", records, step) + marks
    return wrong + struct.pack("<I", zlib.crc32(wrong))


def test_an_index_that_lies(path: Path) -> None:
    beside = path.with_name("cities.csv.penstock-index")
    csv.open(path, index=True).close()
    true = beside.read_bytes()
    # More records than the file has bytes: a new index is made.
    for records, step, marks in ((1 << 62, 62, b"\x10\x02\0"), (200, 8, b"\x10\x02\0")):
        beside.write_bytes(forged(true, records, step, marks))
        assert len(csv.open(path, index=True)) == 7
        assert beside.read_bytes() == true
    # More than there are, and positions within rows. What is there is bounded by the file.
    beside.write_bytes(forged(true, 50, 8, b"\x10\x02\0"))
    rows = csv.open(path, index=True)
    assert (len(rows), rows[0]["name"], rows[6]["name"]) == (50, "Bern", "end")
    for place in (7, 49, -1):
        with pytest.raises(DecodeError, match="has changed since it was opened"):
            rows[place]
        with pytest.raises(DecodeError, match="has changed since it was opened"):
            rows.raw(place)
    with pytest.raises(DecodeError, match="has changed since it was opened"):
        next(iter(rows[7:]))
    assert list(rows.index(by="name")["end"]) == [rows[6]]
    beside.write_bytes(forged(true, 1, 0, b"\x12\x02\0"))
    rows = csv.open(path, index=True)
    with pytest.raises(DecodeError, match="has changed since it was opened"):
        rows[0]


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(b"a\n"))
    with pytest.raises(ValueError, match=r"x.csv.gz is gzip data, so .* decompress it first"):
        csv.open(packed)
    wide = tmp_path / "x.csv"
    wide.write_bytes("a\n1\n".encode("utf-16"))
    with pytest.raises(penstock.MalformedInput, match="UTF-16"):
        csv.open(wide)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keeper = os.open(pipe, os.O_RDWR)
    with pytest.raises(ValueError, match=r"pipe is no regular file.* go through it with read\(\)"):
        csv.open(pipe)
    os.close(keeper)
    with pytest.raises(FileNotFoundError):
        csv.open(tmp_path / "none")
    with pytest.raises(TypeError, match=r"takes the path of a file of records, not bytes"):
        csv.open(b"a\n")  # type: ignore[arg-type]
    for text, records in ((b"", 0), (b"a,b\n", 0), (b"\n\n", 0), (b"a\n\n", 1)):
        wide.write_bytes(text)
        rows = csv.open(wide, index=True)
        assert (len(rows), list(rows)) == (records, [{"a": ""}] * records)
    wide.write_bytes(b'a,"b\n1,2\n')
    with pytest.raises(penstock.TruncatedInput) as raised:
        csv.open(wide)
    assert str(raised.value) == f"{wide}:1:3: a quote that is never closed"


def test_the_suffix_says_the_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("a\tb,c\n1\t2,3\n")
    assert csv.open(path)[0] == {"a": "1", "b,c": "2,3"}
    assert csv.open(path, dialect=Dialect())[0] == {"a\tb": "1\t2", "c": "3"}


def test_the_dialect_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("made by hand\n\ntown;size\nBern;1,5\nChur;0,4\n")
    rows = csv.open(path, dialect="infer")
    assert list(rows) == [{"town": "Bern", "size": "1,5"}, {"town": "Chur", "size": "0,4"}]
    assert pickle.loads(pickle.dumps(rows))[1]["town"] == "Chur"
    assert list(rows.index(by="size")["0,4"]) == [rows[1]]
    path.unlink()
    os.mkfifo(path)
    keeper = os.open(path, os.O_RDWR)
    with pytest.raises(ValueError, match=r"is no regular file"):
        csv.open(path, dialect="infer")
    os.close(keeper)


@pytest.mark.thread_unsafe(reason="a process forks where it has one thread")
def test_threads_and_forks(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    text = "".join(f'{at},"{"x" * (at % 97)}\n{at % 7}"\n' for at in range(5_000))
    path.write_text("at,pad\n" + text)
    rows = csv.open(path)
    lookup = rows.index(by="at")
    wrong: list[int] = []

    def ask(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(300):
            at = chance.randrange(5_000)
            if rows[at]["at"] != str(at) or lookup[str(at)][0]["at"] != str(at):
                wrong.append(at)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    child = os.fork()
    if child == 0:
        ask(9)
        os._exit(1 if wrong or rows[4_999]["at"] != "4999" else 0)
    assert os.waitpid(child, 0)[1] == 0
    assert [row["at"] for row in rows] == [str(at) for at in range(5_000)]


class Shy(str):
    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if text == 'Ch"ur':
            raise RuntimeError(text)
        return super().__new__(cls, text)


@dataclass
class Place:
    name: Shy


def test_an_exception_of_the_program_concerns_one_row(path: Path) -> None:
    iterator = iter(csv.open(path, Place))
    assert next(iterator) == Place(Shy("Bern"))
    with pytest.raises(RuntimeError, match=r'^Ch"ur'):
        next(iterator)
    assert next(iterator) == Place(Shy("Ż\nuk"))


def test_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    count = 100_000
    names = ",".join(f"c{column}" for column in range(count))
    row = ",".join(map(str, range(count)))
    path.write_text(f"{names}\n{row}\n1,2\n{row}\n")
    rows = csv.open(path)
    assert len(rows) == 3
    assert rows[2] == {f"c{column}": str(column) for column in range(count)}
    assert list(rows.index(by="c99999")["99999"][1:]) == [rows[2]]
    with pytest.raises(DecodeError, match="the row has 2 cells, and there are 100000 columns"):
        rows[1]


def test_repaired_rows(path: Path) -> None:
    """They are those of `read`; an index that was made without the repairs is not used for them."""
    kept = path.with_name("kept.penstock-index")
    read = list(csv.read(path, repair="all"))
    assert {"name": '"Ba"sel', "population": "1"} in read
    for _ in range(2):
        with pytest.raises(DecodeError), csv.open(path, index=kept) as rows:
            rows[5]
        with csv.open(path, repair="all", index=kept) as rows:
            assert list(rows) == read
            assert [rows[place] for place in reversed(range(len(rows)))] == read[::-1]
            assert rows.raw(5) == b'"Ba"sel,1'
            assert rows.index(by="name")['"Ba"sel'][0] == read[5]
            assert pickle.loads(pickle.dumps(rows))[5] == read[5]
    with pytest.raises(ValueError, match="repair must be 'all' or some of 'short_rows'"):
        csv.open(path, repair="row")  # type: ignore[arg-type]


def test_a_dialect_is_found_with_the_repairs(path: Path) -> None:
    path.write_text("a;b\n" + "1;2\n" * 20 + "3\n")
    with csv.open(path, list[int], dialect="infer", repair="short_rows") as rows:
        assert rows[0] == [1, 2]
        assert rows.raw(20) == b"3"
    with pytest.raises(DecodeError, match="no dialect reads this as a table"):
        csv.open(path, dialect="infer")


@dataclass
class Noted:
    n: int
    t: str


def test_the_rows_of_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("n,t\n" + "".join(f'{n},"a\n{n % 7}"\n' for n in range(1_000)))
    with penstock.csv.open(path, Noted) as rows:
        some = rows.where((penstock.field("n") >= 500) & penstock.field("t").endswith("3"))
        expected = [n for n in range(500, 1_000) if n % 7 == 3]
        assert [row.n for row in some] == expected
        assert (len(some), some[2].n, some[-1].t) == (len(expected), expected[2], "a\n3")
        assert [row.n for row in some[1:3]] == expected[1:3]
        assert [row.n for row in pickle.loads(pickle.dumps(some))] == expected
        # Of a slice, and of the rows of another condition, in their order.
        assert [row.n for row in rows[600:700].where("n < 602")] == [600, 601]
        assert [row.n for row in rows[::-1].where("n < 3")] == [2, 1, 0]
        assert [row.n for row in some.where("n > 990")] == [n for n in expected if n > 990]
        assert len(rows.where("n < 0")) == 0
        with pytest.raises(penstock.PlanError, match="is of the type int"):
            rows.where("n == 'a'")
    with pytest.raises(ValueError, match="closed"):
        rows.where("n < 3")
    lines = tmp_path / "rows.ndjson"
    lines.write_text('{"n":1}\n\n{"n":2}\n{"n":3}\n')
    with penstock.ndjson.open(lines) as records:
        assert [record["n"] for record in records.where("n >= 2")] == [2, 3]
        lines.write_text('{"n":1}\n{"n":2}\n')
        with pytest.raises(penstock.DecodeError, match="changed"):
            records.where("n >= 2")
