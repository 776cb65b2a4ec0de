"""The picture of the command line shows what the commands print now.

`python scripts/terminal.py` draws it again.
"""

import importlib
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
svg, terminal = (importlib.import_module(name) for name in ("svg", "terminal"))

SVG = "{http://www.w3.org/2000/svg}"
TEXT = svg.path("terminal", "light").read_text("utf-8")


@pytest.mark.thread_unsafe(reason="a child process")
def test_the_picture_is_of_what_the_commands_print() -> None:
    session = terminal.captured()
    for scheme in svg.COLOURS:
        assert svg.path("terminal", scheme).read_text("utf-8") == terminal.drawn(scheme, session)


def test_an_error_is_shown_with_its_place() -> None:
    root = ElementTree.fromstring(TEXT)
    (caret,) = [span for span in root.iter(f"{SVG}tspan") if span.text == "^"]
    line = next(span for span in root.iter(f"{SVG}tspan") if "37,424" in (span.text or ""))
    column = (line.text or "").index('"37,424"')
    assert float(caret.get("x", "")) == pytest.approx(
        float(line.get("x", "")) + column * terminal.COLUMN
    )


def test_colours_are_taken_off_and_kept() -> None:
    assert list(terminal.spans("\x1b[1;31mno\x1b[0m yes")) == [("1;31", "no"), ("", " yes")]
    assert terminal.plain("\x1b[1;31mno\x1b[0m yes") == "no yes"


@pytest.mark.parametrize("page", ["README.md", "docs/command_line.md"])
def test_it_is_shown(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    remote = "https://raw.githubusercontent.com/penstock-data/penstock/main/docs/_static"
    folder = remote if page == "README.md" else "_static"
    assert svg.markdown("terminal", terminal.TITLE, folder) in text
