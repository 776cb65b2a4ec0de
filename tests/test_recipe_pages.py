"""The recipes of the documentation are listed on one page, and each has code that is run."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
INDEX = (DOCS / "recipes.md").read_text("utf-8")
PAGES = re.findall(r"\]\((recipes_\w+\.md)#", INDEX)
NAMES = list(dict.fromkeys(PAGES))


def recipes(name: str) -> list[tuple[str, str]]:
    """The question and the answer of each recipe."""
    parts = re.split(r"^## (.+)\n", (DOCS / name).read_text("utf-8"), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def anchor(title: str) -> str:
    """The anchor that Sphinx gives a heading, as GitHub does."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_there_are_no_other_pages() -> None:
    assert {path.name for path in DOCS.glob("recipes_*.md")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_list_has_every_question(name: str) -> None:
    listed = re.findall(rf"^- \[(.+)\]\({name}#(.+)\)$", INDEX, re.MULTILINE)
    assert [f"How do I {title}?" for title, _ in listed] == [title for title, _ in recipes(name)]
    assert [link for _, link in listed] == [anchor(title) for title, _ in recipes(name)]


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_short_and_have_code_that_runs(name: str) -> None:
    kind = "console" if name == "recipes_shell.md" else "python"
    for title, text in recipes(name):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert {language for language, _ in blocks} == {kind}, title
        lines = [line for _, block in blocks for line in block.splitlines() if line.strip()]
        assert len(lines) <= 24, title
        assert len(re.sub(r"```.*?```", "", text, flags=re.DOTALL)) < 500, title
