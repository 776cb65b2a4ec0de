"""The chart in README is what its script draws from the recorded runs.

`python scripts/chart.py` draws it again.
"""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("chart", ROOT / "scripts/chart.py")
assert SPEC
assert SPEC.loader
chart = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(chart)

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=sorted(chart.COLOURS))
def scheme(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_picture_is_what_the_script_draws(scheme: str):
    assert chart.path(scheme).read_text("utf-8") == chart.drawn(scheme)


def test_there_is_a_picture_for_light_and_for_dark_pages_and_they_differ_in_colours_only():
    light, dark = (re.sub("#[0-9a-f]{6}", "#", chart.drawn(kind)) for kind in ("light", "dark"))
    assert light == dark
    assert chart.drawn("light") != chart.drawn("dark")


def test_every_bar_is_as_long_as_its_time(scheme: str):
    root = ElementTree.fromstring(chart.drawn(scheme))
    rects = iter(root.iter(f"{SVG}rect"))
    for panel in chart.PANELS:
        bars = chart.bars(panel)
        longest = max(bar.ms for bar in bars)
        for bar in bars:
            width = float(next(rects).get("width", ""))
            assert width == pytest.approx(
                bar.ms / longest * (chart.WIDTH - chart.LEFT - chart.RIGHT), abs=0.06
            )
    assert next(rects, None) is None


def test_the_numbers_are_also_told_to_those_who_do_not_see_them(scheme: str):
    root = ElementTree.fromstring(chart.drawn(scheme))
    description = root.findtext(f"{SVG}desc") or ""
    for panel in chart.PANELS:
        assert panel.title in description
        for bar in chart.bars(panel):
            assert f"{bar.name}: {chart.shown(bar.ms)}" in description


def test_nothing_is_fetched(scheme: str):
    assert not re.search(r"href|url\(|@import|<script|<image", chart.drawn(scheme))
