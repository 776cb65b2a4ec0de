"""What a data engineer tries first: logs, exports, folders of files."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import duckdb
import polars as pl
import pytest

import penstock
from penstock import at, cells, csv
from penstock.csv import Dialect

if TYPE_CHECKING:
    from pathlib import Path

HITS = "".join(f'{{"user": "u{n}", "ms": {n}}}\n' for n in range(1000)).encode()


@dataclass
class Hit:
    user: str
    ms: int


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder of folders, with a file that is cut off."""
    folder = tmp_path / "logs" / "2026"
    folder.mkdir(parents=True)
    (folder / "a.ndjson.gz").write_bytes(gzip.compress(HITS))
    (folder / "b.ndjson.gz").write_bytes(gzip.compress(HITS)[:-8])
    (folder / "c.ndjson.gz").write_bytes(gzip.compress(HITS))
    return tmp_path / "logs"


def test_dead_letters_have_the_line_and_the_others_become_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_bytes(HITS + b'{"user": "x", "ms": "slow"}\n{"user": \xff}\nhalf a li')
    dead: list[bytes | None] = []
    hits = penstock.columns(path, Hit, errors=lambda error: dead.append(error.raw), threads=2)
    assert hits.to_polars()["ms"].sum() == 499_500
    assert dead == [b'{"user": "x", "ms": "slow"}', b'{"user": \xff}', b"half a li"]


def test_a_folder_of_folders_leads_to_a_pattern(logs: Path) -> None:
    with pytest.raises(FileNotFoundError, match="a pattern means files in its folders, such as"):
        penstock.read(logs)
    with penstock.read(f"{logs}/**/a*.gz", Hit) as hits:
        assert sum(hit.ms for hit in hits) == 499_500


def test_a_reader_goes_on_behind_a_file_that_is_cut_off(logs: Path) -> None:
    hits = penstock.read(f"{logs}/**/*.gz", Hit, errors="skip")
    seen: list[Hit] = []
    with pytest.raises(penstock.TruncatedInput, match=r"b\.ndjson\.gz.*the gzip data ends early"):
        seen.extend(hits)
    assert 1000 <= len(seen) <= 2000
    assert len(list(hits)) == 1000


def test_a_column_of_paths_is_found_by_the_name_of_other_libraries(logs: Path) -> None:
    for option in ("include_file_paths", "filename"):
        with pytest.raises(TypeError, match=rf"no option {option}=: file_column= of penstock\.col"):
            penstock.columns(f"{logs}/**/*.gz", Hit, **{option: "file"})  # type: ignore[call-overload]


@pytest.mark.thread_unsafe(reason="warnings are the process's")
def test_columns_go_on_behind_a_file_that_is_cut_off(logs: Path) -> None:
    hits = penstock.columns(f"{logs}/**/*.gz", Hit, errors="skip", file_column="file")
    with pytest.warns(penstock.BrokenFileWarning, match=r"b\.ndjson\.gz.*is left out"):
        found = duckdb.sql("select distinct file[-11:] from hits order by file").fetchall()
    assert found == [("a.ndjson.gz",), ("b.ndjson.gz",), ("c.ndjson.gz",)]
    del hits


def test_columns_are_read_once_and_say_so(logs: Path) -> None:
    hits = penstock.columns(logs / "2026" / "a.ndjson.gz", Hit)  # noqa: F841 - DuckDB finds it
    connection = duckdb.connect()
    assert connection.sql("select count(*) from hits").fetchall() == [(1000,)]
    with pytest.raises(duckdb.Error, match="these Columns are read once: read the source again"):
        connection.sql("select count(*) from hits").fetchall()


def test_a_few_columns_of_a_wide_file(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column{n}" for n in range(200)]
    path.write_text(",".join(names) + "\n" + ",".join(map(str, range(200))) + "\n")
    frame = penstock.columns(path, columns=["column3", "column150"]).to_polars()
    assert frame.rows() == [(3, 150)]
    with pytest.raises(ValueError, match=r'no field "colunm3"; did you mean "column3"\?'):
        penstock.columns(path, columns=["colunm3"])


@dataclass
class Sale:
    amount: Annotated[
        Decimal, at("Betrag"), cells(decimal=",", thousands="."), penstock.decimal(10, 2)
    ]


def test_money_of_a_german_spreadsheet_keeps_its_digits(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_bytes("Umsätze\n\nKunde;Betrag\nMüller;1.290,50\n".encode("cp1252"))
    sales = csv.read(path, Sale, dialect="infer", encoding="cp1252").columns().to_polars()
    assert sales.schema == {"amount": pl.Decimal(10, 2)}
    assert sales["amount"].to_list() == [Decimal("1290.50")]
    with pytest.raises(TypeError, match="no option dialect=: it is one of the functions of pens"):
        penstock.load(path, dialect=Dialect(";"))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"no option sep=: it is delimiter= of penstock\.csv\.Di"):
        csv.read(path, sep=";")  # type: ignore[call-arg]


def test_feeds_of_timetables_are_joined_by_a_query(tmp_path: Path) -> None:
    (tmp_path / "stops.txt").write_text("stop_id,stop_name\nA,Bern\nB,Thun\n")
    (tmp_path / "stop_times.txt").write_text("trip_id,stop_id,departure_time\n7,A,25:10:00\n")
    with pytest.raises(ValueError, match=r"cannot tell the format of .*stops\.txt': pass format="):
        penstock.columns(tmp_path / "stops.txt")
    stops = penstock.columns(tmp_path / "stops.txt", format="csv")  # noqa: F841 - DuckDB finds it
    times = penstock.columns(tmp_path / "stop_times.txt", format="csv")  # noqa: F841 - as above
    query = "select stop_name, departure_time from times join stops using (stop_id)"
    assert duckdb.connect().sql(query).fetchall() == [("Bern", "25:10:00")]


def test_late_keys_and_late_fractions_are_found(tmp_path: Path) -> None:
    path = tmp_path / "late.ndjson"
    path.write_text('{"a": 1}\n' * 5000 + '{"a": 1.5, "late": "x"}\n')
    frame = penstock.columns(path).to_polars()
    assert frame.schema == {"a": pl.Float64, "late": pl.String}
    assert frame.row(-1) == (1.5, "x")


@dataclass
class Mixed:
    value: int | str


def test_a_place_of_several_types_needs_a_class_that_says_them(tmp_path: Path) -> None:
    path = tmp_path / "mixed.ndjson"
    path.write_text('{"value": 1}\n{"value": "B"}\n')
    with pytest.raises(penstock.ValidationError, match="expected a number as in record 1, got a"):
        penstock.columns(path)
    assert penstock.columns(path, unions="text").to_polars()["value"].to_list() == ["1", "B"]
    assert penstock.columns(path, errors="skip").to_polars()["value"].to_list() == [1]
    frame = penstock.columns(path, Mixed, unions="text").to_polars()
    assert frame["value"].to_list() == ["1", "B"]


@dataclass
class Author:
    last: Annotated[str, at("LastName")]


@dataclass
class Article:
    id: Annotated[int, at("MedlineCitation/PMID")]
    authors: Annotated[list[Author], at("MedlineCitation/Article/AuthorList/Author")]


def test_xml_with_lists_of_objects_becomes_parquet(tmp_path: Path) -> None:
    source, target = tmp_path / "pubmed.xml", tmp_path / "pubmed.parquet"
    source.write_text(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><AuthorList>"
        "<Author><LastName>Wu</LastName></Author><Author><LastName>Ito</LastName></Author>"
        "</AuthorList></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    done = penstock.convert(source, target, into=Article, at="PubmedArticleSet/PubmedArticle")
    assert (done.records, done.bytes_read) == (1, source.stat().st_size)
    assert pl.read_parquet(target).to_dicts() == [
        {"id": 7, "authors": [{"last": "Wu"}, {"last": "Ito"}]}
    ]


def test_a_csv_with_carriage_returns_becomes_typed_lines(tmp_path: Path) -> None:
    source, target = tmp_path / "sizes.csv", tmp_path / "sizes.ndjson"
    source.write_bytes(b"name,size\rBern,1.5\rChur,\r")
    done = penstock.convert(penstock.columns(source), target)
    assert target.read_text() == '{"name":"Bern","size":1.5}\n{"name":"Chur","size":null}\n'
    assert (done.records, done.bytes_read) == (2, 25)


def test_a_decimal_comma_is_said_by_the_type() -> None:
    comma = penstock.Plan(dict[str, float], cells=cells(decimal=","))
    assert csv.encode([{"a": 1.5}], comma, dialect=Dialect(";")) == b"a\n1,5\n"
    with pytest.raises(TypeError, match=r"no option cells=: it is one of penstock\.Plan, and"):
        csv.encode([{"a": 1.5}], cells=cells(decimal=","))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="encoding must be 'utf-8' or 'utf-8-sig', not 'cp1252'"):
        csv.encode([{"a": "€"}], encoding="cp1252")  # type: ignore[arg-type]
