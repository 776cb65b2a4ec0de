"""The tables of the simulation in `docs/scale.md` are what its script prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")


def test_the_simulation_prints_the_tables_of_the_page() -> None:
    script = ROOT / "examples/cluster/simulation.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    files, parts = done.stdout.strip().split("\n\n")
    page = (ROOT / "docs/scale.md").read_text("utf-8")
    assert f"\n\n{files}\n\n" in page
    assert f"\n\n{parts}\n\n" in page
