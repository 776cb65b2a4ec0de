"""`penstock convert` and `penstock format`."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

LINES = '{"a": 1.50}\n{"b c": 2}\n{"a": "x"}\n'


def test_files_and_pipes(penstock: Command, shell: Command, folder: Path) -> None:
    (folder / "a.json").write_text('[{"a": 1.50}, 2]')
    done = penstock("convert", "a.json", "b.ndjson.gz")
    assert (done.out, done.err, done.code) == ("", "", 0)
    assert gzip.decompress((folder / "b.ndjson.gz").read_bytes()) == b'{"a":1.50}\n2\n'
    done = penstock("convert", "b.ndjson.gz", "-", "--to", "json", "--indent", "1")
    assert (done.out, done.err, done.code) == ('[\n {\n  "a": 1.50\n },\n 2\n]\n', "", 0)
    piped = shell("cat a.json | penstock convert - - --to ndjson | penstock count -")
    assert (piped.out, piped.err) == ("2\n", "")


def test_a_target_that_is_no_format(penstock: Command) -> None:
    known = "its formats are JSON, NDJSON, XML, CSV and plist"
    for name, title in (("a.orc", "ORC"), ("a.xlsx", "Excel")):
        done = penstock("convert", "cities.json", name)
        assert done.err == f"penstock convert: {name}: Penstock has no {title}: {known}\n"
        assert (done.out, done.code) == ("", 2)
    done = penstock("convert", "cities.json", "a.foo")
    assert done.err == "penstock convert: cannot tell the format of a.foo: say --to\n"


def test_xml(penstock: Command, folder: Path) -> None:
    (folder / "a.xml").write_text("<r xmlns='u'><!--c--><a>1</a></r>")
    assert penstock("convert", "a.xml", "-", "--to", "json").out == ('{"r":{"@xmlns":"u","a":"1"}}')
    element = '["#document",["r",{"xmlns":"u"},["#comment","c"],["a","1"]]]'
    assert penstock("convert", "a.xml", "-", "--to", "json", "--form", "element").out == element
    done = penstock("convert", "a.xml", "-", "--to", "xml", "--at", "r/a", "--root", "as", "-q")
    assert done.out == ('<?xml version="1.0" encoding="UTF-8"?>\n<as><a xmlns="u">1</a></as>')
    assert penstock("format", "a.xml").out == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<r xmlns="u">\n  <!--c-->\n  <a>1</a>\n</r>\n'
    )


def test_records_in_error(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text(LINES)
    (folder / "b.xml").write_text("old")
    problem = "a.ndjson:2:2: \"b c\" is no name in XML: no name contains ' ' (record 2, at b c)\n"
    done = penstock("convert", "a.ndjson", "b.xml")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(problem)
    assert (folder / "b.xml").read_text() == "old"
    done = penstock("convert", "a.ndjson", "b.xml", "--errors", "collect")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(problem)
    assert done.err.endswith("a.ndjson: 1 record left out\n")
    good = "<root><item><a>1.50</a></item><item><a>x</a></item></root>"
    assert (folder / "b.xml").read_text().endswith(good)
    done = penstock("convert", "-q", "a.ndjson", "b.xml", "--errors", "skip")
    assert (done.out, done.err, done.code) == ("", "", 1)


def test_format(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text('{"b": 1.0, "a": [1e2, "\\u00e9"]}')
    assert penstock("format", "a.json").out == (
        '{\n  "b": 1.0,\n  "a": [\n    1e2,\n    "\\u00e9"\n  ]\n}\n'
    )
    assert penstock("format", "--canonical", "a.json").out == '{"a":[100,"é"],"b":1}'
    assert penstock("format", "--compact", "--sort-keys", "a.json").out == (
        '{"a":[1e2,"\\u00e9"],"b":1.0}'
    )
    # In place.
    assert penstock("format", "--compact", "a.json", "a.json").code == 0
    assert (folder / "a.json").read_text() == '{"b":1.0,"a":[1e2,"\\u00e9"]}'
    (folder / "a.ndjson").write_text('{"a": 1}\n\n2')
    assert penstock("format", "a.ndjson").out == '{"a":1}\n2\n'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("convert", "cities.json", "a.foo"), "cannot tell the format of a.foo: say --to"),
        (("convert", "cities.json", "-"), "cannot tell the format of -: say --to"),
        (("convert", "none.json", "a.json"), "none.json: No such file or directory"),
        (
            ("convert", "cities.json", "a.json", "--root", "x"),
            "root= is no option for a target of the format 'json'",
        ),
        (
            ("format", "cities.ndjson", "--indent", "2"),
            "cities.ndjson: each record of NDJSON is one line: --indent is for JSON",
        ),
        (
            ("format", "a.xml", "--sort-keys"),
            "a.xml: --canonical and --sort-keys are for JSON only",
        ),
    ],
)
def test_what_cannot_be_done(
    penstock: Command, folder: Path, words: tuple[str, ...], message: str
) -> None:
    (folder / "a.xml").write_text("<a/>")
    done = penstock(*words)
    assert (done.out, done.code) == ("", 2)
    assert done.err == f"penstock {words[0]}: {message}\n"


def test_nothing_at_the_path(penstock: Command, folder: Path) -> None:
    done = penstock("convert", "cities.json", "a.json", "--at", "x/y")
    assert done.code == 1
    assert 'there is nothing at "x/y"' in done.err
    assert not (folder / "a.json").exists()


def test_by_a_class(penstock: Command, folder: Path) -> None:
    (folder / "models.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Item:\n    itemName: str\n    size: int = 1\n"
        "@dataclass\nclass Checked:\n    size: int\n"
        "    def __post_init__(self):\n        self.size += 1\n"
    )
    (folder / "a.ndjson").write_text('{"size": 2, "x": 1, "itemName": "a"}\n{"itemName": 3}\n')
    done = penstock("convert", "--into", "models:Item", "a.ndjson", "-", "--to", "json")
    problem = "a.ndjson:2:14: expected str, got the integer 3 (record 2, at itemName)\n"
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(problem)
    done = penstock("convert", "--into", "models:Item", "--errors", "skip", "a.ndjson", "b.json")
    assert (done.out, done.err, done.code) == ("", "a.ndjson: 1 record left out\n", 1)
    assert (folder / "b.json").read_text() == '[{"itemName":"a","size":2}]'
    done = penstock("convert", "--into", "models:Checked", "b.json", "-", "--to", "ndjson")
    assert (done.out, done.err, done.code) == ('{"size":3}\n', "", 0)
    renamed = ("--rename", "itemName=item name")
    (folder / "c.json").write_text('[{"item name": "x"}]')
    done = penstock("convert", "--into", "models:Item", *renamed, "c.json", "-", "--to", "json")
    assert (done.out, done.err, done.code) == ('[{"item name":"x","size":1}]', "", 0)
    done = penstock("convert", "--into", "models:Item", *renamed, "c.json", "-", "--to", "xml")
    assert (done.out, done.code) == ("", 2)
    assert done.err == (
        "penstock convert: itemName: \"item name\" is no name in XML: no name contains ' ' "
        "(record 1)\n"
    )


@pytest.mark.parametrize("words", [[], ["--into", "large:Row"]])
def test_any_number_of_threads_converts_the_same(
    penstock: Command, folder: Path, words: list[str]
) -> None:
    (folder / "large.py").write_text(
        "from typing import TypedDict\nRow = TypedDict('Row', {'name': str, 'n': int})\n"
    )
    lines = [f'{{"n": {n}, "name": "{n:x}"}}\n' for n in range(60_000)]
    lines[40_000] = '{"n": [3], "name": "x"}\n'
    (folder / "large.ndjson").write_text("".join(lines))
    targets = []
    for threads in ([], ["--threads", "1"], ["--threads", "3"]):
        arguments = (*words, *threads, "--errors", "collect", "large.ndjson", "large.csv")
        done = penstock("convert", *arguments)
        assert (done.out, done.code) == ("", 1)
        targets.append((done.err, (folder / "large.csv").read_text()))
    assert targets[1:] == targets[:1] * 2
    assert targets[0][0].startswith("large.ndjson:40001:7: ")
    assert len(targets[0][1].splitlines()) == 60_000


def test_any_number_of_threads_formats_the_same(penstock: Command, folder: Path) -> None:
    lines = [f'{{"n": {n}, "name": "{n:x}"}}\n' for n in range(60_000)]
    (folder / "large.ndjson").write_text("".join(lines))
    targets = []
    for threads in ([], ["--threads", "1"], ["--threads", "3"]):
        done = penstock("format", "--canonical", *threads, "large.ndjson", "small.ndjson")
        assert (done.out, done.code) == ("", 0)
        targets.append((folder / "small.ndjson").read_text())
    assert targets[0] == "".join(lines).replace(": ", ":").replace(", ", ",")
    assert targets[1:] == targets[:1] * 2


def test_what_is_no_number_of_threads(penstock: Command) -> None:
    done = penstock("convert", "--threads", "0", "cities.json", "-", "--to", "ndjson")
    assert done.code == 2
    assert "'0' is not a number of threads from 1 to 256" in done.err
