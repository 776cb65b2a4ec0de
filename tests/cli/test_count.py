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
