"""Starting is cheap: the command line imports only the modules that it needs."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Importing any of these costs more than a small file does.
SLOW = {
    "asyncio",
    "dataclasses",
    "inspect",
    "json",
    "pathlib",
    "penstock.costs",
    "rich",
    "shtab",
    "shutil",
    "subprocess",
    "threading",
    "traceback",
    "typing",
    "unicodedata",
    "zipfile",
}

# `site` imports some of them itself, so the program runs without it and gets the path.
PROGRAM = """\
import sys
sys.path[:0] = sys.argv[1].split("|")
from penstock.cli.__main__ import main
code = main(sys.argv[2:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["count", "cities.json"], set()),
        (["check", "cities.json"], set()),
        (["head", "cities.json"], {"json"}),
        (["completion", "bash"], set()),
    ],
)
def test_nothing_slow_is_imported(
    run: Callable[..., Any],
    words: list[str],
    needed: set[str],
):
    import penstock

    home = str(Path(penstock.__file__).parent.parent)
    done = run(sys.executable, "-I", "-S", "-c", PROGRAM, home, *words)
    assert done.code == 0
    loaded = set(done.err.splitlines()[-1].split())
    assert f"penstock.cli.{words[0]}" in loaded
    assert loaded & SLOW == needed


def test_only_the_parser_of_the_command_is_built() -> None:
    from penstock.cli.parser import parser

    every = tuple(parser().commands)
    assert every[0] == "outline"
    assert every[-1] == "help"
    for name in every[:-1]:
        assert tuple(parser(name).commands) == (name,)
        assert parser(name).commands[name].format_help() == parser().commands[name].format_help()
    for word in ("help", "haed", "--version", None):
        assert tuple(parser(word).commands) == every


def test_it_is_installed_as_a_program(run: Callable[..., Any]):
    program = Path(sys.executable).parent / "penstock"
    assert run(str(program), "count", "cities.json") == ("3\n", "", 0)
