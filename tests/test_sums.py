"""The pictures of the pages that compare libraries show the sums of their tables.

`python scripts/sums.py` draws them again.
"""

import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sums, svg = (importlib.import_module(name) for name in ("sums", "svg"))

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("page", sums.PAGES, ids=lambda page: page.name)
def test_the_picture_is_that_of_the_page(page: sums.Page) -> None:
    light, dark = (sums.drawn(scheme, page) for scheme in ("light", "dark"))
    assert svg.path(page.name, "light").read_text("utf-8") == light
    assert svg.path(page.name, "dark").read_text("utf-8") == dark
    assert re.sub("#[0-9a-f]{6}", "#", light) == re.sub("#[0-9a-f]{6}", "#", dark)
    text = (ROOT / "docs" / f"{page.name}.md").read_text("utf-8")
    assert svg.markdown(page.name, page.title) in text.partition("\n## ")[0]


@pytest.mark.parametrize("page", sums.PAGES, ids=lambda page: page.name)
def test_every_answer_is_in_a_bar(page: sums.Page) -> None:
    tables = sums.sums(page)
    assert len(tables) == 2
    for libraries in tables:
        assert libraries[0].library == "Penstock"
        assert len({sum(counts) for _, counts in libraries}) == 1
    # The three of the legend, and one for each part that is not empty.
    parts = [n for libraries in tables for _, counts in libraries for n in counts if n]
    rects = list(ElementTree.fromstring(sums.drawn("light", page)).iter(f"{SVG}rect"))
    assert len(rects) == 3 + len(parts)
    assert float(rects[3].get("width", "")) == pytest.approx(
        sums.LONG * tables[0][0].counts[0] / sum(tables[0][0].counts), abs=0.06
    )
