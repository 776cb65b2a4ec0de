"""The charts are what their scripts draw from the recorded runs, and the page shows them.

`python scripts/chart.py` and `python scripts/performance.py` draw them again.
"""

import importlib
import re
import sys
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
chart, measured, overview, performance, svg = (
    importlib.import_module(name)
    for name in ("chart", "measured", "overview", "performance", "svg")
)

SVG = "{http://www.w3.org/2000/svg}"
CHARTS = chart.CHARTS | performance.CHARTS
PANELS = {"chart": chart.README, "remote": chart.REMOTE} | {
    f"performance-{name}": panels for name, (_, panels) in measured.PANELS.items()
}
PAGE = performance.PAGE.read_text("utf-8")


@pytest.mark.parametrize("name", CHARTS)
def test_the_pictures_are_what_the_scripts_draw(name: str):
    for scheme in svg.COLOURS:
        assert svg.path(name, scheme).read_text("utf-8") == CHARTS[name](scheme)


@pytest.mark.parametrize("name", CHARTS)
def test_pictures_for_light_and_for_dark_pages_differ_in_colours_only(name: str):
    light, dark = (CHARTS[name](kind) for kind in ("light", "dark"))
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "#", light) == re.sub("#[0-9a-f]{6}", "#", dark)
    assert not re.search(r"href|url\(|@import|<script|<image", light)


@pytest.mark.parametrize("name", PANELS)
def test_every_bar_is_as_long_as_its_number(name: str):
    root = ElementTree.fromstring(CHARTS[name]("light"))
    rects = iter(root.iter(f"{SVG}rect"))
    for panel in PANELS[name]:
        bars = chart.bars(panel)
        longest = max(bar.value for bar in bars)
        for bar in bars:
            width = float(next(rects).get("width", ""))
            scaled = bar.value / longest * (chart.WIDTH - chart.LEFT - chart.RIGHT)
            assert width == pytest.approx(max(scaled, 2), abs=0.06)
    assert next(rects, None) is None


@pytest.mark.parametrize("name", PANELS)
def test_the_numbers_are_also_told_to_those_who_do_not_see_them(name: str):
    description = ElementTree.fromstring(CHARTS[name]("light")).findtext(f"{SVG}desc") or ""
    for panel in PANELS[name]:
        assert panel.title in description
        for bar in chart.bars(panel):
            assert f"{bar.name}: {chart.shown(bar)}" in description


@pytest.mark.parametrize("name", measured.PANELS)
def test_the_tables_of_a_chart_are_folded_below_it(name: str):
    title, panels = measured.PANELS[name]
    shown = svg.markdown(f"performance-{name}", title)
    assert PAGE.count(shown) == 1
    folded = PAGE.partition(shown)[2].partition("<details>")[2].partition("</details>")[0]
    for panel in panels:
        assert f"<!-- {panel.record}: {panel.row}, {panel.variant}, {panel.what} -->" in folded


def test_the_chart_of_addresses_is_above_its_tables():
    page = (ROOT / "docs/remote.md").read_text("utf-8")
    below = page.partition(svg.markdown("remote", chart.REMOTE_TITLE))[2].partition("\n## ")[0]
    for panel in chart.REMOTE:
        assert f"<!-- {panel.record}: {panel.row}, {panel.variant}, {panel.what} -->" in below


def test_the_page_begins_with_its_message_and_the_overview():
    shown = svg.markdown("performance-overview", overview.TITLE)
    begin = PAGE.partition("\n## ")[0]
    assert begin.startswith(f"# Performance\n\n{performance.summary()}")
    assert shown in begin


def test_the_overview_is_beside_the_fastest_of_the_others():
    results = {job.title: overview.result(job) for job in overview.JOBS["Read into objects"]}
    assert results["CSV, all columns"].other == "csv.reader, lists"
    assert results["JSON, 80 MB of cities"].other == "msgspec Struct"
    # What is slower has its place, too.
    assert results["JSON, 60 bytes that do not fit"].times < 0.2
    drawn = overview.drawn("light")
    for title, (_, other) in results.items():
        assert f">{escape(title)}</text>" in drawn
        assert f">{escape(other)}</tspan>" in drawn


def test_the_scale_of_the_overview_is_the_same_in_both_directions():
    for times in (2, 10):
        right = overview.place(times) - overview.EVEN
        assert overview.EVEN - overview.place(1 / times) == pytest.approx(right)
