"""`llms.txt`, the map of the documentation for language models, leads to pages that there are."""

import re
from pathlib import Path

import penstock

DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "llms.txt").read_text("utf-8")
BASE = re.findall(r'^html_baseurl = "(.+)"$', (DOCS / "conf.py").read_text("utf-8"), re.MULTILINE)[
    0
]
LINKS = re.findall(r"^- \[[^\]]+\]\((.+?)\)", TEXT, re.MULTILINE)


def test_every_link_is_a_page() -> None:
    pages = [link.removeprefix(BASE).removesuffix(".html") for link in LINKS]
    assert [page for page in pages if not (DOCS / f"{page}.md").is_file()] == []
    assert len(set(pages)) == len(pages) > 50
    assert TEXT.count("https://") == len(LINKS)


def test_every_page_is_there() -> None:
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert {page for page in pages if f"{BASE}{page}.html" not in LINKS} == set()


def test_its_names_are_public() -> None:
    names = set(re.findall(r"`penstock\.([A-Za-z_.]+)", TEXT))
    assert len(names) > 10
    for name in names:
        value: object = penstock
        for part in name.split("."):
            value = getattr(value, part)


def test_its_form_is_that_of_the_proposal() -> None:
    lines = TEXT.splitlines()
    assert lines[0] == "# Penstock"
    assert lines[2].startswith("> ")
    assert [line for line in lines if line.startswith("## ")][-1] == "## Optional"
