"""What somebody at a shell tries first."""

from __future__ import annotations

import json
import os
import plistlib
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


pytestmark = pytest.mark.thread_unsafe(reason="the folder is the current one")


class Ended(NamedTuple):
    """What a process wrote, and its exit code."""

    out: str
    err: str
    code: int


@pytest.fixture
def penstock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run the command line in a folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ, "NO_COLOR": "1"}

    def run(*words: str) -> Ended:
        command = [sys.executable, "-m", "penstock", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return Ended(done.stdout, done.stderr, done.returncode)

    return run


def test_a_report_in_german_is_looked_at(penstock: Callable[..., Ended], tmp_path: Path) -> None:
    text = "Umsätze\n\nKunde;Betrag\nMüller;1,50\n"
    (tmp_path / "report.csv").write_bytes(text.encode("cp1252"))
    done = penstock("head", "report.csv", "--encoding", "cp1252", "--dialect", "infer")
    assert (done.out, done.code) == ('{"Kunde": "Müller", "Betrag": "1,50"}\n', 0)
    done = penstock("sniff", "report.csv")
    assert "If the file is not UTF-8, say its encoding, such as --encoding cp1252." in done.err
    assert done.code == 1


def test_a_dirty_log_is_counted_and_checked_for_programs(
    penstock: Callable[..., Ended], tmp_path: Path
) -> None:
    (tmp_path / "log.ndjson").write_text('{"type": "a"}\nhalf a li\n{"type": "b"}\n')
    done = penstock("count", "log.ndjson")
    assert (done.out, done.code) == ("", 1)
    done = penstock("count", "log.ndjson", "--errors", "skip")
    assert (done.out, done.err, done.code) == ("2\n", "log.ndjson: 1 record left out\n", 1)
    done = penstock("check", "log.ndjson", "--json")
    problem = json.loads(done.out)
    assert (problem["line"], problem["code"], done.code) == (2, "malformed", 1)


def test_columns_of_one_name_are_refused_and_nothing_is_written(
    penstock: Callable[..., Ended], tmp_path: Path
) -> None:
    (tmp_path / "twice.csv").write_text("a,b,a\n1,2,3\n")
    done = penstock("convert", "twice.csv", "twice.ndjson")
    assert done.err.startswith('twice.csv:1:5: the column "a" occurs more than once')
    assert done.code == 1
    assert not (tmp_path / "twice.ndjson").exists()


def test_property_lists_that_are_signed_or_binary(
    penstock: Callable[..., Ended], tmp_path: Path
) -> None:
    signed = bytes.fromhex("3082057906092a864886f70d010702a082056a") + b"\0" * 40
    (tmp_path / "wifi.mobileconfig").write_bytes(signed)
    done = penstock("head", "wifi.mobileconfig")
    assert done.err.startswith("penstock head: wifi.mobileconfig is signed: 'openssl cms -verify")
    data = plistlib.dumps({"Version": "7"}, fmt=plistlib.FMT_BINARY)
    (tmp_path / "Info.plist").write_bytes(data)
    done = penstock("format", "Info.plist")
    assert done.err.startswith(
        "penstock format: Info.plist: 'penstock convert FILE - --to json' prints a property list"
    )
    assert (tmp_path / "Info.plist").read_bytes() == data
    assert penstock("convert", "Info.plist", "-", "--to", "json").out == '{"Version":"7"}'
