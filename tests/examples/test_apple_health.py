"""`examples/apple_health` on a real export, compared with a tree parser."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/apple_health/activity.py"


def run(*arguments: str | Path) -> list[str]:
    """The output of the example."""
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_activity_of_each_day(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    export = corpus("xml/real/export6s3sample.xml")
    steps: defaultdict[str, float] = defaultdict(float)
    walked: defaultdict[str, float] = defaultdict(float)
    for record in ET.parse(export).getroot().iter("Record"):
        kind, day = record.get("type", ""), record.get("startDate", "")[:10]
        if kind.endswith("StepCount"):
            steps[day] += float(record.get("value", ""))
        elif kind.endswith("DistanceWalkingRunning"):
            walked[day] += float(record.get("value", ""))
    image = tmp_path / "activity.png"
    *lines, last = run(export, "--plot", image)
    days = sorted(steps.keys() | walked.keys())
    assert [line.split(maxsplit=1)[1] for line in lines] == [
        f"{day}  {steps[day]:>7,.0f} steps  {walked[day]:6.2f} km" for day in days
    ]
    assert len(days) == 2
    assert last == f"plotted to {image}"
    assert image.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_what_is_broken_is_repaired_and_told(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    whole = corpus("xml/real/export6s3sample.xml").read_bytes()
    broken = tmp_path / "export.xml"
    broken.write_bytes(
        whole.replace(b"<!ELEMENT Record (", b"<!ELEMENT Record ((", 1).replace(
            b'sourceName="Health"', b'sourceName="He\x0balth"', 1
        )
    )
    *days, subset, control = run(broken)
    assert days == run(corpus("xml/real/export6s3sample.xml"))
    assert subset.startswith("repaired: broken_subset at line ")
    assert control.startswith("repaired: control_character at line ")
