"""JSON has colours on a terminal, and nowhere else."""

import json
import os
import pty
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.json_colours import Painter, painted

Command = Callable[..., Any]

BERN = '{"name": "Bern", "population": 134591, "position": {"lat": 46.950}}\n'
PAINTED = (
    '{\x1b[1;34m"name"\x1b[0m: \x1b[32m"Bern"\x1b[0m, \x1b[1;34m"population"\x1b[0m: '
    '\x1b[36m134591\x1b[0m, \x1b[1;34m"position"\x1b[0m: {\x1b[1;34m"lat"\x1b[0m: '
    "\x1b[36m46.950\x1b[0m}}\n"
)
HEAD = ["head", "-n", "1", "cities.json"]


@pytest.fixture
def terminal(command: list[str], environment: dict[str, str], folder: Path) -> Callable[..., str]:
    """Run a command whose output is a terminal; return what it shows."""

    def run(*words: str, **variables: str) -> str:
        ours, theirs = pty.openpty()
        try:
            done = subprocess.run(
                [*command, *words],
                cwd=folder,
                env=environment | variables,
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=subprocess.PIPE,
                check=False,
                timeout=60,
            )
            assert done.stderr == b""
        finally:
            os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError:
            # The other end is closed.
            pass
        finally:
            os.close(ours)
        return shown.decode().replace("\r\n", "\n")

    return run


def test_on_a_terminal(terminal: Callable[..., str]) -> None:
    assert terminal(*HEAD) == PAINTED
    assert terminal(*HEAD, NO_COLOR="1") == BERN
    assert terminal(*HEAD, TERM="dumb") == BERN
    assert terminal(*HEAD, "--color", "never") == BERN
    assert terminal(*HEAD, "--color", "always", NO_COLOR="1") == PAINTED


def test_in_a_pipe(penstock: Command) -> None:
    assert penstock(*HEAD).out == BERN
    # This is for errors: a program that reads JSON wants none.
    assert penstock(*HEAD, FORCE_COLOR="1").out == BERN
    assert penstock(*HEAD, "--color", "always").out == PAINTED


def test_errors(penstock: Command) -> None:
    words = ["check", "--into", "models:City", "cities.json"]
    assert penstock(*words, "--color", "always").out.startswith("\x1b[1mcities.json:3:34: \x1b[0m")
    assert "\x1b" not in penstock(*words, "--color", "never", FORCE_COLOR="1").out


def test_other_commands_that_write_json(terminal: Callable[..., str]) -> None:
    key, text = '\x1b[1;34m"name"\x1b[0m', '\x1b[32m"Bern"\x1b[0m'
    line = f"{{{key}:{text}}}\n"
    assert terminal("cut", "cities.json", "name", "--to", "ndjson").startswith(line)
    assert terminal("convert", "cities.ndjson", "-", "--to", "ndjson").startswith(line)
    # The prompt stands on a line of its own.
    shown = terminal("format", "--compact", "cities.ndjson", "--color", "never")
    assert shown == '{"name":"Bern"}\n{"name":"Chur"}\n'
    shown = terminal("convert", "cities.ndjson", "-", "--to", "json", "--color", "never")
    assert shown == '[{"name":"Bern"},{"name":"Chur"}]\n'
    shown = terminal("convert", "cities.ndjson", "-", "--to", "json")
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == '[{"name":"Bern"},{"name":"Chur"}]\n'
    assert shown.endswith('\x1b[32m"Chur"\x1b[0m}]\n')
    assert "\x1b" not in terminal("convert", "cities.ndjson", "-", "--to", "xml")


def test_raw_text_cannot_drive_a_terminal(terminal: Callable[..., str], folder: Path) -> None:
    (folder / "a.json").write_text('["a\\tb\\u001b[2J"]')
    assert terminal("head", "-r", "a.json") == "a\tb\\x1b[2J\n"


def test_each_kind_of_value() -> None:
    text = '[true, false, null, -1.5e+3, "a\\"b\\\\", {"k" : "v"}, "x:"]'
    assert painted(text) == (
        "[\x1b[33mtrue\x1b[0m, \x1b[33mfalse\x1b[0m, \x1b[2mnull\x1b[0m, "
        '\x1b[36m-1.5e+3\x1b[0m, \x1b[32m"a\\"b\\\\"\x1b[0m, {\x1b[1;34m"k"\x1b[0m : '
        '\x1b[32m"v"\x1b[0m}, \x1b[32m"x:"\x1b[0m]'
    )


def test_any_cut_of_the_text_gives_the_same() -> None:
    values = [{"a b": [1, -2.5e-7, True, None, 'x"\\\u00e9\n:'], "": {"c": "d"}}, "e", 12]
    whole = json.dumps(values, ensure_ascii=False).encode()
    want = painted(whole.decode()).encode()
    assert re.sub(rb"\x1b\[[0-9;]*m", b"", want) == whole
    random.seed(7)
    for _ in range(300):
        cuts = sorted(random.choices(range(len(whole) + 1), k=random.randrange(6)))
        pieces: list[bytes] = []
        painter = Painter(pieces.append)
        for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
            painter.write(whole[begin:end])
        painter.end()
        assert b"".join(pieces) == want
