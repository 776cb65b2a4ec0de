"""The completions that ship for shells match the parser."""

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as library
from penstock.cli.completion import FILES
from penstock.cli.parser import SHELLS

SCRIPT = Path(__file__).parents[2] / "scripts" / "completions.py"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_files_are_what_is_generated(penstock: Callable[..., Any], shell: str):
    spec = importlib.util.spec_from_file_location("completions", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    completions = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(completions)
    shipped = Path(library.__file__).parent / "cli" / "completions" / FILES[shell]
    assert shipped.read_text(encoding="utf-8") == completions.generated(shell)
    done = penstock("completion", shell)
    assert (done.out, done.err, done.code) == (shipped.read_text(encoding="utf-8"), "", 0)


def test_an_unknown_shell(penstock: Callable[..., Any]):
    done = penstock("completion", "csh")
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith("penstock completion: argument SHELL: invalid choice: 'csh'")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["c"], "count check convert cut costs completion"),
        (["head", "--p"], "--progress"),
        (["head", "--format", ""], "json ndjson xml csv plist"),
        (["count", "cities.n"], "cities.ndjson"),
        (["check", "--into", "models:City", "cities.j"], "cities.json"),
        (["completion", ""], "bash zsh fish"),
        (["help", "co"], "count convert costs completion"),
    ],
)
def test_bash_offers(folder: Path, words: list[str], offered: str):
    shipped = Path(library.__file__).parent / "cli" / "completions" / FILES["bash"]
    script = (
        'source "$0"; COMP_WORDS=(penstock "$@"); COMP_CWORD=$#; _shtab_penstock; '
        'echo "${COMPREPLY[*]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, str(shipped), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{offered}\n"
