"""A lack of memory, at each allocation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fresh
import pytest
from effort import often

pytest.importorskip("_testcapi")
pytestmark = pytest.mark.thread_unsafe(reason="what fails is a process of its own")

HERE = Path(__file__).parent


def run(program: str, *arguments: str, seconds: int = 100) -> subprocess.CompletedProcess[str]:
    """Run one of the programs beside this test."""
    return fresh.run(str(HERE / program), *arguments, seconds=seconds, RUST_BACKTRACE="0")


def said(done: subprocess.CompletedProcess[str]) -> tuple[int, list[str]]:
    """Return the exit status of a run and its output without the number of attempts."""
    # Show the case, the number of the last allocation, and any other output.
    sys.stderr.write(done.stderr[-2_000:])
    lines = done.stdout.splitlines()
    return done.returncode, [line for line in lines if not line.startswith("tried")]


@pytest.mark.timeout(300)
def test_each_allocation_may_fail() -> None:
    done = run("starve.py", seconds=280)
    assert said(done) == (0, [])
    tried = done.stdout.splitlines()[-1].split()
    # 3.13 allocates less often than 3.11, and 3.14 less often than that.
    assert int(tried[1]) > (5_500 if sys.version_info >= (3, 14) else 6_500)
    assert int(tried[4]) > 140


@pytest.mark.timeout(600)
def test_each_large_request_of_the_extension_may_fail() -> None:
    every = often(9, long=1)
    done = run("large.py", "--every", str(every), seconds=580)
    assert said(done) == (0, [])
    tried = done.stdout.splitlines()[-1].split()
    assert int(tried[1]) > 1_700 // every
    assert int(tried[4]) > 330


@pytest.mark.timeout(900)
def test_each_allocation_may_fail_where_nothing_was_made_before(
    request: pytest.FixtureRequest,
) -> None:
    if not request.config.getoption("--cold"):
        pytest.skip("takes minutes: asked for with --cold")
    assert said(run("starve.py", "--cold", seconds=800)) == (0, [])


def test_what_is_left_behind_is_found() -> None:
    status, lines = said(run("starve.py", "leaving"))
    assert status == 0
    assert lines
    assert all("leaves 100 blocks" in line for line in lines)


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="each version has its own faults")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("compile", "SystemError\n"),
        ("substitute", ""),
        ("context", ""),
        ("regular expression", "SystemError\n"),
        ("time zone", "RuntimeError\n"),
        ("capture", "1 left behind each time\n"),
        ("arguments", "3 left behind each time\n"),
        ("copy", "2 left behind each time\n"),
    ],
)
def test_faults_of_the_interpreter_that_are_left_out(name: str, expected: str) -> None:
    done = run("interpreter.py", name)
    assert done.stdout == expected
    if not expected:
        assert done.returncode < 0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="3.11 does not have it")
def test_a_fault_of_the_interpreter_that_is_provided_for() -> None:
    # It was mended in 3.14.
    lost = 0 if sys.version_info >= (3, 14) else 100
    assert run("interpreter.py", "function").stdout == f"{lost} references lost\n"


@pytest.mark.skipif(sys.version_info[:2] != (3, 14), reason="each version has its own faults")
def test_a_fault_of_3_14_that_is_left_out() -> None:
    assert run("interpreter.py", "substitute in a union").returncode < 0


STARVE = HERE.parents[1] / "scripts" / "starve.py"


@pytest.mark.alone(reason="many processes, each of which uses what memory it gets")
@pytest.mark.timeout(900)
@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts address space")
@pytest.mark.parametrize(
    ("which", "megabytes"),
    [("collected: ", (14, 38, 70)), ("deep: ", (38,)), ("kept: errors", (38,))],
)
def test_where_memory_ends_a_call_raises(which: str, megabytes: tuple[int, ...]) -> None:
    # However many small pieces are kept, and however deep a document is.
    command = [sys.executable, str(STARVE), "--only", which, *map(str, megabytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=880)
    faults = [line for line in done.stdout.splitlines() if line.startswith("    at")]
    assert faults == []
    assert done.returncode == 0
