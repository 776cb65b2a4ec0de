"""`penstock help`, and the examples that help ends with."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.examples import EXAMPLES
from penstock.cli.parser import parser

Command = Callable[..., Any]

COMMANDS = tuple(parser().commands)
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]
# Measuring takes seconds.
SLOW = {line for line in EXAMPLES["costs"] if "--json" not in line}

FEED = """\
<rss><channel><title>News</title>
<item><title>Rain</title></item>
<item><title>Sun</title></item>
</channel></rss>
"""
MAP = """\
{"type": "FeatureCollection", "features": [
  {"id": 7, "properties": {"name": "Aare"}},
  {"id": 8, "properties": {"name": "Rhine"}}
]}
"""

# What some of them print. The others print nothing, or what other tests compare.
PRINTED = {
    "penstock count logs": "2\tlogs/1.ndjson\n1\tlogs/2.ndjson\n3\ttotal\n",
    "penstock count --at rss/channel/item feed.xml.gz": "2\n",
    "penstock count --dialect infer report.csv": "2\n",
    "penstock cut sizes.csv size,name": "size,name\n3,Bern\n4,Chur\n",
    "penstock cut cities.json name,position/lat --to csv": (
        "name,position/lat\nBern,46.950\nChur,\n\u6771\u4eac,35.68\n"
    ),
    "penstock head --all --raw --at '*/name' cities.json | sort | uniq -c": (
        "      1 Bern\n      1 Chur\n      1 \u6771\u4eac\n"
    ),
    "penstock head --at 'features/*' --fields id,properties/name map.geojson": (
        '{"id": 7, "properties/name": "Aare"}\n{"id": 8, "properties/name": "Rhine"}\n'
    ),
    "penstock convert --flatten map.geojson - --at 'features/*' --to csv": (
        "id,properties/name\n7,Aare\n8,Rhine\n"
    ),
    "penstock schema --at 'features/*' map.geojson": (
        "id          Int64\nproperties  Struct\n  name      Utf8\n"
    ),
    "penstock schema sizes.csv": "name  Utf8\nsize  Int64\nnote  Utf8 | null\n",
    "penstock sniff --quiet --encoding cp1252 report.csv": (
        "Dialect(';')\n  name  text\n  size  number\n"
    ),
}
# Problems of the data are what they look for.
FOUND = {
    "penstock check --into models:City cities.json",
    "penstock infer --into models:City cities.json",
}
WRITTEN = {
    "penstock check --sarif cities.json > penstock.sarif": "penstock.sarif",
    "penstock convert cities.json cities.ndjson.gz": "cities.ndjson.gz",
    "penstock convert --at rss/channel/item feed.xml.gz items.json": "items.json",
    "penstock convert --types --dialect infer report.csv report.json": "report.json",
    "penstock cut --invert sizes.csv note small.csv": "small.csv",
    "penstock recompress logs/1.ndjson logs.ndjson.gz": "logs.ndjson.gz",
    "penstock recompress --to zstd --level 9 cities.json - > cities.json.zst": "cities.json.zst",
    "penstock completion bash > penstock.bash": "penstock.bash",
    "penstock format --compact --sort-keys cities.json cities.json": "cities.json",
    "penstock costs --quick --group calls --json costs.json": "costs.json",
}


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "feed.xml.gz").write_bytes(gzip.compress(FEED.encode()))
    (folder / "map.geojson").write_text(MAP)
    (folder / "sizes.csv").write_text("name,size,note\nBern,3,x\nChur,4,\n")
    (folder / "report.csv").write_text("name;size\nBern;1,5\nChur;0,4\n")
    (folder / "logs").mkdir()
    (folder / "logs" / "1.ndjson").write_text('{"a": 1}\n{"a": 2}\n')
    (folder / "logs" / "2.ndjson").write_text('{"a": 3}\n')


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_works(shell: Command, folder: Path, name: str, line: str) -> None:
    if line in SLOW:
        assert line in EXAMPLES[name]
        return
    target = folder / WRITTEN[line] if line in WRITTEN else None
    before = target.read_bytes() if target is not None and target.exists() else None
    done = shell(line)
    assert done.code == (1 if line in FOUND else 0), done.err
    assert "Try 'penstock" not in done.err
    if line in PRINTED:
        assert done.out == PRINTED[line]
    if target is not None:
        assert target.read_bytes() not in {before, b""}
    elif line != "penstock check logs":
        assert done.out != ""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_examples_and_help(penstock: Command, name: str) -> None:
    done = penstock("help", name)
    assert (done.err, done.code) == ("", 0)
    assert done.out == penstock(name, "--help").out
    shown = done.out.partition("\nExamples:\n")[2].splitlines()
    assert shown == [f"  {line}" for line in EXAMPLES[name]]
    assert all(re.search(rf"\bpenstock {name}\b", line) for line in EXAMPLES[name])


def test_help_of_all_commands(penstock: Command) -> None:
    done = penstock("help")
    assert (done.out, done.err, done.code) == (penstock("--help").out, "", 0)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("haed", "did you mean 'head'?"),
        ("wc", "'count' counts records"),
        ("json_schema", "'json-schema' writes that of a class"),
        ("xyz", f"the commands are {', '.join(COMMANDS)}"),
    ],
)
def test_help_of_no_command(penstock: Command, word: str, hint: str) -> None:
    done = penstock("help", word)
    message = f"penstock help: there is no command {word!r}; {hint}\n"
    assert done.err == f"{message}Try 'penstock help --help'.\n"
    assert (done.out, done.code) == ("", 2)
