"""The pictures that explain show what really happens.

`python scripts/pictures.py` draws them again.
"""

import ast
import gzip
import importlib
import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

import penstock

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
chart, marked, performance, pictures, sums, svg = (
    importlib.import_module(name)
    for name in ("chart", "marked", "performance", "pictures", "sums", "svg")
)

PAGES = {
    "at": "paths.md",
    "byte": "internals/reading.md",
    "fields": "mapping.md",
    "split": "scale.md",
}


@pytest.mark.parametrize("name", PAGES)
def test_it_is_what_the_script_draws(name: str) -> None:
    title, draw = pictures.PICTURES[name]
    light, dark = (draw(scheme) for scheme in ("light", "dark"))
    assert svg.path(name, "light").read_text("utf-8") == light
    assert svg.path(name, "dark").read_text("utf-8") == dark
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "#", light) == re.sub("#[0-9a-f]{6}", "#", dark)
    assert not re.search(r"href|url\(|@import|<script|<image", light)
    page = (ROOT / "docs" / PAGES[name]).read_text("utf-8")
    folder = "../_static" if "/" in PAGES[name] else "_static"
    assert svg.markdown(name, title, folder) in page


@pytest.mark.parametrize("match", marked.MATCHES, ids=lambda match: match.at)
def test_a_path_matches_what_is_marked(match: marked.Match) -> None:
    lines = match.document.splitlines()
    places = list(marked.spots(match))
    shown = [lines[line][column:][:length] for line, column, length in places]
    assert shown == list(match.records)
    # Each at a place of its own.
    assert len(set(places)) == len(places)
    source = io.BytesIO(match.document.encode())
    if match.document is marked.SHOP:
        found = list(penstock.xml.read(source, str, at=match.at))
        assert found == [re.sub("<.+?>", "", text) for text in shown]
    else:
        assert list(penstock.json.read(source, at=match.at)) == [json.loads(t) for t in shown]


def test_a_file_is_split_where_it_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text(pictures.NOTES, "utf-8", newline="\n")
    read = [[row["id"] for row in part.read()] for part in penstock.split(path, parts=3)]
    assert read == [["1", "2"], ["3", "4", "5"], ["6", "7", "8"]]
    assert [first for _, first in pictures.parts()] == [1, 3, 6]
    for third in (1, 2):
        before = pictures.NOTES[: len(pictures.NOTES) * third // 3]
        assert before.count('"') % 2 == 1


@dataclass
class City:
    name: str
    latitude: Annotated[float, penstock.at("position/lat")]


def test_the_bytes_become_the_object() -> None:
    source = io.BytesIO(gzip.compress(pictures.GIVEN.encode()))
    assert source.getvalue()[:4].hex(" ") == "1f 8b 08 00"
    city = penstock.json.load(source, City)
    assert (city.name, city.latitude) == ("Bern", 46.95)
    assert pictures.STAGES[-1].holds == "City('Bern', 46.95)"


def test_the_fields_take_what_is_marked() -> None:
    namespace: dict[str, object] = {"__name__": __name__}
    exec(
        "from dataclasses import dataclass\nfrom typing import Annotated\nfrom penstock import at\n"
        + marked.CLASS,
        namespace,
    )
    station = penstock.decode(marked.STATION, namespace["Station"])
    taken = {name: [json.loads(text) for text in texts] for name, texts in marked.TAKEN.items()}
    assert {name: getattr(station, name) for name in taken} == {
        name: found if name == "sensors" else found[0] for name, found in taken.items()
    }


def test_no_picture_is_left_behind() -> None:
    drawn = {*chart.CHARTS, *performance.CHARTS, *pictures.PICTURES, *sums.CHARTS}
    paths = {svg.path(name, scheme) for name in drawn for scheme in svg.COLOURS}
    # Those have tests of their own.
    paths |= {svg.path(name, scheme) for name in ("formats", "terminal") for scheme in svg.COLOURS}
    assert set(svg.PICTURES.glob("*.svg")) == paths


def test_the_documentation_knows_the_form_of_a_picture() -> None:
    (form,) = [
        node.value.args
        for node in ast.parse((ROOT / "docs/conf.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.targets[0]) == "PICTURE"
    ]
    found = re.fullmatch(ast.literal_eval(form[0]), svg.markdown("at", "What is there"))
    assert found
    assert found.groupdict() == {
        "dark": "_static/at-dark.svg",
        "alt": "What is there",
        "light": "_static/at-light.svg",
    }
