"""The chart: well formed, complete, and without anything from elsewhere."""

import io
import itertools
import re

import pytest

import penstock
from penstock.costs import plot
from penstock.costs.record import Record


def test_the_picture_is_xml_with_every_row(record: Record):
    picture = io.BytesIO(plot.svg(record).encode())
    texts = list(penstock.xml.read(picture, str, at="//text"))
    for row in record.rows:
        assert row.name in texts
        assert row.group in texts
    assert texts[0] == "What operations cost"
    assert "twice the work took 1.00 times as long" in texts
    assert {"0.250 ns", "3.44 ns", "< 0.31 ns", "53.5 ms"} <= set(texts)


def test_what_a_dot_stands_for(record: Record):
    titles = re.findall("<title>(.*)</title>", plot.svg(record))
    assert titles[2:4] == [
        "Python function: 17 ns, between 14.9 ns and 18.0 ns; the first time 590 ns",
        "call, direct: &lt; 0.31 ns, between 0 and 0.310 ns; the first time &lt; 44 ns",
    ]


def test_everything_is_inside_the_picture(record: Record):
    picture = plot.svg(record)
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', picture)
    assert found is not None
    width, height = map(int, found.groups())
    across = [float(x) for x in re.findall(r'\b(?:x|x1|x2|cx)="([-\d.]+)"', picture)]
    down = [float(y) for y in re.findall(r'\b(?:y|y1|y2|cy)="([-\d.]+)"', picture)]
    assert 0 <= min(across) <= max(across) <= width
    assert 0 <= min(down) <= max(down) <= height


def test_the_scale_is_logarithmic(record: Record):
    picture = plot.svg(record)
    lines = [float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]* class="grid"/>', picture)]
    steps = {round(right - left) for left, right in itertools.pairwise(lines)}
    assert len(lines) == 12
    assert steps <= {57, 58}


def test_the_page_has_the_picture_and_the_numbers(record: Record):
    page = plot.html(record)
    assert page.startswith("<!doctype html>")
    assert plot.svg(record) in page
    assert (
        "<tr><td>Python function</td><td>17 ns</td><td>10%</td><td>590 ns</td>"
        "<td>1.0 M</td><td>66</td></tr>"
    ) in page


@pytest.mark.parametrize("draw", [plot.svg, plot.html])
def test_nothing_is_fetched(record: Record, draw):  # noqa: ANN001 - one of the two
    written = draw(record).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|url\(|@import|<script|<link|<img", written)


def test_names_cannot_be_taken_for_tags(record: Record):
    record.machine.cpu = "<script>&"
    for written in (plot.svg(record), plot.html(record)):
        assert "<script>" not in written
        assert "&lt;script&gt;&amp;" in written


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.svg", plot.svg), ("a.b.HTML", plot.html), ("a.png", None), ("svg.", None)],
)
def test_the_name_says_the_kind(name: str, kind: object):
    assert plot.kind(name) is kind
