"""The recipes for the shell print what their page shows."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "recipes_shell.md").read_text(encoding="utf-8")
HEAD, *PARTS = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", HEAD, re.MULTILINE | re.DOTALL)
RECIPES = [
    (title, re.findall(r"^```console\n(.*?)^```$", part, re.MULTILINE | re.DOTALL))
    for title, part in zip(PARTS[::2], PARTS[1::2], strict=True)
]


@pytest.mark.parametrize(("title", "consoles"), RECIPES, ids=[title for title, _ in RECIPES])
def test_a_recipe_prints_what_the_page_shows(
    folder: Path, shell: Callable[..., Any], title: str, consoles: list[str]
) -> None:
    (text,) = consoles
    assert title.endswith("?")
    for name, content in FILES:
        (folder / name).write_text(content)
    # The commands of a recipe run in one shell, so that each sees the exit code of the one before.
    script = "\n".join(
        f"code=$?; printf '%s\\n' {shlex.quote(line)}; (exit $code); {line.removeprefix('$ ')}"
        for line in text.splitlines()
        if line.startswith("$ ")
    )
    assert shell(f"exec 2>&1\n{script}").out == text
