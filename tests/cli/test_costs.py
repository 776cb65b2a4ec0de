"""`penstock costs`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as library

ROOT = Path(__file__).parents[2]
RECORD = next((ROOT / "bench" / "record").glob("costs-*.json"))


def test_a_group_is_measured_and_kept(penstock: Callable[..., Any], folder: Path):
    done = penstock(
        *("costs", "--quick", "--group", "counting", "--group", "clocks"),
        *("--json", "found.json", "--plot", "found.svg"),
    )
    # On a busy machine a row may fail its check.
    assert done.code in {0, 1}
    assert done.err == ""
    kept = json.loads((folder / "found.json").read_text())
    names = [row["name"] for row in kept["rows"]]
    assert names[0] == "atomic add"
    assert names[-1] == "datetime, Python"
    assert kept["machine"]["penstock"] == library.__version__
    told = [line for line in done.out.splitlines() if line.startswith("  ")]
    assert [line[2:28].strip() for line in told] == names
    assert (folder / "found.svg").read_text().startswith("<svg ")
    # The same table again, without measuring.
    assert penstock("costs", "--show", "found.json").out == done.out


def test_a_record_is_shown_and_drawn(penstock: Callable[..., Any], folder: Path):
    done = penstock("costs", "--show", str(RECORD), "--plot", "costs.html")
    assert (done.err, done.code) == ("", 0)
    assert "\n  integer add, latency" in done.out
    assert (folder / "costs.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_record_as_json(penstock: Callable[..., Any]):
    done = penstock("costs", "--show", str(RECORD), "--json", "-")
    assert (done.out, done.err, done.code) == (RECORD.read_text(), "", 0)
    again = penstock("costs", "--show", "-", stdin=done.out.encode())
    assert again.out == penstock("costs", "--show", str(RECORD)).out


def test_a_record_beside_another(penstock: Callable[..., Any]):
    done = penstock("costs", "--show", str(RECORD), "--compare", str(RECORD))
    assert done.code == 0
    last = done.out.splitlines()[-1]
    assert "(100%) agree within their spread, 0 are faster, 0 slower." in last


def test_only_a_group_of_a_record(penstock: Callable[..., Any]):
    done = penstock("costs", "--show", str(RECORD), "--group", "memory")
    lines = done.out.splitlines()
    assert "copy 16 B" in done.out
    assert "integer add" not in done.out
    # Ratios are relative to the first row shown.
    row = next(line for line in lines if "copy 16 B" in line)
    assert row.split()[-2] == "1"


def test_a_row_that_failed_its_check_is_an_error(penstock: Callable[..., Any], folder: Path):
    found = json.loads(RECORD.read_text())
    found["rows"][3]["fault"] = "twice the work took 1.00 times as long"
    (folder / "wrong.json").write_text(json.dumps(found))
    done = penstock("costs", "--show", "wrong.json")
    assert done.code == 1
    assert "  integer divide, latency    twice the work took" in done.out
    assert f"1 of {len(found['rows'])} rows failed their own check" in done.out


@pytest.mark.parametrize(
    ("colour", "expected"), [({"NO_COLOR": "1"}, False), ({"FORCE_COLOR": "1"}, True)]
)
def test_colour_is_asked_for(penstock: Callable[..., Any], colour: dict[str, str], expected: bool):
    assert ("\x1b[" in penstock("costs", "--show", str(RECORD), **colour).out) is expected


def test_the_table_is_as_wide_as_the_terminal(penstock: Callable[..., Any]):
    for width in (80, 120):
        done = penstock("costs", "--show", str(RECORD), COLUMNS=str(width))
        assert width - 20 < max(map(len, done.out.splitlines())) <= width


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "none.json"], "penstock costs: none.json: No such file or directory\n"),
        (
            ["--show", "cities.json"],
            "penstock costs: cities.json: not a record of penstock costs: ",
        ),
        (
            ["--compare", "none.json"],
            "penstock costs: none.json: No such file or directory\n",
        ),
        (
            ["--plot", "costs.png"],
            "penstock costs: costs.png: the name must end in .svg or .html\n",
        ),
        (["--show", str(RECORD), "--json", "no/where"], "penstock costs: no/where: No such file"),
        (["--group", "nonsense"], "penstock costs: argument --group: invalid choice: 'nonsense'"),
    ],
)
def test_what_cannot_be_done_is_said_before_measuring(
    penstock: Callable[..., Any], words: list[str], message: str
):
    done = penstock("costs", *words)
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith(message)
