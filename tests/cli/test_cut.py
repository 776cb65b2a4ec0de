"""`penstock cut`: columns of CSV, paths of other formats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

TABLE = 'id,name,"a,b",note\n1,Vila,x,"q ""1"""\n2,Müller,,\n'


@pytest.fixture
def table(folder: Path) -> str:
    (folder / "a.csv").write_text(TABLE)
    return "a.csv"


def test_columns(penstock: Command, shell: Command, table: str, folder: Path) -> None:
    assert penstock("cut", table, "name,id").out == "name,id\nVila,1\nMüller,2\n"
    assert penstock("cut", table, '"a,b",0').out == '"a,b",id\nx,1\n,2\n'
    assert penstock("cut", table, "-v", "note,2").out == "id,name\n1,Vila\n2,Müller\n"
    piped = shell("cat a.csv | penstock cut - note:id | penstock cut - :0 --to-delimiter '|'")
    assert (piped.out, piped.err) == ('note\n"q ""1"""\n\n', "")
    assert penstock("cut", table, "1", "--no-header").out == "name\nVila\nMüller\n"
    assert penstock("cut", table, "3,1", "b.tsv").out == ""
    assert (folder / "b.tsv").read_text() == 'note\tname\n"q ""1"""\tVila\n\tMüller\n'
    assert penstock("cut", "b.tsv", "name", "b.tsv").code == 0
    assert (folder / "b.tsv").read_text() == "name\nVila\nMüller\n"
    lines = penstock("cut", table, "name:note", "--to", "ndjson").out
    assert lines == (
        '{"name":"Vila","a,b":"x","note":"q \\"1\\""}\n{"name":"Müller","a,b":"","note":""}\n'
    )
    (folder / "c").write_text("a;b\n1;=2\n")
    done = shell("cat c | penstock cut -d ';' - b --formulas escape")
    assert done.out == "b\n'=2\n"


def test_paths(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text('[{"a": {"b": 1.50}, "c": [1]}, {"c": "x"}]')
    assert penstock("cut", "a.json", "a/b,c").out == '[{"a/b":1.50,"c":[1]},{"c":"x"}]'
    assert penstock("cut", "a.json", "a/b", "--to", "csv").out == "a/b\n1.50\n\n"
    (folder / "a.xml").write_text('<r><i id="1"><n>x</n></i><i id="2"/></r>')
    assert penstock("cut", "a.xml", "@id, n", "--to", "csv").out == "@id,n\n1,x\n2,\n"
    assert penstock("cut", "a.xml", "n").out == '{"n":"x"}\n{}\n'
    assert penstock("cut", "a.xml", "n", "b.csv.gz").code == 0
    assert penstock("cut", "b.csv.gz", "n").out == "n\nx\n\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["a.csv", "nme"],
            (
                'a.csv:1:1: there is no column "nme": did you mean "name"?\n'
                '  |\n1 | id,name,"a,b",note\n  | ^\n'
            ),
        ),
        (["a.csv", "a,,b"], "penstock cut: the name of a column is empty\n"),
        (
            ["a.csv", "name", "--at", "x"],
            "penstock cut: --at is for other formats: each row of CSV is a record\n",
        ),
        (
            ["a.json", "a", "-v"],
            "penstock cut: --invert is for a source of CSV: a.json is another format\n",
        ),
        (
            ["a.json", "a", "--to", "csv"],
            (
                'penstock cut: a.json: a: the column "a" has a list, which a cell cannot hold '
                "(record 1)\n"
            ),
        ),
        (
            ["a.json", "a", "-d", ";"],
            "penstock cut: a.json: --delimiter is for CSV, and this is read as JSON; if it is CSV, say --format csv\n",
        ),
        (
            ["a.csv", "name", "-d", '"'],
            (
                "penstock cut: delimiter, quote, escape and terminator must begin with different "
                "characters\n"
            ),
        ),
    ],
)
@pytest.mark.usefixtures("table")
def test_what_is_wrong(penstock: Command, folder: Path, words: list[str], message: str) -> None:
    (folder / "a.json").write_text('[{"a": [1]}]')
    done = penstock("cut", *words)
    assert (done.out, done.err) == ("", message)
    assert done.code in {1, 2}


def test_convert(penstock: Command, table: str, folder: Path) -> None:
    done = penstock("convert", table, "-", "--to", "csv", "--to-delimiter", "tab")
    assert done.out.splitlines()[0] == "id\tname\ta,b\tnote"
    done = penstock("convert", table, "b.json", "--to-delimiter", ";")
    assert done.err == "penstock convert: --to-delimiter is for a target of CSV\n"
    (folder / "c.csv").write_text("a;b\n1;2\n")
    done = penstock("convert", "c.csv", "-", "--to", "csv", "-d", ";", "--quoting", "all")
    assert done.out == '"a","b"\n"1","2"\n'
    done = penstock("format", table)
    assert done.err == "penstock format: a.csv: 'penstock cut' and 'penstock convert' write CSV\n"


def test_a_target_that_is_no_format(penstock: Callable[..., Any], folder: Path) -> None:
    done = penstock("cut", "cities.json", "name", "a.xlsx")
    known = "its formats are JSON, NDJSON, XML, CSV and plist"
    assert done.err == f"penstock cut: a.xlsx: Penstock has no Excel: {known}\n"
    assert (done.code, (folder / "a.xlsx").exists()) == (2, False)


def test_values_without_quotes(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.ndjson").write_text(
        '{"a": "x, \\"y\\"", "b": 1.50}\n{"b": null}\n{"a": "", "b": {"c": [true]}}\n'
    )
    done = penstock("cut", "-r", "a.ndjson", "b,a")
    assert done.out == '1.50\tx, "y"\n\t\n{"c": [true]}\t\n'
    assert (done.err, done.code) == ("", 0)
    assert penstock("cut", "--raw", "a.ndjson", "a").out == 'x, "y"\n\n\n'
    (folder / "s.csv").write_text('n;s;t\n1;"a ""b""";\n2;c;d\n')
    assert penstock("cut", "-r", "-d", ";", "s.csv", "s,n").out == 'a "b"\t1\nc\t2\n'
    assert penstock("cut", "-r", "-d", ";", "-v", "s.csv", "n").out == 'a "b"\t\nc\td\n'


def test_values_that_would_be_two(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.ndjson").write_text('{"a": "x\\ty", "b": 1}\n{"a": "l\\nm"}\n')
    assert penstock("cut", "-r", "a.ndjson", "a").out == "x\ty\nl\nm\n"
    done = penstock("cut", "-r", "a.ndjson", "a,b")
    assert done.err == (
        "penstock cut: a.ndjson: 'x\\ty' holds a tab or a line end, and --raw separates values by "
        "them: leave out --raw, or cut one column\n"
    )
    assert (done.out, done.code) == ("", 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["out.csv"], "--raw prints values: leave out the target, and redirect the output"),
        (["--to", "csv"], "--raw prints values as text: leave out --to"),
        (["--to-delimiter", ";"], "--raw prints values as text: leave out --to-delimiter"),
    ],
)
def test_raw_writes_no_format(penstock: Callable[..., Any], words: list[str], message: str) -> None:
    done = penstock("cut", "-r", "cities.json", "name", *words)
    assert (done.out, done.err, done.code) == ("", f"penstock cut: {message}\n", 2)
