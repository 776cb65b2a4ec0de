"""`penstock check --sarif`: a log for code hosts."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from penstock.cli.sarif import RULES

Command = Callable[..., Any]
ERRORS = Path(__file__).parents[2] / "docs" / "errors.md"


def test_problems_of_several_files(penstock: Command, folder: Path) -> None:
    (folder / "a b.ndjson").write_text('{"a": 1}\n{"\u6771\u4eac": tru}\n')
    done = penstock("check", "--sarif", "--into", "models:City", "cities.json", "a b.ndjson")
    assert done.code == 1
    log = json.loads(done.out)
    assert log["version"] == "2.1.0"
    assert log["$schema"] == "https://json.schemastore.org/sarif-2.1.0.json"
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "penstock"
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == ["type", "missing", "malformed"]
    first, *_, last = run["results"]
    assert first == {
        "ruleId": "type",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "expected int, got a string (record 2, at 1/population)"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "cities.json"},
                    "region": {"startLine": 3, "startColumn": 34},
                }
            }
        ],
    }
    place = last["locations"][0]["physicalLocation"]
    # A space has no place in a URI, and columns are code points.
    assert place["artifactLocation"] == {"uri": "a%20b.ndjson"}
    assert place["region"] == {"startLine": 2, "startColumn": 8}
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == RULES[rule["id"]]
        assert rule["help"]["text"].endswith("penstock/errors.html#codes")


def test_a_file_without_lines(penstock: Command, folder: Path) -> None:
    (folder / "a.bplist").write_bytes(b"bplist00" + b"\xff" * 40)
    done = penstock("check", "--sarif", str(folder / "a.bplist"))
    (result,) = json.loads(done.out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": f"file://{folder}/a.bplist"}
    assert place["region"]["startLine"] == 1


def test_problems_that_are_left_out_are_counted(penstock: Command, folder: Path) -> None:
    (folder / "many.py").write_text("Numbers = list[int]\n")
    (folder / "a.ndjson").write_text(f"[{','.join(['null'] * 150)}]\n")
    done = penstock("check", "--sarif", "--into", "many:Numbers", "a.ndjson")
    texts = [result["message"]["text"] for result in json.loads(done.out)["runs"][0]["results"]]
    assert texts[98] == "expected int, got null (record 1, at 98)"
    assert texts[99:] == [
        "expected int, got null (record 1, at 99); 50 more problems of the record are left out"
    ]


def test_nothing_is_wrong(penstock: Command) -> None:
    done = penstock("check", "--sarif", "cities.json")
    (run,) = json.loads(done.out)["runs"]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert done.code == 0


def test_the_log_ends_whatever_happens(penstock: Command) -> None:
    done = penstock("check", "--sarif", "nowhere.json")
    assert json.loads(done.out)["runs"][0]["results"] == []
    assert done.err == "penstock check: nowhere.json: No such file or directory\n"
    assert done.code == 2


def test_there_is_one_form_of_output(penstock: Command) -> None:
    done = penstock("check", "--sarif", "--json", "cities.json")
    assert "not allowed with" in done.err
    assert (done.out, done.code) == ("", 2)


def test_the_rules_are_the_codes_of_errors() -> None:
    section = ERRORS.read_text(encoding="utf-8").partition("## Codes")[2].partition("\n## ")[0]
    assert sorted(RULES) == sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
