"""`--json`: what commands find, for programs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as library

Command = Callable[..., Any]


def read(text: str) -> list[Any]:
    """Each line is an object."""
    return [json.loads(line) for line in text.splitlines()]


def test_check(penstock: Command, folder: Path) -> None:
    (folder / "bad.ndjson").write_text('{"a": 1}\n{"a": tru}\n')
    done = penstock("check", "--json", "--into", "models:City", "cities.json", "bad.ndjson")
    first, second, *missing, malformed = read(done.out)
    assert first == {
        "kind": "ValidationError",
        "code": "type",
        "message": "cities.json:3:34: expected int, got a string (record 2, at 1/population)",
        "reason": "expected int, got a string",
        "format": "json",
        "source": "cities.json",
        "offset": 106,
        "line": 3,
        "column": 34,
        "record": 2,
        "path": "1/population",
        "steps": [1, "population"],
        "expected": "int",
        "got": "a string",
    }
    assert (second["path"], second["code"]) == ("1/position/lat", "type")
    assert [problem["code"] for problem in missing] == ["missing"] * 3
    assert (malformed["kind"], malformed["line"], malformed["column"]) == ("MalformedInput", 2, 7)
    assert done.err == "cities.json: 2 problems in 3 records\nbad.ndjson: 4 problems in 2 records\n"
    assert done.code == 1
    # Each problem is what the library says of it.
    with pytest.raises(library.DecodeError) as caught:
        library.load("bad.ndjson")
    assert malformed == caught.value.to_dict()


def test_check_counts_what_it_leaves_out(penstock: Command, folder: Path) -> None:
    (folder / "many.py").write_text("Numbers = list[int]\n")
    (folder / "a.ndjson").write_text(f"[{','.join(['null'] * 150)}]\n")
    problems = read(penstock("check", "--json", "--into", "many:Numbers", "a.ndjson").out)
    assert len(problems) == 100
    assert problems[-1]["omitted"] == 50
    assert not any("omitted" in problem for problem in problems[:-1])


def test_nothing_is_wrong(penstock: Command) -> None:
    done = penstock("check", "--json", "cities.json")
    assert (done.out, done.code) == ("", 0)


def test_outline(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text('{"n": 1.50, "s": "x\u00e9", "e": [], "z": null, "t": true}')
    done = penstock("outline", "--json", "a.json", "cities.ndjson")
    assert '"example": 1.50}' in done.out
    first, second = read(done.out)
    assert first == {
        "source": "a.json",
        "paths": [
            {"path": "", "values": 1, "kinds": {"object": 1}},
            {"path": "n", "values": 1, "kinds": {"number": 1}, "example": 1.5},
            {"path": "s", "values": 1, "kinds": {"string": 1}, "example": "x\u00e9"},
            {"path": "e", "values": 1, "kinds": {"array": 1}},
            {"path": "z", "values": 1, "kinds": {"null": 1}},
            {"path": "t", "values": 1, "kinds": {"boolean": 1}, "example": True},
        ],
        "omitted": 0,
    }
    assert (second["source"], second["paths"][1]["path"]) == ("cities.ndjson", "name")
    assert (done.err, done.code) == ("", 0)


def test_schema(penstock: Command) -> None:
    done = penstock("schema", "--json", "--at", "*/position", "cities.json")
    lat = {"name": "lat", "type": "Float64", "nullable": True, "columns": []}
    assert read(done.out) == [{"source": "cities.json", "columns": [lat]}]
    lines = b'{"a": {"b": [{"c": 1}], "d": "x"}, "e": null}\n'
    done = penstock("schema", "--json", stdin=lines)
    whole = {"name": "c", "type": "Int64", "nullable": False, "columns": []}
    inner = [
        {"name": "b", "type": "List(Struct)", "nullable": False, "columns": [whole]},
        {"name": "d", "type": "Utf8", "nullable": False, "columns": []},
    ]
    (found,) = read(done.out)
    assert found["source"] == "<stdin>"
    assert found["columns"] == [
        {"name": "a", "type": "Struct", "nullable": False, "columns": inner},
        {"name": "e", "type": "Null", "nullable": True, "columns": []},
    ]


def test_sniff(penstock: Command, folder: Path) -> None:
    (folder / "a.txt").write_text("name;size\nBern;1,5\nChur;0,4\n")
    done = penstock("sniff", "--json", "a.txt")
    (found,) = read(done.out)
    tried = found.pop("tried")
    assert found == {
        "source": "a.txt",
        "dialect": {
            "delimiter": ";",
            "quote": '"',
            "escape": None,
            "comment": None,
            "terminator": None,
            "trim": False,
            "skip_rows": 0,
            "header": "first",
        },
        "columns": [{"name": "name", "kind": "text"}, {"name": "size", "kind": "number"}],
        "rows": 2,
        "header": "the first row differs from the others, as names do from values",
    }
    reason = "the row has 2 cells, and the rows before it have 1"
    assert tried[0] == {"dialect": "Dialect()", "offset": 10, "reason": reason}
    assert tried[1] == {"dialect": "Dialect(';')", "columns": 2, "bytes": 14}
    assert (done.err, done.code) == ("", 0)
    # The dialect has the arguments of the class.
    dialect = library.csv.Dialect(**found["dialect"])
    assert library.csv.load("a.txt", dialect=dialect)[0] == {"name": "Bern", "size": "1,5"}
