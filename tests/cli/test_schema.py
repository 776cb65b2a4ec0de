"""`penstock schema`."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_file(penstock: Callable[..., Any], folder: Path):
    (folder / "a.ndjson").write_text(
        '{"a": 1, "b": {"c": [1.5], "d": [{"e": [null]}]}}\n{"b": null, "\\u009b": "x"}\n'
    )
    done = penstock("schema", "a.ndjson")
    assert (done.err, done.code) == ("", 0)
    assert (
        done.out
        == """\
a      Int64 | null
b      Struct | null
  c    List(Float64)
  d    List(Struct)
    e  List(Null | null)
\\x9b   Utf8 | null
"""
    )
    packed = gzip.compress((folder / "a.ndjson").read_bytes())
    piped = penstock("schema", "--format", "ndjson", stdin=packed)
    assert (piped.out, piped.code) == (done.out, 0)


def test_several_files_and_formats(penstock: Callable[..., Any], folder: Path):
    (folder / "a.csv").write_text("id,open\n1,true\n2,\n")
    (folder / "b.xml").write_text("<r><p id='7'><q>x</q><q/></p><p id='8'/></r>")
    done = penstock("schema", "a.csv", "b.xml")
    assert (
        done.out
        == """\
a.csv:
id    Int64
open  Boolean | null

b.xml:
@id  Int64
q    List(Utf8)
"""
    )
    assert (done.err, done.code) == ("", 0)


def test_records_at_a_path(penstock: Callable[..., Any]):
    done = penstock("schema", "--at", "*/position", "cities.json")
    assert (done.out, done.err, done.code) == ("lat  Float64 | null\n", "", 0)
    done = penstock("schema", "--at", "*/place", "cities.json")
    hint = "'penstock outline' shows the paths of a file"
    error = f"penstock schema: cities.json: nothing matches --at '*/place'; {hint}\n"
    assert (done.out, done.err, done.code) == ("", error, 1)


def test_a_class(penstock: Callable[..., Any], folder: Path):
    done = penstock("schema", "--into", "models:City", "cities.json")
    assert (
        done.out
        == """\
name        Utf8
population  Int64
latitude    Float64
twins       List(Utf8)
"""
    )
    assert (done.err, done.code) == ("", 0)
    (folder / "more.py").write_text(
        "from uuid import UUID\n"
        "from typing import TypedDict\n"
        "class Inner(TypedDict):\n"
        "    id: UUID | None\n"
        "class Outer(TypedDict):\n"
        "    by_name: dict[str, Inner]\n"
        "    pair: tuple[int, int]\n"
        "class Odd(TypedDict):\n"
        "    size: int | str\n"
    )
    done = penstock("schema", "--into", "more:Outer", "cities.ndjson")
    assert (
        done.out
        == """\
by_name  Map(Utf8, Struct)
  id     arrow.uuid | null
pair     FixedSizeList(Int64, 2)
"""
    )
    done = penstock("schema", "--into", "more:Odd", "cities.ndjson")
    error = "Odd.size has no column: it is of one of several types (int | str)"
    assert (done.out, done.err) == ("", f"penstock schema: more:Odd: {error}\n")
    assert done.code == 2


def test_values_of_two_kinds(penstock: Callable[..., Any]):
    done = penstock("schema", "cities.json")
    assert done.err.splitlines()[0] == (
        "cities.json:3:34: expected a number as in record 1, got a string; unions='text' or "
        "'json' of columns() takes both, and errors='skip' leaves out the records that differ "
        "(record 2, at 1/population)"
    )
    assert (done.out, done.code) == ("", 1)


def test_any_number_of_threads_finds_the_same(penstock: Callable[..., Any], folder: Path):
    lines = [f'{{"n": {n}, "name": "{n:x}"}}\n' for n in range(60_000)]
    lines[55_000] = '{"n": 0.5, "late": null}\n'
    (folder / "large.ndjson").write_text("".join(lines))
    for threads in ([], ["--threads", "1"], ["--threads", "3"]):
        done = penstock("schema", *threads, "large.ndjson")
        assert (done.err, done.code) == ("", 0)
        assert done.out == "n     Float64\nname  Utf8 | null\nlate  Null | null\n"


def test_a_class_needs_no_file(penstock: Callable[..., Any], folder: Path):
    done = penstock("schema", "--into", "models:City")
    with_a_file = penstock("schema", "--into", "models:City", "cities.json")
    assert (done.out, done.err, done.code) == (with_a_file.out, "", 0)
    done = penstock("schema", "--json", "--into", "models:City", "--rename", "upper")
    found = json.loads(done.out)
    assert found["source"] is None
    assert [column["type"] for column in found["columns"]] == [
        "Utf8",
        "Int64",
        "Float64",
        "List(Utf8)",
    ]
    (folder / "more.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import Annotated\n"
        "from penstock import at\n"
        "@dataclass\n"
        "class Text:\n"
        "    text: Annotated[str, at('text()')]\n"
        "@dataclass\n"
        "class Odd:\n"
        "    size: int | str\n"
    )
    # Only XML has such a part.
    assert penstock("schema", "--into", "more:Text").out == "text  Utf8\n"
    done = penstock("schema", "--into", "more:Odd")
    error = "Odd.size has no column: it is of one of several types (int | str)"
    assert (done.out, done.err) == ("", f"penstock schema: more:Odd: {error}\n")
    assert done.code == 2
    # Without a class there must be a file.
    assert penstock("schema").err.startswith("penstock schema: cannot tell the format of <stdin>")
