"""The comparison of formats in docs/performance.md is what its script makes of a recorded run."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("formats", ROOT / "scripts/formats.py")
assert SPEC
assert SPEC.loader
formats = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(formats)


def test_the_page_and_the_charts_are_those_of_the_record() -> None:
    text = formats.PAGE.read_text("utf-8")
    record = formats.recorded(text)
    if record is None:
        # Nothing was recorded yet, and nothing is written by hand.
        assert "All formats side by side" not in text
        return
    assert text == formats.page(text, record)
    for scheme in formats.svg.COLOURS:
        picture = formats.svg.path("formats", scheme)
        assert picture.read_text("utf-8") == formats.picture(record, scheme)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record with round numbers."""

    def samples(scale: float, *, without: str = "") -> list[dict[str, Any]]:
        return [
            {
                "case": case,
                "variant": kind,
                "rounds": [
                    {"ms": scale * number * turn, "MB": 5.25 * number, "MiB": 100 * number}
                    for turn in (1, 2, 3)
                ],
            }
            for kind in formats.KINDS
            for number, case in enumerate(("penstock json", "json", "lxml"), 1)
            if case != without
        ]

    rows = {
        "formats-write": {"samples": samples(10)},
        "formats-read": {"samples": samples(1_000)},
        "formats-field": {"samples": samples(0.001)},
        "formats-middle": {"samples": samples(1, without="json")},
    }
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"rows": rows}))
    return path


def test_the_section(record: Path) -> None:
    before = "# Performance\n\nText.\n\n## Why it is fast\n\nMore.\n"
    page = formats.page(before, record)
    assert page.startswith("# Performance\n\nText.\n\n<!--formats: record.json-->\n## All formats")
    assert page.endswith("<!--formats end-->\n\n## Why it is fast\n\nMore.\n")
    tables = re.findall(r"^(?:\|.*\n)+", page, re.MULTILINE)
    table = (
        "| | write, ms | read, ms | one field, ms | the middle, ms | file, MB | memory, MiB |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n"
        "| **penstock json** | 20 | 2,000 | 0.002 | 2.0 | 5.2 | 100 |\n"
        "| json | 40 | 4,000 | 0.004 | - | 10.5 | 200 |\n"
        "| lxml | 60 | 6,000 | 0.006 | 6.0 | 15.8 | 300 |\n"
    )
    assert tables == [table, table]
    # Doing it again changes nothing.
    assert formats.page(page, record) == page
    assert formats.recorded(page) == ROOT / "bench" / "record" / "record.json"
    assert formats.recorded(before) is None


def test_the_chart(record: Path) -> None:
    root = ElementTree.fromstring(formats.picture(record, "light"))
    text = "".join(root.itertext())
    assert "100,000 songs of a real iTunes library" in text
    assert "penstock json: 2,020 ms; json: 4,040 ms; lxml: 6,060 ms." in text
    assert formats.picture(record, "light") != formats.picture(record, "dark")


def test_a_page_without_its_place(record: Path) -> None:
    with pytest.raises(SystemExit, match=r"^the page has no '## Why it is fast'$"):
        formats.page("# Performance\n", record)


def test_the_rows_of_the_benchmark() -> None:
    rows = (ROOT / "bench/rows/formats.py").read_text("utf-8")
    for row, _ in formats.COLUMNS.values():
        assert f'"formats-{row}"' in rows or f'row("{row}"' in rows
