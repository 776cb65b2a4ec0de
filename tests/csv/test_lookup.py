"""`Rows.index(by=)`: the rows of a file by the text of a column."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Rows, csv, ndjson
from penstock.csv import Dialect

TEXT = 'name,country\nBern,CH\nLyon,FR\n"Ch""ur",CH\nnowhere,\n"x\ny",""\nbad\n"Biel",CH\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cities.csv"
    path.write_text(TEXT)
    return path


@dataclass
class City:
    name: str
    country: str = "?"


def test_rows_of_a_text(path: Path) -> None:
    with csv.open(path, City) as rows:
        by_country = rows.index(by="country")
        assert type(by_country) is penstock.Lookup
        assert (len(by_country), repr(by_country)) == (6, "<Lookup by 'country': 6 rows>")
        swiss = by_country["CH"]
        assert type(swiss) is Rows
        assert list(swiss) == [City("Bern", "CH"), City('Ch"ur', "CH"), City("Biel", "CH")]
        assert (len(swiss), swiss[-1].name, swiss[1:].raw(0)) == (3, "Biel", b'"Ch""ur",CH')
        assert [row["name"] for row in (swiss.to(dict[str, str], at) for at in range(3))] == [
            "Bern",
            'Ch"ur',
            "Biel",
        ]
        # An empty cell has a text, whatever becomes of it.
        assert [by_country[""].raw(at) for at in range(2)] == [b"nowhere,", b'"x\ny",""']
        assert "CH" in by_country
        assert "DE" not in by_country
        assert 7 not in by_country
        assert len(by_country.get("DE")) == 0
        with pytest.raises(KeyError, match=r"^'DE'$"):
            by_country["DE"]
        with pytest.raises(TypeError):
            by_country[7]  # type: ignore[index]
        with pytest.raises(TypeError, match="not iterable"):
            iter(by_country)  # type: ignore[call-overload]
        by_name = rows.index(by="name")
        assert [row.country for text in ("x\ny", 'Ch"ur') for row in by_name[text]] == ["", "CH"]


def test_slices(path: Path) -> None:
    with csv.open(path) as rows:
        names = [row["name"] for row in rows[:5]]
        assert names == ["Bern", "Lyon", 'Ch"ur', "nowhere", "x\ny"]
        for cut in (slice(2, 5), slice(0, 5, 2), slice(4, None, -1), slice(3, 0, -2), slice(2, 2)):
            part = rows[:5][cut]
            by_country = part.index(by="country")
            assert len(by_country) == len(part)
            for country in ("CH", "FR", ""):
                expected = [row["name"] for row in part if row["country"] == country]
                assert [row["name"] for row in by_country.get(country)] == expected
        found = rows.index(by="country")["CH"]
        with pytest.raises(TypeError, match="a whole file or a slice of it, not the rows of a"):
            found.index(by="name")
        assert found.index(rows[6]) == 2


def test_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("name,2,size,size\na,b,c,d\n")
    with csv.open(path, list[str]) as rows:
        assert len(rows.index(by="name")["a"]) == 1
        # A name comes before a position.
        assert "b" in rows.index(by="2")
        assert "d" in rows.index(by="3")
        with pytest.raises(ValueError, match="two columns") as raised:
            rows.index(by="size")
        message = 'two columns are named "size": pass the position of one, by="2" or by="3"'
        assert str(raised.value) == message
        for by, hint in (("nam", ': did you mean "name"?'), ("4", ""), ("-1", ""), ("", "")):
            with pytest.raises(ValueError, match="no column") as raised:
                rows.index(by=by)
            assert str(raised.value) == f'no column is named "{by}"{hint}'
        with pytest.raises(TypeError, match=r"^by must be the name of a column, not int$"):
            rows.index(by=0)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match=r"^index\(by=\) takes no other argument$"):
            rows.index("a", by="name")  # type: ignore[call-overload]
    path.write_text("1,2\n3,2\n")
    with csv.open(path, dialect=Dialect(header=None)) as rows:
        assert [row["0"] for row in rows.index(by="1")["2"]] == ["1", "3"]
    path.write_text("")
    with csv.open(path) as rows, pytest.raises(ValueError, match=r'^no column is named "x"$'):
        rows.index(by="x")
    path.write_text("x\n")
    with csv.open(path) as rows:
        assert len(rows.index(by="x")) == 0
        assert "" not in rows.index(by="x")
    path.write_text('{"a": 1}\n')
    with ndjson.open(path) as lines, pytest.raises(ValueError, match="none") as raised:
        lines.index(by="a")
    assert str(raised.value) == "index(by=) looks up rows by a column, and ndjson has none"


CELLS = st.sampled_from(["", "a", "b", "é", '"a"', '"a\nb"', '"x""y"', "aa", "b b"])


@given(
    table=st.lists(st.tuples(CELLS, CELLS), max_size=40),
    bad=st.lists(st.integers(0, 40), max_size=3),
)
def test_as_by_going_through_all(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[str, str]], bad: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"lookup-{threading.get_ident()}.csv"
    lines = [",".join(cells) + "\n" for cells in table]
    for place in sorted(bad, reverse=True):
        lines.insert(place, "bad\n")
    path.write_text("".join(["x,y\n", *lines]))
    with csv.open(path) as rows, csv.read(path, errors="skip") as reader:
        good = list(reader)
        for column in ("x", "y"):
            lookup = rows.index(by=column)
            assert len(lookup) == len(good)
            for text in {row[column] for row in good} | {"none"}:
                expected = [row for row in good if row[column] == text]
                assert list(lookup.get(text)) == expected
                assert (text in lookup) == bool(expected)


def test_far_rows(tmp_path: Path) -> None:
    """The rows of one text are near each other, or far from each other, in a sparse index."""
    path = tmp_path / "many.csv"
    count = 600_000
    with path.open("w") as file:
        file.write("at,kind,seldom\n")
        file.writelines(f"{at},{at % 3},{at % 99_991 == 0}\n" for at in range(count))
    with csv.open(path) as rows:
        assert len(rows) == count
        assert [int(rows[at]["at"]) for at in (0, 1, 77_777, count - 1)] == [
            0,
            1,
            77_777,
            count - 1,
        ]
        seldom = rows.index(by="seldom")["True"]
        assert [int(row["at"]) for row in seldom] == list(range(0, count, 99_991))
        kinds = rows[: count // 4].index(by="kind")
        assert len(kinds) == count // 4
        assert len(kinds["1"]) == count // 12
        assert [int(row["at"]) for row in kinds["1"][-2:]] == [149_995, 149_998]
        assert "599999" in rows.index(by="at")


def test_memory(tmp_path: Path) -> None:
    """8 bytes for a row, whatever its text."""
    path = tmp_path / "long.csv"
    path.write_text("x\n" + "".join(f"{'y' * 500}{at}\n" for at in range(100_000)))
    with csv.open(path) as rows:
        before = peak()
        lookup = rows.index(by="x")
        assert peak() - before < 6 << 20
        assert len(lookup["y" * 500 + "77777"]) == 1


def peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


@pytest.mark.thread_unsafe(reason="all threads have one file")
def test_a_file_that_changes_without_a_trace(path: Path) -> None:
    rows, about = csv.open(path), path.stat()
    lookup = rows.index(by="country")
    path.write_text(TEXT.replace("CH", "AT"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    # The texts are compared with those of the file.
    assert "CH" not in lookup
    assert len(lookup.get("AT")) == 0
