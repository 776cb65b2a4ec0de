"""Every command that reads a file takes what its format needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

REPORT = "Report of May\n\nname;size\nBern;1,5\n\u00dcri;3\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "report.csv").write_bytes(REPORT.encode("cp1252"))
    (folder / "rows.csv").write_text("name,size\nBern,3\nChur\n")
    (folder / "lines.ndjson").write_text('{"a": 1}\n{"a": tru}\n{"a": 2, "a": 3}\n')
    (folder / "a.xml").write_text("<r><a>x & y</a></r>")


@pytest.mark.parametrize(
    "given", [["-d", ";", "--skip-rows", "2"], ["--dialect", "infer"]], ids=["told", "found"]
)
@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["head"], '{"name": "Bern", "size": "1,5"}\n{"name": "\u00dcri", "size": "3"}\n'),
        (["count"], "2\n"),
        (["check"], ""),
        (["schema"], "name  Utf8\nsize  Utf8\n"),
        (["outline"], '(row)  2  object\nname   2  text    "Bern"\nsize   2  text    "1,5"\n'),
        (["cut", "size"], "size\n\u0022 1,5\u0022\n3\n".replace(" ", "")),
        (
            ["convert", "--to", "ndjson"],
            '{"name":"Bern","size":"1,5"}\n{"name":"\u00dcri","size":"3"}\n',
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_table(penstock: Command, given: list[str], words: list[str], out: str) -> None:
    name, *rest = words
    behind = {"convert": ["report.csv", "-", *rest], "cut": ["report.csv", *rest]}
    done = penstock(name, *given, "--encoding", "cp1252", *behind.get(name, ["report.csv"]))
    assert (done.out, done.code) == (out, 0)


def test_a_table_without_a_header(penstock: Command) -> None:
    done = penstock("head", "--no-header", "--errors", "skip", "rows.csv")
    assert done.out == '{"0": "name", "1": "size"}\n{"0": "Bern", "1": "3"}\n'
    assert (done.err, done.code) == ("rows.csv: 1 record left out\n", 1)
    done = penstock("convert", "--no-header", "--repair", "all", "rows.csv", "-", "--to", "csv")
    assert done.out == "name,size\nBern,3\nChur,\n"
    assert (done.err, done.code) == ("rows.csv: 1 fault repaired: short_rows 1\n", 0)


def test_flags_of_tables_say_the_format(penstock: Command, folder: Path) -> None:
    (folder / "sizes.txt").write_text("name;size\nBern;3\n")
    done = penstock("head", "-d", ";", "sizes.txt")
    assert (done.out, done.err, done.code) == ('{"name": "Bern", "size": "3"}\n', "", 0)
    done = penstock("head", "sizes.txt")
    assert done.err.startswith("sizes.txt:1:1: expected a value, found 'name'\n")
    assert done.err.endswith("\nIf it is not JSON, say what it is, such as --format csv.\n")
    piped = penstock("count", "--dialect", "infer", stdin=b"a|b\n1|2\n3|4\n")
    assert (piped.out, piped.err, piped.code) == ("2\n", "", 0)


@pytest.mark.parametrize("words", [["head", "-d", ";"], ["count", "--dialect", "infer"], ["sniff"]])
def test_a_file_of_another_encoding(penstock: Command, folder: Path, words: list[str]) -> None:
    (folder / "a.csv").write_bytes("gr\u00f6\u00dfe;n\n1,5;2\n".encode("cp1252"))
    hint = "If the file is not UTF-8, say its encoding, such as --encoding cp1252.\n"
    done = penstock(*words, "a.csv")
    assert done.err.endswith(hint)
    assert (done.out, done.code) == ("", 1)
    assert penstock(*words, "--encoding", "cp1252", "a.csv").code == 0
    # No encoding helps here.
    (folder / "a.csv").write_text("a;b\n1\n" if words[0] == "head" else "a,b\n1\n1,2,3\n")
    assert hint not in penstock(*words, "a.csv").err


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        (["head"], '{"a": 1}\n{"a": 3}\n', "lines.ndjson: 1 record left out\n"),
        (
            ["head", "--duplicates", "first"],
            '{"a": 1}\n{"a": 2}\n',
            "lines.ndjson: 1 record left out\n",
        ),
        (["head", "--duplicates", "error"], '{"a": 1}\n', "lines.ndjson: 2 records left out\n"),
        (["count"], "2\n", "lines.ndjson: 1 record left out\n"),
        (
            ["format"],
            '{"a":1}\n{"a":2,"a":3}\n',
            "lines.ndjson: 1 record left out\n",
        ),
        (["cut", "a"], '{"a":1}\n{"a":3}\n', "lines.ndjson: 1 record left out\n"),
    ],
)
def test_records_in_error_are_left_out(
    penstock: Command, words: list[str], out: str, err: str
) -> None:
    name, *rest = words
    first = rest if name == "head" else []
    behind = [] if name == "head" else rest
    done = penstock(name, *first, "--errors", "skip", "lines.ndjson", *behind)
    assert (done.out, done.err, done.code) == (out, err, 1)
    quiet = penstock(name, *first, "-q", "--errors", "skip", "lines.ndjson", *behind)
    assert (quiet.out, quiet.err, quiet.code) == (out, "", 1)


def test_schema_leaves_records_out(penstock: Command) -> None:
    done = penstock("schema", "--errors", "skip", "lines.ndjson")
    assert (done.out, done.err, done.code) == (
        "a  Int64\n",
        "lines.ndjson: 1 record left out\n",
        1,
    )


@pytest.mark.parametrize("words", [["count"], ["head"], ["cut"]])
def test_errors_are_printed_as_well(penstock: Command, words: list[str]) -> None:
    behind = ["a"] if words == ["cut"] else []
    done = penstock(*words, "--errors", "collect", "lines.ndjson", *behind)
    assert done.code == 1
    assert done.err.startswith("lines.ndjson:2:7: expected a value, found 'tru' (record 2, at a)\n")
    assert done.err.endswith("lines.ndjson: 1 record left out\n")


def test_keys_that_are_repeated(penstock: Command, folder: Path) -> None:
    (folder / "a.json").write_text('{"x": {"c": 1, "c": 2}}')
    assert penstock("check", "a.json").code == 0
    done = penstock("check", "--duplicates", "error", "a.json")
    assert done.out.startswith('a.json:1:16: the key "c" occurs more than once (record 1, at x/c)')
    assert (done.err, done.code) == ("a.json: 1 problem in 1 record\n", 1)


def test_repairs(penstock: Command) -> None:
    assert penstock("count", "a.xml").code == 1
    done = penstock("head", "--repair", "bare_ampersand", "a.xml")
    assert done.out == '{"a": "x & y"}\n'
    assert (done.err, done.code) == ("a.xml: 1 fault repaired: bare_ampersand 1\n", 0)
    done = penstock("check", "--repair", "short-rows", "rows.csv")
    assert (done.out, done.code) == ("", 0)
    assert done.err == (
        "rows.csv: no problems in 2 records\nrows.csv: 1 fault repaired: short_rows 1\n"
    )
    done = penstock("outline", "--repair", "all", "rows.csv")
    assert done.out.endswith('size   2  text    "3"\n')
    done = penstock("format", "--compact", "--repair", "all", "a.xml")
    assert done.out.endswith("<r><a>x &amp; y</a></r>")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["check", "--skip-rows", "1", "cities.json"],
            (
                "cities.json: --skip-rows is for CSV, and this is read as JSON; if it is CSV, "
                "say --format csv"
            ),
        ),
        (
            ["count", "--no-header", "a.xml"],
            "a.xml: --no-header is for CSV, and this is read as XML; if it is CSV, say --format csv",
        ),
        (
            ["outline", "--framing", "sequence", "--format", "csv", "rows.csv"],
            "rows.csv: --framing is for NDJSON, and this is read as CSV",
        ),
        (
            ["head", "--duplicates", "error", "rows.csv"],
            "rows.csv: --duplicates is for JSON, NDJSON and plist, and this is read as CSV",
        ),
        (
            ["format", "--repair", "all", "cities.json"],
            "cities.json: --repair is for CSV, XML and plist, and this is read as JSON",
        ),
        (
            ["head", "--repair", "nul,magic", "rows.csv"],
            (
                "--repair must be 'all' or some of 'short_rows', 'long_rows', 'stray_quotes', "
                "'bare_cr', 'nul', 'trailing_delimiter', not 'magic'"
            ),
        ),
        (
            ["head", "--dialect", "infer", "-d", ";", "rows.csv"],
            "--dialect infer finds the delimiter and the header by itself: leave out --delimiter",
        ),
        (
            ["head", "-d", "infer", "rows.csv"],
            "the delimiter cannot be 'infer': say --dialect infer instead",
        ),
        (
            ["head", "--skip-rows", "x", "rows.csv"],
            "argument --skip-rows: 'x' is not a number of lines",
        ),
    ],
)
def test_flags_that_do_not_fit(penstock: Command, words: list[str], message: str) -> None:
    done = penstock(*words)
    assert (done.out, done.code) == ("", 2)
    assert done.err.splitlines()[0] == f"penstock {words[0]}: {message}"


def test_repeated_keys(penstock: Command, folder: Path) -> None:
    (folder / "twice.ndjson").write_text('{"a": 1, "a": 2}\n{"a": 3}\n')
    to = ("twice.ndjson", "-", "--to", "ndjson")
    assert penstock("convert", *to).out == '{"a":1,"a":2}\n{"a":3}\n'
    for which, first in (("first", 1), ("last", 2)):
        done = penstock("convert", "--duplicates", which, *to)
        assert (done.out, done.err, done.code) == (f'{{"a":{first}}}\n{{"a":3}}\n', "", 0)
        done = penstock("convert", "--duplicates", which, "--flatten", *to[:3], "csv")
        assert (done.out, done.err, done.code) == (f"a\n{first}\n3\n", "", 0)
        done = penstock("format", "--duplicates", which, "twice.ndjson")
        assert done.out == f'{{"a":{first}}}\n{{"a":3}}\n'
        done = penstock("cut", "--duplicates", which, "twice.ndjson", "a", "--raw")
        assert done.out == f"{first}\n3\n"
        assert penstock("count", "--duplicates", which, "twice.ndjson").out == "2\n"
    problem = 'twice.ndjson:1:10: the key "a" occurs more than once (record 1, at a)'
    for words in (
        ("convert", *to),
        ("convert", "--flatten", *to),
        ("format", "twice.ndjson"),
        ("cut", "twice.ndjson", "a"),
        ("count", "twice.ndjson"),
    ):
        done = penstock(words[0], "--duplicates", "error", *words[1:])
        assert (done.out, done.code) == ("", 1), words
        assert problem in done.err, words
        done = penstock(words[0], "--duplicates", "error", "--errors", "skip", *words[1:])
        assert done.code == 1, words
        assert "1 record left out" in done.err, words
    done = penstock("convert", "--duplicates", "last", "rows.csv", "-", "--to", "json")
    assert done.err.startswith("penstock convert: rows.csv: --duplicates is for JSON, NDJSON and ")
    assert penstock("outline", "--duplicates", "last", "twice.ndjson").code == 2
