"""CSV on either side of a conversion."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.csv import Dialect

SEMICOLONS = Dialect(";")


def converted(text: str, format: Any, to: Any, **options: Any) -> str:
    target = io.BytesIO()
    penstock.convert(io.BytesIO(text.encode()), target, format=format, to=to, **options)
    return target.getvalue().decode()


def refused(text: str, format: Any, to: Any, **options: Any) -> str:
    with pytest.raises(penstock.ValidationError) as caught:
        converted(text, format, to, **options)
    return str(caught.value)


def test_rows_are_objects_of_text() -> None:
    text = 'id,the name\n007,"Vila, La"\n1.50,\n'
    assert converted(text, "csv", "ndjson") == (
        '{"id":"007","the name":"Vila, La"}\n{"id":"1.50","the name":""}\n'
    )
    assert converted(text, "csv", "json") == (
        '[{"id":"007","the name":"Vila, La"},{"id":"1.50","the name":""}]'
    )
    assert converted("id,n\n1,<\n", "csv", "xml", record="row", declaration=False) == (
        "<root><row><id>1</id><n>&lt;</n></row></root>"
    )
    assert converted("1;2\n", "csv", "ndjson", dialect=Dialect(";", header=None)) == (
        '{"0":"1","1":"2"}\n'
    )


def test_objects_are_rows() -> None:
    lines = '{"a":1.50,"b":"x,y","c":null}\n{"c":true,"b":"","a":1e400}\n{"b":"z"}\n'
    text = 'a,b,c\n1.50,"x,y",\n1e400,"",true\n,z,\n'
    assert converted(lines, "ndjson", "csv") == text
    assert converted(f"[{','.join(lines.splitlines())}]", "json", "csv") == text
    assert converted('{"rows":[{"a":1}]}', "json", "csv", at="rows/*") == "a\n1\n"
    assert converted('{"a":1}', "json", "csv") == "a\n1\n"
    shops = '<s><shop id="1"><name>Vila</name></shop><shop id="2"><name/></shop></s>'
    assert converted(shops, "xml", "csv", at="s/shop") == "@id,name\n1,Vila\n2,\n"
    lists = '[[1,"a"],[2,"b"]]'
    headless = Dialect(header=None)
    assert converted(lists, "json", "csv", to_dialect=headless) == "1,a\n2,b\n"


def test_what_is_no_row() -> None:
    assert refused('{"a":1}\n{"a":{"b":1}}\n', "ndjson", "csv") == (
        'line 2, column 6: the column "a" has an object, which a cell cannot hold (record 2, at a)'
    )
    assert refused("<s><i><n>1</n><n>2</n></i></s>", "xml", "csv", at="s/i") == (
        'line 1, column 23: the column "n" has a list, which a cell cannot hold (record 1, at s/i)'
    )
    assert refused("[1]", "json", "csv") == (
        "line 1, column 2: a row is an object, a dict or a list, and not a single value "
        "(record 1, at 0)"
    )
    assert refused('{"a":1}\n{"b":1}\n', "ndjson", "csv") == (
        'line 2, column 2: there is no column "b" in the first row (record 2, at b)'
    )
    left_out = '{"a":1}\n{"b":1}\n{"a":[]}\n{"a":2}\n'
    assert converted(left_out, "ndjson", "csv", errors="skip") == "a\n1\n2\n"


def test_dialects(tmp_path: Path) -> None:
    text = "a;b\n1;x,y\n"
    assert converted(text, "csv", "csv", dialect=SEMICOLONS) == 'a,b\n1,"x,y"\n'
    tabs = Dialect("\t", terminator="\r\n")
    assert converted(text, "csv", "csv", dialect=SEMICOLONS, to_dialect=tabs, quoting="all") == (
        '"a"\t"b"\r\n"1"\t"x,y"\r\n'
    )
    assert converted("a\n=1\n", "csv", "csv", formulas="escape") == "a\n'=1\n"
    # A header without rows stays, also with a name that comes twice.
    assert converted("a,a\n", "csv", "csv") == "a,a\n"
    assert converted("a,a\n1,2\n", "csv", "csv") == "a,a\n1,2\n"
    assert converted("", "csv", "csv") == ""
    (tmp_path / "a.tsv").write_text("a\tb\n1\t2|3\n")
    penstock.convert(tmp_path / "a.tsv", tmp_path / "a.psv")
    assert (tmp_path / "a.psv").read_text() == 'a|b\n1|"2|3"\n'
    penstock.convert(tmp_path / "a.psv", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,b\n1,2|3\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"to": "csv", "to_dialect": ";"},
            "to_dialect must be a penstock.csv.Dialect or None, not str",
        ),
        (
            {"to": "csv", "dialect": SEMICOLONS},
            "dialect= is no option for a source of the format 'json'",
        ),
        (
            {"to": "json", "quoting": "all"},
            "quoting= is no option for a target of the format 'json'",
        ),
        ({"to": "csv", "indent": 2}, "indent= is no option for a target of the format 'csv'"),
    ],
)
def test_options_that_are_wrong(options: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        penstock.convert(io.BytesIO(b"{}"), print, format="json", **options)
    assert str(caught.value) == message


@dataclass
class Shop:
    """Says the types of cells."""

    id: int
    name: str | None = None


@pytest.mark.parametrize("objects", [False, True])
def test_by_a_class(objects: bool) -> None:
    text = "name,id,x\nVila,1,y\n,2,\n"
    assert converted(text, "csv", "ndjson", into=Shop, objects=objects) == (
        '{"id":1,"name":"Vila"}\n{"id":2,"name":null}\n'
    )
    assert converted(text, "csv", "csv", into=Shop, objects=objects) == "id,name\n1,Vila\n2,\n"
    lines = '{"name":"Vila","id":1}\n{"id":2,"x":[]}\n'
    assert converted(lines, "ndjson", "csv", into=Shop, objects=objects) == (
        "id,name\n1,Vila\n2,\n"
    )


def test_a_header_that_does_not_fit() -> None:
    """It is what `read` says of a header that no row of the class fits."""
    with pytest.raises(penstock.ValidationError) as caught:
        converted("name\nVila\n", "csv", "json", into=Shop)
    with pytest.raises(penstock.ValidationError) as read:
        list(penstock.csv.read(io.BytesIO(b"name\nVila\n"), Shop))
    assert str(caught.value) == str(read.value)


def test_repairs_by_a_class() -> None:
    target = io.BytesIO()
    source = io.BytesIO(b'id,name\n1\n2,x,y\n3,"a"b\n')
    repair = ["short_rows", "long_rows", "stray_quotes"]
    done = penstock.convert(source, target, format="csv", to="csv", repair=repair, into=Shop)
    rows = list(penstock.csv.read([source.getvalue()], Shop, repair=repair))
    assert rows == [Shop(1), Shop(2, "x"), Shop(3, '"a"b')]
    assert target.getvalue() == penstock.csv.encode(rows)
    assert done.repair_counts == {"short_rows": 1, "long_rows": 1, "stray_quotes": 1}


def test_repairs() -> None:
    target = io.BytesIO()
    source = io.BytesIO(b"id,name\n1\n2,x,y\n")
    done = penstock.convert(
        source, target, format="csv", to="ndjson", repair=["short_rows", "long_rows"]
    )
    assert target.getvalue() == b'{"id":"1","name":""}\n{"id":"2","name":"x"}\n'
    assert done.repair_counts == {"short_rows": 1, "long_rows": 1}
