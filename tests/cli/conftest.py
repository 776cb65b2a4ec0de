"""How the tests of the command line run it: in a process, in a folder of its own."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

# The settings of whoever runs the tests must not decide about colour and progress.
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in {"CI", "FORCE_COLOR", "NO_COLOR", "PYTHONSAFEPATH"}
} | {"COLUMNS": "80", "TERM": "xterm-256color"}

COMMAND = (sys.executable, "-m", "penstock")

MODELS = """\
from dataclasses import dataclass, field
from typing import Annotated

import penstock


@dataclass(slots=True)
class City:
    name: str
    population: int
    latitude: Annotated[float, penstock.at("position/lat")]
    twins: list[str] = field(default_factory=list)
"""

CITIES = """\
[
  {"name": "Bern", "population": 134591, "position": {"lat": 46.950}},
  {"name": "Chur", "population": "37,424", "position": {"lat": null}},
  {"name": "東京", "population": 13960000, "position": {"lat": 35.68}}
]
"""

LINES = '{"name": "Bern"}\n{"name": "Chur"}\n'


class Ended(NamedTuple):
    """What a process wrote, and its exit code."""

    out: str
    err: str
    code: int


Run = Callable[..., Ended]


@pytest.fixture
def command() -> list[str]:
    """The words that start the command line."""
    return list(COMMAND)


@pytest.fixture
def environment() -> dict[str, str]:
    """An environment that sets nothing about colour and progress."""
    return dict(CLEAN)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a class and cities in it, as the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "cities.json").write_text(CITIES, encoding="utf-8")
    (tmp_path / "cities.ndjson").write_text(LINES)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a program in the folder: `run("penstock", "count", "cities.json")`."""

    def run(*words: str, stdin: bytes = b"", **environment: str) -> Ended:
        done = subprocess.run(
            words,
            cwd=folder,
            env=CLEAN | environment,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Ended(done.stdout.decode(), done.stderr.decode(), done.returncode)

    return run


@pytest.fixture
def penstock(run: Run) -> Run:
    """Run the command line with some words: `penstock("count", "cities.json")`."""
    return partial(run, *COMMAND)


@pytest.fixture
def shell(run: Run) -> Run:
    """Run lines of the shell in which `penstock` is the command line."""
    known = f'penstock() {{ {shlex.join(COMMAND)} "$@"; }}'
    return lambda lines: run("bash", "-c", f"{known}\n{lines}")
