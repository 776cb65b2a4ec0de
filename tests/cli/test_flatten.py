"""`penstock convert --flatten` and `--types`."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as library

Command = Callable[..., Any]

NESTED = """\
{"id": 1.50, "p": {"lat": 2.0, "q": {"z": "a, b"}}, "l": [1, {"a": "x"}], "a/b": true}
{"id": 2, "p": null, "e": null, "late": {"x": ""}}
"""
# Here `p` is an object, a text and null, so that there is no schema.
MIXED = NESTED + '{"p": "s", "o": {}, "n": {"m": null}}\n'


def test_a_table(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text(NESTED)
    done = penstock("convert", "--flatten", "a.ndjson", "a.csv")
    assert (done.out, done.err, done.code) == ("", "", 0)
    assert (folder / "a.csv").read_text() == (
        'id,p/lat,p/q/z,l,a~1b,e,late/x\n1.50,2.0,"a, b","[1, {""a"": ""x""}]",true,,\n2,,,,,,""\n'
    )


@pytest.mark.parametrize("text", [NESTED, MIXED], ids=["by_schema", "by_records"])
def test_flat_json(penstock: Command, folder: Path, text: str) -> None:
    (folder / "a.ndjson").write_text(text)
    done = penstock("convert", "--flatten", "a.ndjson", "-", "--to", "ndjson")
    first = '{"id":1.50,"p/lat":2.0,"p/q/z":"a, b","l":[1,{"a":"x"}],"a~1b":true}\n'
    second = '{"id":2,"e":null,"late/x":""}\n'
    if text == MIXED:
        # This is a null that has a column.
        second = '{"id":2,"e":null,"late/x":"","p":null}\n'
        assert json.loads(done.out.splitlines()[2]) == {"p": "s", "o": None, "n/m": None}
    lines = done.out.splitlines(keepends=True)
    assert lines[0] == first
    assert json.loads(lines[1]) == json.loads(second)
    assert (done.err, done.code) == ("", 0)


def test_both_ways_find_the_same(penstock: Command, folder: Path) -> None:
    # With `--errors skip`, Python looks at each record.
    text = (
        NESTED + '{"@id": 1, "*": {"": 2, "~/": 3}, "0": [{"a": 1}], "s": {}, "nn": {"a": null}}\n'
    )
    (folder / "a.ndjson").write_text(text)
    for to in ("csv", "json"):
        words = ["convert", "--flatten", "a.ndjson", "-", "--to", to]
        fast, slow = penstock(*words), penstock(*words, "--errors", "skip")
        assert fast == slow
        assert fast.code == 0
    assert fast.out.endswith('{"@id":1,"*/":2,"*/~0~1":3,"0":[{"a":1}],"s":null,"nn/a":null}]')


def test_keys_that_are_no_steps(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text('[{"a": {"text()": 1, "key()": 2}}]')
    done = penstock("convert", "--flatten", "a.json", "-", "--to", "csv")
    assert (done.out, done.err, done.code) == ("a/text(),a/key()\n1,2\n", "", 0)


def test_records_of_other_formats(penstock: Command, folder: Path) -> None:
    done = penstock("convert", "--flatten", "cities.json", "-", "--to", "csv")
    assert done.out == (
        'name,population,position/lat\nBern,134591,46.950\nChur,"37,424",\n\u6771\u4eac,13960000,35.68\n'
    )
    (folder / "a.xml").write_text(
        '<r><a id="1"><b>x</b><b>y</b><c><d>1</d></c></a><a><b>z</b>t</a></r>'
    )
    done = penstock("convert", "--flatten", "a.xml", "-", "--to", "csv")
    assert done.out == '@id,b,c/d,#text\n1,"[""x"", ""y""]",1,\n,z,,t\n'
    library.dump([{"a": {"b": 1, "c": b"xy"}}], "a.plist")
    done = penstock("convert", "--flatten", "a.plist", "-", "--to", "ndjson")
    assert done.out == '{"a/b":1,"a/c":"eHk="}\n'
    done = penstock("convert", "--flatten", "--at", "*/position", "cities.json", "-", "--to", "csv")
    assert done.out == "lat\n46.950\n\n35.68\n"


def test_a_deep_record(penstock: Command, folder: Path) -> None:
    deep = 900
    (folder / "a.json").write_text('{"a":' * deep + "1" + "}" * deep)
    done = penstock("convert", "--flatten", "a.json", "-", "--to", "csv")
    assert done.out == f"{'/'.join('a' * deep)}\n1\n"


def test_records_in_error(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text('{"a": {"b": 1}}\n{"a": tru}\n{"a": "x"}\n')
    (folder / "a.csv").write_text("old")
    done = penstock("convert", "--flatten", "a.ndjson", "a.csv")
    assert done.err.startswith("a.ndjson:2:7: expected a value, found 'tru' (record 2, at a)\n")
    assert (done.out, done.code, (folder / "a.csv").read_text()) == ("", 1, "old")
    done = penstock("convert", "--flatten", "--errors", "skip", "a.ndjson", "a.csv")
    assert (done.out, done.err, done.code) == ("", "a.ndjson: 1 record left out\n", 1)
    assert (folder / "a.csv").read_text() == "a/b,a\n1,\n,x\n"


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (
            ["--flatten", "-", "-", "--to", "csv", "--format", "ndjson"],
            "--flatten reads the source twice, and <stdin> can be read only once: save it in a file",
            2,
        ),
        (
            ["--types", "-", "-", "--to", "json", "--format", "csv"],
            "--types reads the source twice, and <stdin> can be read only once: save it in a file",
            2,
        ),
        (
            ["--flatten", "cities.json", "a.xml"],
            "--flatten is for other targets: a name in XML has no slash",
            2,
        ),
        (
            ["--flatten", "--at", "*/name", "cities.json", "a.csv"],
            (
                "cities.json: a record is no object, which has no columns; 'penstock outline' "
                "shows the paths of a file, for --at"
            ),
            2,
        ),
        (
            ["--flatten", "--at", "*/zip", "cities.json", "a.csv"],
            (
                "cities.json: nothing matches --at '*/zip'; 'penstock outline' shows the paths of "
                "a file"
            ),
            1,
        ),
        (
            ["--types", "cities.json", "a.ndjson"],
            "cities.json: --types is for CSV, whose cells are all text",
            2,
        ),
        (
            ["--types", "--flatten", "cities.json", "a.ndjson"],
            "argument --flatten: not allowed with argument --types",
            2,
        ),
    ],
)
def test_what_is_wrong(
    penstock: Command, folder: Path, words: list[str], message: str, code: int
) -> None:
    done = penstock("convert", *words)
    assert done.err.splitlines()[0] == f"penstock convert: {message}"
    assert (done.out, done.code) == ("", code)
    assert not [path for path in folder.iterdir() if path.name.startswith("a.")]


def test_too_many_columns(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps([{f"k{n}": n for n in range(10_001)}]))
    done = penstock("convert", "--flatten", "a.json", "-", "--to", "csv")
    assert done.err == (
        "penstock convert: a.json: --flatten finds more than 10,000 columns; keys that are data "
        "make no table: --at can look into them\n"
    )
    assert (done.out, done.code) == ("", 2)


def test_an_error_leads_to_it(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text('{"p": {"lat": 1}}\n')
    done = penstock("convert", "a.ndjson", "-", "--to", "csv")
    assert done.err.endswith(
        "\n--flatten makes columns of the members of objects, and text of lists.\n"
    )


def test_a_document_leads_to_its_records(penstock: Command) -> None:
    text = b'{"type": "x", "data": [{"a": 1}]}'
    done = penstock("convert", "-", "-", "--to", "csv", stdin=text)
    assert done.err.endswith("\nIf the elements of that list are the records, say --at 'data/*'.\n")
    assert done.code == 1
    done = penstock("convert", "--at", "data/*", "-", "-", "--to", "csv", stdin=text)
    assert (done.out, done.err, done.code) == ("a\n1\n", "", 0)
    done = penstock("convert", "-", "-", "--to", "csv", stdin=b"[%s]" % text)
    assert "are the records" not in done.err


TABLE = """\
id,open,size,zip,note
1,true,1.50,01234,x
2,false,2,56789,
3,,,,""
"""


def test_types(penstock: Command, folder: Path) -> None:
    (folder / "a.csv").write_text(TABLE)
    done = penstock("convert", "--types", "a.csv", "-", "--to", "ndjson")
    assert done.out == (
        '{"id":1,"open":true,"size":1.5,"zip":"01234","note":"x"}\n'
        '{"id":2,"open":false,"size":2.0,"zip":"56789","note":null}\n'
        '{"id":3,"open":null,"size":null,"zip":null,"note":""}\n'
    )
    assert (done.err, done.code) == ("", 0)
    # They are the types of the columns.
    found = library.schema("a.csv")
    assert [kind for _, _, kind, _ in found._lines()] == [
        *("Int64", "Boolean", "Float64", "Utf8", "Utf8")
    ]
    assert penstock("convert", "a.csv", "-", "--to", "ndjson").out.startswith('{"id":"1","open":')
    done = penstock("convert", "--types", "a.csv", "a.xml")
    assert (done.err, done.code) == ("", 0)
    assert "<item><id>1</id><open>true</open><size>1.5</size>" in (folder / "a.xml").read_text()


def test_types_of_another_dialect(penstock: Command, folder: Path) -> None:
    (folder / "a.csv").write_bytes(gzip.compress(b"Report\n\nn;b\n1;true\n2\n3;false\n"))
    for given in (["-d", ";", "--skip-rows", "2"], ["-d", ";", "--skip-rows", "2", "--no-header"]):
        words = ["convert", "--types", *given, "--errors", "skip", "a.csv", "-", "--to", "ndjson"]
        done = penstock(*words)
        assert done.err == "a.csv: 1 record left out\n"
        assert done.code == 1
    assert done.out.startswith('{"0":"n","1":"b"}\n')
    (folder / "b.csv").write_text("n;b\n1;true\n2;false\n")
    done = penstock("convert", "--types", "--dialect", "infer", "b.csv", "-", "--to", "json")
    assert done.out == '[{"n":1,"b":true},{"n":2,"b":false}]'
