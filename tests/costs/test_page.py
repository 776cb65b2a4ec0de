"""The page prints the recorded numbers and describes the current rows."""

import importlib.util
import re
from pathlib import Path

from penstock.costs.record import Record
from penstock.costs.rows import GROUPS, ROWS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "costs.md").read_text("utf-8")


def test_the_page_is_what_is_generated():
    spec = importlib.util.spec_from_file_location("costs", ROOT / "bench" / "costs.py")
    assert spec is not None
    assert spec.loader is not None
    costs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(costs)
    assert costs.page(PAGE) == PAGE
    # Without a match, the comparison above would pass for any page.
    assert len(costs.SHOWN.findall(PAGE)) == 1
    assert costs.GROUP.findall(PAGE) == [*GROUPS, "faults"]


def test_the_record_has_every_row_and_each_is_believed():
    found = re.search(r"^```text penstock costs --show (\S+)$", PAGE, re.MULTILINE)
    assert found is not None
    record = Record.read((ROOT / "bench" / "record" / found[1]).read_bytes())
    assert [row.name for row in record.rows] == [row.name for row in ROWS]
    assert [row.name for row in record.rows if row.fault] == []
    assert record.machine.build == "release"
