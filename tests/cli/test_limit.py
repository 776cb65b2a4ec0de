"""`--limit`, `--comments` and `--max-errors`: what of a file a command reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

COMMENTED = '// cities\n[\n  {"name": "Bern"}, /* and */\n  {"name": "Chur"},\n]\n'


@pytest.fixture
def many(folder: Path) -> Path:
    # Far behind the limit is something that is no JSON.
    lines = "".join(f'{{"id": {n}, "place": {{"lat": {n}.5}}}}\n' for n in range(20_000))
    (folder / "many.ndjson").write_text(lines + "{broken\n")
    (folder / "many.csv").write_text("a,b\n" + "1,2\n" * 20_000 + '3,"4\n')
    return folder


@pytest.mark.usefixtures("many")
def test_the_rest_is_not_read(penstock: Callable[..., Any]) -> None:
    for arguments, out in (
        (("count", "-n", "3", "many.ndjson"), "3\n"),
        (("count", "--limit", "4", "many.csv"), "4\n"),
        (("schema", "-n", "2", "many.csv"), "a  Int64\nb  Int64\n"),
        (("convert", "-n", "2", "many.csv", "-", "--to", "ndjson"), '{"a":"1","b":"2"}\n' * 2),
        (("convert", "-n", "1", "many.ndjson", "-", "--to", "json"), None),
        (("convert", "-n", "1", "--flatten", "many.ndjson", "-", "--to", "csv"), None),
        (("cut", "-n", "2", "many.csv", "b"), "b\n2\n2\n"),
        (("cut", "-n", "1", "many.ndjson", "id"), '{"id":0}\n'),
    ):
        done = penstock(*arguments)
        assert (done.err, done.code) == ("", 0), arguments
        if out is not None:
            assert done.out == out, arguments
    done = penstock("convert", "-n", "2", "many.ndjson", "-", "--to", "json")
    assert done.out == '[{"id":0,"place":{"lat":0.5}},{"id":1,"place":{"lat":1.5}}]'
    flat = penstock("convert", "-n", "1", "--flatten", "many.ndjson", "-", "--to", "csv")
    assert flat.out == "id,place/lat\n0,0.5\n"


def test_records_of_every_kind(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.xml").write_text("<l><x>1</x><x>2</x><x>3</x></l>")
    done = penstock("convert", "-n", "2", "--at", "l/x", "a.xml", "-", "--to", "json")
    assert (done.out, done.err) == ('["1","2"]', "")
    (folder / "row.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Row:\n    a: int\n\n"
        "@dataclass\nclass Made(Row):\n    def __post_init__(self): pass\n"
    )
    (folder / "a.csv").write_text("a\n1\n2\n3\n")
    (folder / "a.json").write_text('[{"a": 1}, {"a": 2}, {"a": 3}]')
    for name in ("a.csv", "a.json"):
        for row in ("row:Row", "row:Made"):
            done = penstock("convert", "-n", "2", "--into", row, name, "-", "--to", "ndjson")
            assert (done.out, done.err, done.code) == ('{"a":1}\n{"a":2}\n', "", 0), (name, row)
    done = penstock("convert", "-n", "2", "a.json", "b.json", "--at", "*")
    assert (done.code, (folder / "b.json").read_text()) == (0, '[{"a":1},{"a":2}]')


def test_a_limit_of_nothing(penstock: Callable[..., Any]) -> None:
    for arguments in (
        ("convert", "-n", "0", "cities.json", "-", "--to", "ndjson"),
        ("schema", "-n", "0", "cities.json"),
        ("count", "-n", "0", "cities.json"),
        ("cut", "-n", "0", "cities.json", "name"),
    ):
        done = penstock(*arguments)
        assert done.code == 2
        assert "--limit 0 leaves" in done.err


def test_comments(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.json").write_text(COMMENTED)
    (folder / "a.jsonc").write_text(COMMENTED)
    refused = penstock("count", "a.json")
    assert refused.code == 1
    assert refused.err.endswith("To take comments and trailing commas, say --comments.\n")
    for name in ("a.json", "a.jsonc"):
        for arguments, out in (
            (("count",), "2\n"),
            (("check", "-q"), ""),
            (("head",), '{"name": "Bern"}\n{"name": "Chur"}\n'),
            (("schema",), "name  Utf8\n"),
        ):
            done = penstock(*arguments, "--comments", name)
            assert (done.out, done.code) == (out, 0), (arguments, done.err)
        converted = penstock("convert", "--comments", name, "-", "--to", "json")
        assert converted.out == '[{"name":"Bern"},{"name":"Chur"}]'
    assert "name" in penstock("outline", "--comments", "a.json").out
    wrong = penstock("count", "--comments", "cities.ndjson", "--format", "ndjson")
    assert wrong.code == 2
    assert "--comments is for JSON" in wrong.err


def test_records_that_are_left_out_are_counted(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.ndjson").write_text('{"a": 1}\n{"a": "x"}\n{"a": 2}\n{"a"\n')
    done = penstock("schema", "--errors", "skip", "a.ndjson")
    assert (done.out, done.code) == ("a  Int64\n", 1)
    assert done.err == "a.ndjson: 2 records left out\n"


def test_check_ends_behind_some_problems(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "a.ndjson").write_text('{"a"\n' * 1_000)
    done = penstock("check", "--max-errors", "3", "a.ndjson")
    assert (done.out.count("a.ndjson:"), done.code) == (3, 1)
    assert done.err == "a.ndjson: 3 problems, and --max-errors ends here in 3 records\n"
    both = penstock("check", "--max-errors", "2", "a.ndjson", "a.ndjson")
    assert both.out.count("a.ndjson:") == 2
    assert penstock("check", "--max-errors", "0", "a.ndjson").code == 2
