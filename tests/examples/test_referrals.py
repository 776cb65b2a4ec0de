"""`examples/referrals` on a real table, compared with the csv module."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/referrals/referrals.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The example, finished."""
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_sites_and_kinds(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    table = corpus("csv/nyc311.csv")
    visits: Counter[str] = Counter()
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            page = row["Referrer"]
            host = "unknown" if page.startswith("[") else urlsplit(page).hostname or page
            visits[host.removeprefix("www.")] += int(row["Referrals"].replace(",", ""))
    image = tmp_path / "referrals.png"
    done = run(table, "--plot", image)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    kinds, title, largest, last = lines[:4], lines[4], lines[5:-1], lines[-1]
    amounts = {
        name: int(amount.replace(",", "")) for amount, name in (k.split(None, 1) for k in kinds)
    }
    government = sum(n for host, n in visits.items() if f".{host}".endswith(".gov.uk"))
    assert sum(amounts.values()) == visits.total() == 18_190_216
    assert amounts["government"] == government
    assert amounts["unknown"] == 3_563_419
    assert largest == [f"{n:>12,}  {host}" for host, n in visits.most_common(15)]
    del visits["unknown"]
    number = int(title.removesuffix(" of them:").rpartition(" ")[2].replace(",", ""))
    ordered = [n for _, n in visits.most_common()]
    assert sum(ordered[: number - 1]) < 0.9 * visits.total() <= sum(ordered[:number])
    assert last == f"plotted to {image}"
    assert image.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_count_that_is_no_number_is_an_error_with_its_place(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(
        b'#,Referrer,Referrals\n1,http://a.example/b,"1,234"\n2,http://c.example,"12,34"\n'
    )
    done = run(table)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == (
        f'penstock.ValidationError: {table}:3:20: expected int, got "12,34": "," must separate'
        " groups of three digits (record 2, at Referrals)"
    )
