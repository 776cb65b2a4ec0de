"""`penstock outline`."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_json(penstock: Callable[..., Any]):
    done = penstock("outline", "cities.json")
    assert (done.err, done.code) == ("", 0)
    assert (
        done.out
        == """\
(document)      1  array
*               3  object
*/name          3  string               "Bern"
*/population    3  integer 2, string 1  134591
*/position      3  object
*/position/lat  3  number 2, null 1     46.950
"""
    )


def test_paths_are_those_that_at_takes(penstock: Callable[..., Any], folder: Path):
    document = {"a/b": [1, [True, None]], "@*~": {"": [], "x\u202e\n": {}}}
    (folder / "a.json").write_text(json.dumps(document))
    done = penstock("outline", "a.json")
    assert (
        done.out
        == """\
(document)        1  object
a~1b              1  array
a~1b/*            2  array 1, integer 1  1
a~1b/*/*          2  boolean 1, null 1   true
~3~2~0            1  object
~3~2~0/~4         1  array
~3~2~0/x\\u202e\\n  1  object
"""
    )
    for path, count in (("a~1b/*", 2), ("a~1b/*/*", 2), ("~3~2~0", 1)):
        assert penstock("count", "--at", path, "a.json").out == f"{count}\n"


def test_lines(penstock: Callable[..., Any], folder: Path):
    (folder / "a.ndjson.gz").write_bytes(gzip.compress(b'{"n": 1}\n{"n": "x\\u009b"}\n[2.50]\n7\n'))
    done = penstock("outline", "a.ndjson.gz")
    assert (
        done.out
        == """\
(line)  4  object 2, array 1, integer 1  7
n       2  string 1, integer 1           1
*       1  number                        2.50
"""
    )


def test_xml(penstock: Callable[..., Any], folder: Path):
    text = "<r a='1' m:b='2' xmlns:m='urn:m'><m:c>x</m:c>\n<d/><d> y <e/> z</d><d>7</d></r>"
    (folder / "a.xml").write_text(text)
    done = penstock("outline", "a.xml")
    assert (
        done.out
        == """\
r           1  element
r/@a        1  text                        "1"
r/@m:b      1  text                        "2"
r/m:c       1  text                        "x"
r/d         3  element 1, text 1, empty 1  "7"
r/d/e       1  empty
r/d/text()  1  text                        "y  z"
"""
    )


def test_many_keys_are_data(penstock: Callable[..., Any], folder: Path):
    cities = {f"id{n}": {"name": f"c{n}", f"k{n % 3}": n} for n in range(1_000)}
    (folder / "a.json").write_text(json.dumps({"cities": cities, "few": {"a": 1}}))
    done = penstock("outline", "a.json")
    assert (
        done.out
        == """\
(document)         1  object
cities             1  object
cities/*       1,000  object
cities/*/name  1,000  string   "c0"
cities/*/k0      334  integer  0
cities/*/k1      333  integer  1
cities/*/k2      333  integer  2
few                1  object
few/a              1  integer  1
"""
    )
    # The same, if each element has keys of its own.
    (folder / "a.json").write_text(json.dumps([{f"k{n}": n} for n in range(1_000)]))
    assert (
        penstock("outline", "a.json").out
        == """\
(document)      1  array
*           1,000  object
*/*         1,000  integer  0
"""
    )


def test_there_is_a_limit_on_paths(penstock: Callable[..., Any], folder: Path):
    # Three levels of ninety keys each.
    low = {f"c{n}": 1 for n in range(90)}
    middle = {f"b{n}": low for n in range(90)}
    (folder / "a.json").write_text(json.dumps({f"a{n}": middle for n in range(2)}))
    done = penstock("outline", "a.json")
    assert len(done.out.splitlines()) == 10_001
    left_out = 1 + 2 * (1 + 90 * 91) - 10_001
    assert done.err.startswith("a.json: there are too many paths; ")
    assert 0 < int(done.err.split("; ")[1].split(" ")[0].replace(",", "")) <= left_out
    assert penstock("outline", "-q", "a.json").err == ""


def test_long_texts_and_several_files(penstock: Callable[..., Any], folder: Path):
    (folder / "b.json").write_text(json.dumps({"k" * 100: "x" * 100}))
    done = penstock("outline", "b.json", "cities.ndjson")
    key, text = "k" * 60 + "\u2026", "x" * 60 + "\u2026"
    assert (
        done.out
        == f"""\
b.json:
{"(document)":48}  1  object
{key}  1  string  "{text}"

cities.ndjson:
(line)  2  object
name    2  string  "Bern"
"""
    )


def test_what_is_malformed_has_no_outline(penstock: Callable[..., Any], folder: Path):
    (folder / "a.json").write_text('[{"a": 1}, {"a": tru}]')
    done = penstock("outline", "a.json")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("a.json:1:18: expected a value, found 'tru'")
    assert penstock("outline", "nowhere.json").code == 2


@pytest.mark.parametrize(
    ("depth", "paths"),
    [
        ("0", [""]),
        ("1", ["", "*"]),
        ("2", ["", "*", "*/name", "*/population", "*/position"]),
        ("9", ["", "*", "*/name", "*/population", "*/position", "*/position/lat"]),
    ],
)
def test_paths_of_some_steps(penstock: Callable[..., Any], depth: str, paths: list[str]) -> None:
    done = penstock("outline", "--depth", depth, "cities.json")
    shown = [line.split()[0].replace("(document)", "") for line in done.out.splitlines()]
    assert (shown, done.err, done.code) == (paths, "", 0)
    done = penstock("outline", "--json", "--depth", depth, "cities.json")
    assert [row["path"] for row in json.loads(done.out)["paths"]] == paths


def test_a_depth_that_is_none(penstock: Callable[..., Any]) -> None:
    done = penstock("outline", "--depth", "all", "cities.json")
    assert done.err.startswith("penstock outline: argument --depth: 'all' is not a number of steps")
    assert (done.out, done.code) == ("", 2)


BAD = '{"a": 1}\n{"a": tru, "b": 1}\n{"a": 2, "c": [1]}\n[3\n'


@pytest.mark.parametrize("errors", ["skip", "collect"])
def test_records_in_error_are_left_out(
    penstock: Callable[..., Any], folder: Path, errors: str
) -> None:
    (folder / "bad.ndjson").write_text(BAD)
    done = penstock("outline", "--errors", errors, "bad.ndjson")
    assert (
        done.out
        == """\
(line)  2  object
a       2  integer  1
c       1  array
c/*     1  integer  1
"""
    )
    assert done.code == 1
    places = [line for line in done.err.splitlines() if line.startswith("bad.ndjson")]
    told = [
        "bad.ndjson:2:7: expected a value, found 'tru' (record 2)",
        "bad.ndjson:4:3: the line ends inside a value (record 4)",
    ]
    assert places == [*(told if errors == "collect" else ()), "bad.ndjson: 2 records left out"]
    assert penstock("outline", "-q", "--errors", "skip", "bad.ndjson").err == ""
    done = penstock("outline", "--json", "--errors", "skip", "bad.ndjson", "cities.json")
    assert [json.loads(line)["omitted"] for line in done.out.splitlines()] == [0, 0]


def test_by_default_an_error_ends_it(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.ndjson").write_text(BAD)
    done = penstock("outline", "bad.ndjson")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("bad.ndjson:2:7: expected a value, found 'tru' (record 2)")
    # Nothing after a fault of JSON can be read.
    (folder / "a.json").write_text('[{"a": 1}, {"a": tru}]')
    done = penstock("outline", "--errors", "skip", "a.json")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("a.json:1:18: expected a value, found 'tru'")


def test_records_of_a_condition(penstock: Callable[..., Any], folder: Path):
    rows = '{"n":1,"a":"x"}\n{"n":2,"b":{"c":1}}\n{"n":3,"b":{"c":null}}\n'
    (folder / "rows.ndjson").write_text(rows)
    assert penstock("outline", "rows.ndjson", "--where", "n > 1").out.splitlines() == [
        "(line)  2  object",
        "n       2  integer            2",
        "b       2  object",
        "b/c     2  integer 1, null 1  1",
    ]
    # The records of a document, each from its own root.
    (folder / "rows.json").write_text('[{"n":1,"a":"x"},{"n":2,"b":7}]')
    assert penstock("outline", "rows.json", "--where", "n > 1").out.splitlines() == [
        "(record)  1  object",
        "n         1  integer  2",
        "b         1  integer  7",
    ]


def test_lines_of_a_condition_are_written_again(penstock: Callable[..., Any], folder: Path):
    (folder / "rows.ndjson").write_text('{"n":1}\n{"n":  2}\n')
    assert penstock("format", "rows.ndjson", "--where", "n > 1").out == '{"n":2}\n'
    (folder / "rows.json").write_text("[1]")
    done = penstock("format", "rows.json", "--where", "n > 1")
    assert (done.code, done.out) == (2, "")
    assert "--where chooses among lines: 'penstock convert --at PATH --where ...'" in done.err
