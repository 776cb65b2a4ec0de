"""`penstock count`."""

import bz2
import gzip
import lzma
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("a.json", '[1, "a", null, true, [2, [{}]], {"a": [1e400]}]', 6),
        ("a.json", '{"a": 1}', 1),
        ("a.json", "[]", 0),
        ("a.ndjson", '1\n\n{"a": 2}\n[3]', 3),
        ("a.xml", "<a><b>1</b>text<b/><c x='1'/></a>", 3),
    ],
)
def test_all_kinds_of_records(
    penstock: Callable[..., Any], folder: Path, name: str, text: str, count: int
):
    (folder / name).write_text(text)
    done = penstock("count", name)
    assert (done.out, done.err, done.code) == (f"{count}\n", "", 0)


def test_at(penstock: Callable[..., Any]):
    assert penstock("count", "--at", "*/name", "cities.json").out == "3\n"
    for command, out in (("count", "0\n"), ("head", ""), ("check", "")):
        done = penstock(command, "-q", "--at", "*/zip", "cities.json")
        assert (done.out, done.code) == (out, 1)
        assert done.err == (
            f"penstock {command}: cities.json: nothing matches --at '*/zip'; "
            "'penstock outline' shows the paths of a file\n"
        )


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("$.a", "a"),
        ("$.features[0]['my id']", "features/0/my id"),
        ("$..name", "//name"),
        (".[]", "*"),
        (".items[].id", "items/*/id"),
        ("item", "*"),
        ("features.item.id", "features/*/id"),
    ],
)
def test_paths_of_others_are_translated(penstock: Callable[..., Any], given: str, meant: str):
    done = penstock("count", "--at", given, "cities.json")
    assert done.code == 1
    assert done.err.endswith(f"nothing matches --at {given!r}; did you mean --at {meant!r}?\n")


def test_a_path_of_others_that_is_no_path(penstock: Callable[..., Any]):
    done = penstock("count", "--at", "$[*].name", "cities.json")
    assert (done.out, done.code) == ("", 2)
    assert done.err == (
        "penstock count: at=\"$[*].name\", column 3: '*' stands for a whole name; the character "
        "itself is written '~2'; did you mean --at '*/name'?\n"
    )


def test_namespaces(penstock: Callable[..., Any], folder: Path):
    (folder / "a.xml").write_text("<a xmlns:m='urn:m'><m:b/><c><m:b/></c></a>")
    done = penstock("count", "--at", "//m:b", "a.xml")
    assert (done.out, done.code) == ("", 2)
    assert done.err == (
        "penstock count: at=\"//m:b\", column 3: the prefix 'm' is not among the namespaces: say "
        "--namespace m=URI, or write '*:' for 'm:'\n"
    )
    assert penstock("count", "--at", "//*:b", "a.xml").out == "2\n"
    assert penstock("count", "--at", "//x:b", "--namespace", "x=urn:m", "a.xml").out == "2\n"


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed(
    penstock: Callable[..., Any], folder: Path, suffix: str, pack: Callable[[bytes], bytes]
):
    (folder / f"a.ndjson.{suffix}").write_bytes(pack(b"1\n2\n"))
    assert penstock("count", f"a.ndjson.{suffix}").out == "2\n"


def test_a_member_of_an_archive(penstock: Callable[..., Any], folder: Path):
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("a.json", "[1, 2]")
        archive.writestr("b.ndjson", "1\n2\n3\n")
    assert penstock("count", "--member", "a.json", "--format", "json", "all.zip").out == "2\n"
    done = penstock("count", "--format", "json", "all.zip")
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith("penstock count: all.zip")


def test_encoding(penstock: Callable[..., Any], folder: Path):
    (folder / "a.json").write_bytes('["Zürich"]'.encode("latin-1"))
    assert penstock("count", "a.json").code == 1
    assert penstock("count", "--encoding", "latin1", "a.json").out == "1\n"
    done = penstock("count", "--encoding", "nonsense", "a.json")
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith("penstock count: ")


def test_what_is_malformed_has_no_count(penstock: Callable[..., Any], folder: Path):
    (folder / "a.json").write_text('[{"a": 1}, {"a": tru}]')
    done = penstock("count", "a.json")
    assert done.out == ""
    assert done.err == (
        "a.json:1:18: expected a value, found 'tru' (record 2, at 1/a)\n"
        "  |\n"
        '1 | [{"a": 1}, {"a": tru}]\n'
        "  |                  ^\n"
    )
    assert done.code == 1


@pytest.mark.parametrize("command", ["count", "head", "check"])
def test_where_the_time_went(penstock: Callable[..., Any], command: str) -> None:
    done = penstock(command, "-q", "--timing", "cities.json")
    seconds = r"\d+\.\d{3} s"
    line = rf"source {seconds}, scan {seconds}, build {seconds}; {seconds} in all\n"
    assert re.fullmatch(line, done.err)
    assert done.out == penstock(command, "-q", "cities.json").out


LINES = "".join(f'{{"n": {n}, "name": "{n:x}"}}\n' for n in range(60_000))
LARGE = {
    "large.ndjson": LINES,
    "large.json": f"[{LINES.replace(chr(10), ',')[:-1]}]",
    "large.csv": "n,name\n" + "".join(f'{n},"{n:x}\n"\n' for n in range(60_000)),
    "large.xml": "<l>" + "".join(f'<i n="{n}">{n:x}</i>' for n in range(60_000)) + "</l>",
}


@pytest.mark.parametrize("threads", [[], ["--threads", "1"], ["--threads", "3"]])
@pytest.mark.parametrize("name", LARGE)
def test_any_number_of_threads_counts_the_same(
    penstock: Callable[..., Any], folder: Path, name: str, threads: list[str]
):
    (folder / name).write_text(LARGE[name])
    done = penstock("count", *threads, name)
    assert (done.out, done.err, done.code) == ("60000\n", "", 0)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_any_number_of_threads_finds_the_same_problems(
    penstock: Callable[..., Any], folder: Path, threads: str
):
    lines = LINES.splitlines(keepends=True)
    lines[40_000] = '{"n": 1, "name": [3, x]}\n'
    lines[55_000] = "[1,\n"
    (folder / "bad.ndjson").write_text("".join(lines))
    done = penstock("check", "-q", "--threads", threads, "bad.ndjson")
    places = [line for line in done.out.splitlines() if line.startswith("bad.ndjson")]
    assert places == [
        "bad.ndjson:40001:22: expected a value, found 'x' (record 40001, at name)",
        "bad.ndjson:55001:4: the line ends inside a value (record 55001, at 1)",
    ]


@pytest.mark.parametrize("wrong", ["0", "257", "-1", "many"])
def test_what_is_no_number_of_threads(penstock: Callable[..., Any], wrong: str):
    done = penstock("count", "--threads", wrong, "cities.json")
    assert done.code == 2
    assert f"{wrong!r} is not a number of threads from 1 to 256" in done.err


@pytest.mark.parametrize(
    ("most", "counted", "left_out"),
    [("1", 1, "1 record"), ("2", 2, "2 records"), ("3", 2, "3 records"), ("4", 3, "3 records")],
)
@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_last_problem_that_is_wanted(
    penstock: Callable[..., Any],
    folder: Path,
    threads: str,
    most: str,
    counted: int,
    left_out: str,
) -> None:
    (folder / "bad.ndjson").write_text("1\n[tru]\n2\nx\n[3\n4\n")
    flags = ("--threads", threads, "--max-errors", most, "bad.ndjson")
    done = penstock("count", "--errors", "skip", *flags)
    more = ", and --max-errors ends here" if most != "4" else ""
    assert done.err == f"bad.ndjson: {left_out} left out{more}\n"
    assert (done.out, done.code) == (f"{counted}\n", 1)
    done = penstock("count", "-q", "--errors", "collect", *flags)
    assert done.err.count("bad.ndjson:") == min(int(most), 3)
    assert (done.out, done.code) == (f"{counted}\n", 1)


def test_the_last_problem_ends_all_files(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.ndjson").write_text("1\n[tru]\n2\n")
    done = penstock(
        "count", "--errors", "skip", "--max-errors", "1", "cities.json", "bad.ndjson", "none.json"
    )
    assert done.out == "3\tcities.json\n1\tbad.ndjson\n4\ttotal\n"
    assert (done.err, done.code) == (
        "bad.ndjson: 1 record left out, and --max-errors ends here\n",
        1,
    )


def test_problems_that_are_not_left_out_have_no_number(penstock: Callable[..., Any]) -> None:
    done = penstock("count", "--max-errors", "1", "cities.json")
    assert (done.out, done.code) == ("", 2)
    assert done.err == "penstock count: --max-errors is for --errors skip or collect\n"
