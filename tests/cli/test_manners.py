"""How the command line behaves among others: streams, pipes, signals, exit codes."""

import gzip
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as library

COMMANDS = "'head', 'count', 'check', 'plan', 'costs', 'completion'"


def test_version(penstock: Callable[..., Any]):
    for flag in ("--version", "-V"):
        done = penstock(flag)
        assert (done.out, done.err, done.code) == (f"penstock {library.__version__}\n", "", 0)


def test_without_a_command_it_says_what_there_is(penstock: Callable[..., Any]):
    done = penstock()
    assert (done.out, done.code) == ("", 2)
    assert done.err == penstock("--help").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count", "--nonsense", "a"], "penstock count: there is no option '--nonsense'\n"),
        (
            ["head", "a", "--filter", "b"],
            "penstock head: there is no option '--filter'; --where of 'head', 'count', 'cut' and ",
        ),
        (
            ["head", "a", "--limti=3"],
            "penstock head: there is no option '--limti'; did you mean '--limit'?\n",
        ),
        (
            ["count", "--form", "json", "a"],
            "penstock count: there is no option '--form'; did you mean '--format'?\n",
        ),
        (["head", "-n", "-1", "a"], "penstock head: argument -n/--limit: "),
        (["head", "-n", "1.5", "a"], "penstock head: argument -n/--limit: '1.5' is not a number"),
        (
            ["head", "--format", "yaml", "a"],
            "penstock head: argument --format: 'yaml' is not a format: 'json', 'ndjson', 'xml', 'csv' and 'plist' ",
        ),
        (["haed", "a"], "penstock: there is no command 'haed'; did you mean 'head'?\n"),
        (
            ["tail", "a"],
            "penstock: there is no command 'tail'; 'penstock head --all FILE | tail' prints the last",
        ),
        (
            ["grep", "a"],
            "penstock: there is no command 'grep'; 'penstock head --all FILE | grep WORD' finds",
        ),
        (
            ["where", "a"],
            "penstock: there is no command 'where'; --where of 'head', 'count', 'cut' and 'conve",
        ),
        (
            ["sort", "a"],
            "penstock: there is no command 'sort'; 'penstock cut -r FILE PATH | sort' sorts ",
        ),
        (
            ["diff", "a"],
            "penstock: there is no command 'diff'; 'penstock format --canonical FILE' writes ",
        ),
        (
            ["sample", "a"],
            "penstock: there is no command 'sample'; 'penstock head --all FILE | shuf -n 10' draws",
        ),
        (["validate"], "penstock: there is no command 'validate'; 'check' finds every problem\n"),
        (["xyz"], "penstock: there is no command 'xyz'; the commands are outline, schema, "),
        (["count", "--namespace", "a", "b"], "penstock count: argument --namespace: 'a' is not"),
        (["head", "--fields", "a,,b", "c"], "penstock head: argument --fields: 'a,,b' has an"),
    ],
)
def test_usage(penstock: Callable[..., Any], words: list[str], message: str):
    done = penstock(*words)
    assert (done.out, done.code) == ("", 2)
    first, second = done.err.splitlines()
    assert f"{first}\n".startswith(message)
    assert re.fullmatch(r"Try 'penstock( \w+)? --help'\.", second)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["count", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["count", "nowhere"], "nowhere: No such file or directory"),
        (
            ["count", "data"],
            "data: the folder holds no file whose name ends as JSON, NDJSON, XML, CSV or plist",
        ),
        (["count", "no*.json"], "no*.json: no file matches"),
        (
            ["count", "file:///a/c.json"],
            "file:///a/c.json: name the file by its path, /a/c.json",
        ),
        (
            ["count", "nothing://a/b.json"],
            "nothing://a/b.json: Protocol not known: nothing",
        ),
        (["count", "--namespace", "a=urn:a", "cities.json"], "cities.json: --namespace is for XML"),
        (["count", "empty"], "cannot tell the format of empty: say --format"),
        (
            ["count", "a.parquet"],
            "a.parquet: Penstock writes Parquet, and reads JSON, NDJSON, XML, CSV and plist",
        ),
        (["count", "a.yml.gz"], "a.yml.gz: Penstock has no YAML: its formats are JSON, NDJSON, "),
        (["count", "packed"], "cannot tell the format of packed: say --format"),
        (["count", "a\x1b[2Jb"], "a\\x1b[2Jb: No such file or directory"),
        (["count", "--at", "/a", "cities.json"], 'at="/a", column 1: '),
    ],
)
def test_what_cannot_be_opened(
    penstock: Callable[..., Any], folder: Path, words: list[str], message: str
):
    (folder / "data").mkdir()
    for name in ("empty", "a.parquet", "a.yml.gz"):
        (folder / name).touch()
    (folder / "a.plist").touch()
    (folder / "packed").write_bytes(gzip.compress(b"[]"))
    done = penstock(*words)
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith(f"penstock count: {message}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "words", "count"),
    [
        (b"[1, 2, 3]", [], 3),
        (b'{"a":\n[1, 2]}', [], 1),
        (b"\n1\n2\n", [], 2),
        (b"[1]\n[2]\n", [], 2),
        (b"<a><b/><b/></a>", [], 2),
        (b"\xef\xbb\xbf<a><b/></a>", [], 1),
        (gzip.compress(b"1\n2\n", mtime=0), ["--format", "ndjson"], 2),
        (b"[1, 2]", ["--format", "ndjson"], 1),
    ],
)
def test_standard_input(
    penstock: Callable[..., Any], folder: Path, data: bytes, words: list[str], count: int
):
    done = penstock("count", *words, "-", stdin=data)
    assert (done.out, done.err, done.code) == (f"{count}\n", "", 0)
    # If the name does not give the format, a file is examined in the same way.
    (folder / "file").write_bytes(data)
    assert penstock("count", *words, "file").out == f"{count}\n"


def test_errors_in_standard_input(penstock: Callable[..., Any]):
    done = penstock("count", "-", stdin=b"[1,\n2,]")
    assert done.err == (
        "<stdin>:2:3: expected a value after ',', found ']'\n  |\n2 | 2,]\n  |   ^\n"
    )
    assert (done.out, done.code) == ("", 1)
    done = penstock("count", "-")
    assert done.err == "penstock count: cannot tell the format of <stdin>: say --format\n"


def test_standard_input_needs_no_name_if_data_is_piped_in(shell: Callable[..., Any]):
    assert shell("cat cities.ndjson | penstock count") == ("2\n", "", 0)
    assert shell("penstock count < cities.ndjson") == ("2\n", "", 0)
    nothing = "penstock count: name a FILE, or pipe data into the command\n"
    hint = "Try 'penstock count --help'.\n"
    assert shell("penstock count < /dev/null") == ("", nothing + hint, 2)
    assert shell("penstock count <&-") == ("", nothing + hint, 2)


def test_files_may_stand_among_the_options(shell: Callable[..., Any]):
    both = "3\tcities.json\n2\tcities.ndjson\n5\ttotal\n"
    for words in (
        "-q cities.json cities.ndjson",
        "cities.json -q cities.ndjson",
        "cities.json cities.ndjson -q",
        "'cities.*json'",
        ".",
    ):
        out = both.replace("\tc", "\t./c") if words == "." else both
        assert shell(f"penstock count {words}") == (out, "", 0)


def test_several_files_come_in_order(penstock: Callable[..., Any], folder: Path):
    more = folder / "more"
    more.mkdir()
    (more / "2.ndjson").write_text("1\n2\n")
    (more / "1.json").write_text("[3, 4]")
    (more / ".hidden.json").write_text("[5]")
    (more / "notes.txt").write_text("no data")
    assert penstock("head", "-n", "3", "more").out == "3\n4\n1\n"
    assert penstock("head", "more/2.ndjson", "more/1.json").out == "1\n2\n3\n4\n"
    (more / "3.json").write_text("[6, }")
    done = penstock("head", "more/*.json")
    assert (done.out, done.code) == ("3\n4\n6\n", 1)
    assert done.err.startswith("more/3.json:1:5: expected a value, found '}'")
    done = penstock("check", "more")
    assert done.code == 1
    assert done.err == (
        "more/1.json: no problems in 2 records\n"
        "more/2.ndjson: no problems in 2 records\n"
        "more/3.json: 1 problem; nothing after it can be read\n"
    )


def test_pipes_and_substitutions(shell: Callable[..., Any]):
    assert shell("cat cities.ndjson | penstock count -") == ("2\n", "", 0)
    assert shell("penstock count <(cat cities.ndjson)") == ("2\n", "", 0)
    assert shell("penstock count - < cities.ndjson") == ("2\n", "", 0)


def test_records_come_as_they_come_in(
    command: list[str], environment: dict[str, str], folder: Path
):
    with subprocess.Popen(
        [*command, "head", "-"],
        cwd=folder,
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"1\n2\n")
        process.stdin.flush()
        time.sleep(0.5)
        process.stdin.write(b"3\n")
        process.stdin.close()
        assert process.stdout.read() == b"1\n2\n3\n"


def test_a_broken_pipe_is_no_error(shell: Callable[..., Any], folder: Path):
    (folder / "many.ndjson").write_text('{"a": "not a number"}\n' * 50_000)
    assert shell("set -o pipefail; penstock head -n 50000 many.ndjson | head -1") == (
        '{"a": "not a number"}\n',
        "",
        0,
    )
    out, err, code = shell(
        "set -o pipefail; penstock check -q --into models:City many.ndjson | head -1"
    )
    assert out.startswith("many.ndjson:1:")
    assert (err, code) == ("", 0)


def test_output_that_cannot_be_written(shell: Callable[..., Any]):
    full = "standard output: No space left on device\n"
    assert shell("penstock count cities.json > /dev/full") == ("", f"penstock count: {full}", 2)
    assert shell("penstock head cities.json >&-") == (
        "",
        "penstock head: standard output is closed\n",
        2,
    )
    assert shell("penstock count - <&-") == (
        "",
        "penstock count: standard input is closed\n",
        2,
    )
    # There is no stream left for the message.
    assert shell("penstock count nowhere.json 2>&-") == ("", "", 2)


def test_an_interrupt_ends_it_quietly(
    command: list[str], environment: dict[str, str], folder: Path
):
    words = ["count", "--format", "ndjson", "--progress", "always", "-"]
    with subprocess.Popen(
        # The tests may run with SIGINT ignored.
        ["env", "--default-signal=INT", *command, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"1\n")
        process.stdin.flush()
        # The first thing drawn shows that it waits for more input.
        shown = os.read(process.stderr.fileno(), 1)
        process.send_signal(signal.SIGINT)
        shown += process.stderr.read()
        assert process.wait(timeout=30) == 130
        assert process.stdout.read() == b""
        assert b"Traceback" not in shown
        assert shown.endswith(b"\r\x1b[K")


def test_reports_are_in_colour_where_that_is_wanted(penstock: Callable[..., Any]):
    words = ("check", "-q", "--into", "models:City", "cities.json")
    plain = penstock(*words).out
    assert "\x1b" not in plain
    coloured = penstock(*words, FORCE_COLOR="1").out
    assert coloured.startswith(
        "\x1b[1mcities.json:3:34: \x1b[0m\x1b[1;31mexpected int, got a string\x1b[0m"
        "\x1b[2m (record 2, at 1/population)\x1b[0m\n\x1b[34m  |\x1b[0m\n"
    )
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert penstock(*words, FORCE_COLOR="1", NO_COLOR="1").out == plain


def test_a_source_that_fails_is_not_the_data(shell: Callable[..., Any]):
    # Reading the memory of a process at address 0 fails, at the first byte.
    out, err, code = shell("penstock count --format json /proc/self/mem")
    assert (out, code) == ("", 2)
    assert "Input/output error" in err
