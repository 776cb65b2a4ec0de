"""`penstock check`."""

import plistlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROBLEMS = """\
cities.json:3:34: expected int, got a string (record 2, at 1/population)
  |
3 |   {"name": "Chur", "population": "37,424", "position": {"lat": null}},
  |                                  ^

cities.json:3:64: expected float, got null (record 2, at 1/position/lat)
  |
3 | …"name": "Chur", "population": "37,424", "position": {"lat": null}},
  |                                                              ^
"""


def test_nothing_is_wrong(penstock: Callable[..., Any]):
    done = penstock("check", "cities.json")
    assert (done.out, done.err, done.code) == ("", "cities.json: no problems in 3 records\n", 0)


def test_all_that_does_not_fit_is_told(penstock: Callable[..., Any]):
    done = penstock("check", "--into", "models:City", "cities.json")
    assert done.out == PROBLEMS
    assert (done.err, done.code) == ("cities.json: 2 problems in 3 records\n", 1)


def test_quiet_leaves_out_the_summary(penstock: Callable[..., Any]):
    done = penstock("check", "-q", "--into", "models:City", "cities.json")
    assert (done.out, done.err, done.code) == (PROBLEMS, "", 1)


def test_lines_that_are_malformed_are_passed_over(penstock: Callable[..., Any], folder: Path):
    (folder / "bad.ndjson").write_text('{"a": 1}\n{"a": tru}\n{"a": 2}\n{"a": [}\n')
    done = penstock("check", "bad.ndjson")
    assert done.out == (
        "bad.ndjson:2:7: expected a value, found 'tru' (record 2, at a)\n"
        "  |\n"
        '2 | {"a": tru}\n'
        "  |       ^\n"
        "\n"
        "bad.ndjson:4:8: expected a value or ']', found '}' (record 4, at a)\n"
        "  |\n"
        '4 | {"a": [}\n'
        "  |        ^\n"
    )
    assert (done.err, done.code) == ("bad.ndjson: 2 problems in 4 records\n", 1)


def test_behind_what_is_malformed_nothing_is_read(penstock: Callable[..., Any], folder: Path):
    (folder / "bad.xml").write_text("<a>\n<b>1</b>\n<b>2</c>\n</a>")
    done = penstock("check", "bad.xml")
    assert done.out.startswith(
        "bad.xml:3:5: the end tag of 'c', but 'b' is open (record 2, at a/b)\n"
    )
    assert done.out.endswith("  |\n3 | <b>2</c>\n  |     ^\n")
    assert (done.err, done.code) == ("bad.xml: 1 problem; nothing after it can be read\n", 1)


def test_both_kinds_of_problems(penstock: Callable[..., Any], folder: Path):
    (folder / "bad.json").write_text('[{"name": 1}, {"name": "Bern", "population": 1')
    done = penstock("check", "--into", "models:City", "bad.json")
    assert done.out.count("\n\n") == done.out.count("bad.json:1:") - 1
    assert "bad.json:1:11: expected str, got the integer 1 (record 1, at 0/name)\n" in done.out
    assert "bad.json:1:47: the input ends" in done.out
    assert done.err == (
        f"bad.json: {done.out.count('bad.json:')} problems; nothing after the last can be read\n"
    )
    assert done.code == 1


def test_a_document_that_is_one_record(penstock: Callable[..., Any], folder: Path):
    (folder / "one.json").write_text('{"name": 1, "population": 2, "position": {"lat": 3}}')
    done = penstock("check", "--into", "models:City", "one.json")
    assert done.out.startswith(
        "one.json:1:10: expected str, got the integer 1 (record 1, at name)\n"
    )
    assert (done.err, done.code) == ("one.json: 1 problem in 1 record\n", 1)


def test_unknown_keys(penstock: Callable[..., Any], folder: Path):
    text = '[{"name": "Bern", "population": 1, "position": {"lat": 3}, "twin": []}]'
    (folder / "one.json").write_text(text)
    words = ["--into", "models:City", "one.json"]
    assert penstock("check", *words).code == 0
    done = penstock("check", "--unknown", "error", *words)
    assert done.out.startswith("one.json:1:60: ")
    assert "twin" in done.out.splitlines()[0]
    assert (done.err, done.code) == ("one.json: 1 problem in 1 record\n", 1)


HINT = (
    "If each line is a record of its own, say --format ndjson; if values simply follow each other, "
    "say --framing concatenated."
)


def test_lines_that_are_called_json(penstock: Callable[..., Any], folder: Path):
    (folder / "lines.json").write_text("1\n2\n")
    done = penstock("check", "lines.json")
    assert done.out == (
        "lines.json:2:1: expected the end of the document after the value, found '2'\n"
        "  |\n2 | 2\n  | ^\n"
    )
    assert done.err == (f"{HINT}\nlines.json: 1 problem; nothing after it can be read\n")
    assert penstock("check", "--format", "ndjson", "lines.json").code == 0
    assert penstock("count", "lines.json").err.splitlines()[-1] == HINT


def test_any_number_of_threads_finds_the_same(penstock: Callable[..., Any], folder: Path):
    city = '{{"name": "{:x}", "population": {}, "position": {{"lat": 1.5}}}}\n'
    lines = [city.format(n, n) for n in range(30_000)]
    lines[9_000] = city.format(1, 2**70)
    lines[15_000] = city.format(1, '"many"')
    lines[20_000] = "{]\n"
    lines[25_000] = '{"name": 1, "position": {}}\n'
    (folder / "large.ndjson").write_text("".join(lines))
    words = ("--into", "models:City", "large.ndjson")
    one, *others = (
        penstock("check", *threads, *words)
        for threads in (["--threads", "1"], [], ["--threads", "3"], ["--threads", "2", "--timing"])
    )
    places = [line for line in one.out.splitlines() if line.startswith("large.ndjson")]
    assert places == [
        "large.ndjson:15001:29: expected int, got a string (record 15001, at population)",
        "large.ndjson:20001:2: expected a key in double quotes or '}', found ']' (record 20001)",
        "large.ndjson:25001:10: expected str, got the integer 1 (record 25001, at name)",
        'large.ndjson:25001:27: City lacks the required key "population" (record 25001)',
        'large.ndjson:25001:27: City lacks the required key "position/lat" (record 25001)',
    ]
    assert (one.err, one.code) == ("large.ndjson: 5 problems in 30,000 records\n", 1)
    assert [other.out for other in others] == [one.out] * 3


def test_only_so_many_records(penstock: Callable[..., Any], folder: Path):
    (folder / "bad.ndjson").write_text('{"a": 1}\n{"a": tru}\n{"a": 2}\n{"a": [}\n')
    done = penstock("check", "-n", "1", "bad.ndjson")
    assert (done.out, done.err, done.code) == ("", "bad.ndjson: no problems in 1 record\n", 0)
    done = penstock("check", "--limit", "2", "bad.ndjson")
    assert done.out.startswith("bad.ndjson:2:7: expected a value, found 'tru' (record 2, at a)\n")
    assert done.out.count("\n") == 4
    assert (done.err, done.code) == ("bad.ndjson: 1 problem in 2 records\n", 1)
    # It is for all files together.
    done = penstock("check", "--limit", "4", "--into", "models:City", "cities.json", "bad.ndjson")
    assert done.err == "cities.json: 2 problems in 3 records\nbad.ndjson: 3 problems in 1 record\n"
    done = penstock("check", "--limit", "3", "cities.json", "nowhere.json")
    assert (done.out, done.code) == ("", 0)


def test_damage_inside_of_a_property_list(penstock: Callable[..., Any], folder: Path):
    """Nobody looked at what was skipped."""
    data = plistlib.dumps({"a": [1, 2]}, fmt=plistlib.FMT_BINARY)
    # The second reference of the list leads nowhere.
    at = data.index(b"\xa2") + 2
    (folder / "a.plist").write_bytes(data[:at] + b"\x63" + data[at + 1 :])
    done = penstock("check", "a.plist")
    assert (done.out.splitlines()[0], done.code) == (
        f"a.plist:byte {at}: a reference to object 99, and there are only 5 (record 1, at a/1)",
        1,
    )
