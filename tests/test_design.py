"""DESIGN.md lists all questions and dependencies, and ARCHITECTURE.md stays short."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/internals/design"
DESIGN = (ROOT / "DESIGN.md").read_text("utf-8")


def anchor(heading: str) -> str:
    """The anchor that GitHub and the documentation give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_each_question_is_in_the_list() -> None:
    listed = re.findall(
        r"^- \[(.+)\]\(docs/internals/design/(\w+\.md)#(.+)\)$", DESIGN, re.MULTILINE
    )
    answered = [
        (question, page.name, anchor(question))
        for page in FOLDER.glob("*.md")
        for question in re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(listed) > 100
    assert sorted(listed) == sorted(answered)


def test_each_page_is_in_the_documentation() -> None:
    contents = (FOLDER / "index.md").read_text("utf-8").partition("{toctree}")[2]
    pages = {page.stem for page in FOLDER.glob("*.md")} - {"index"}
    assert set(re.findall(r"^(\w+)$", contents, re.MULTILINE)) == pages


def test_each_dependency_has_a_reason() -> None:
    reasons = DESIGN.partition("\n## Dependencies\n")[2]
    for manifest in ROOT.glob("crates/*/Cargo.toml"):
        declared = tomllib.loads(manifest.read_text("utf-8"))
        kinds = ("dependencies", "dev-dependencies", "build-dependencies")
        for name in {name for kind in kinds for name in declared.get(kind, {})}:
            assert name.startswith("penstock-") or f"`{name}`" in reasons, name


def test_the_map_is_read_in_seven_minutes() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").split()) <= 1500
