"""The page of the documentation is what the command line does."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)[ ]?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
BLOCKS = [match.groups() for match in BLOCK.finditer(PAGE)]
HELP = [(title, text) for kind, title, text in BLOCKS if kind == "text"]


@pytest.mark.parametrize(("title", "text"), HELP, ids=[title for title, _ in HELP])
def test_the_page_prints_the_help(penstock: Callable[..., Any], title: str, text: str) -> None:
    done = penstock(*title.split()[1:])
    assert (done.out, done.err, done.code) == (text, "", 0)


def test_the_page_has_the_help_of_every_command(penstock: Callable[..., Any]) -> None:
    offered = re.findall(r"^  ([\w-]+)  ", penstock("--help").out, re.MULTILINE)
    assert [title for title, _ in HELP] == [
        "penstock --help",
        *(f"penstock {name} --help" for name in offered),
    ]


def test_what_the_page_shows_is_what_is_shown(folder: Path, shell: Callable[..., Any]) -> None:
    shown = 0
    for kind, title, text in BLOCKS:
        if title and kind != "text":
            (folder / title).write_text(text)
        if kind != "console":
            continue
        # The commands of a block run in one shell, so that each sees the exit code of the one
        # before.
        lines = text.splitlines()
        script = "\n".join(
            f"code=$?; printf '%s\\n' {shlex.quote(line)}; (exit $code); {line.removeprefix('$ ')}"
            for line in lines
            if line.startswith("$ ")
        )
        assert shell(f"exec 2>&1\n{script}").out == text
        shown += 1
    assert shown == 27
