"""How often, in which order, in how many processes."""

from __future__ import annotations

import json
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.costs import machine
from penstock.costs.record import Measurement, Record
from penstock.costs.rows import CYCLE, LOOP, ROWS
from penstock.costs.statistics import Times, cost, without_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.costs.machine import Machine
    from penstock.costs.rows import Row

ROUNDING = 0.9
"""The fastest plausible operation is checked against this part of the measured cycle."""


class Pace(NamedTuple):
    """How thorough to be."""

    processes: int
    """The number of processes, which run one after the other."""

    seconds: float
    """The time that each of them may take, from its start."""

    epoch: int
    """The least nanoseconds of the smaller of two measurements."""


FULL = Pace(processes=7, seconds=5.5, epoch=200_000)
QUICK = Pace(processes=5, seconds=1.0, epoch=100_000)


class WorkerFailed(Exception):
    """A measuring process ended with an error; the message is the last line of its output."""


def measure(
    groups: Sequence[str] = (),
    *,
    pace: Pace = FULL,
    rows: Sequence[Row] = ROWS,
    say: Callable[[str], None] = lambda _: None,
) -> Record:
    """Measure the rows of some groups, or of all.

    Raises:
        WorkerFailed: A measuring process failed.
        OSError: There is no room for the files, or no process can be started.
    """
    chosen = [row for row in rows if not groups or row.group in groups]
    names = [row.name for row in chosen]
    asked = {
        "rows": names if CYCLE in names else [CYCLE, *names],
        "epoch": max(pace.epoch, 1_000 * machine.resolution() // 4),
        "seconds": pace.seconds,
    }
    before = machine.state()
    answers = []
    # The folder for the rows about files. It is removed afterwards, however the run ends.
    with TemporaryDirectory(prefix="penstock-costs-") as folder:
        found = machine.machine(folder)
        for number in range(pace.processes):
            say(f"measuring, {number + 1} of {pace.processes}")
            answers.append(_ask({**asked, "seed": number}, folder))
    machine.note(found, before, machine.state())
    return judged(chosen, answers, found)


def judged(rows: Sequence[Row], answers: Sequence[dict[str, Any]], where: Machine) -> Record:
    """Combine the answers of the processes on a machine."""

    def times(name: str) -> list[Times]:
        return [Times(**answer["rows"][name]) for answer in answers]

    native, python = times(f"{LOOP} native"), times(f"{LOOP} Python")
    cycle = without_loop(times(CYCLE), native, native=True, waits=False).middle
    measurements = []
    for row in rows:
        missing = next((said for a in answers if (said := a["missing"].get(row.name))), None)
        if missing is not None:
            measurements.append(Measurement.missing(row, missing))
            continue
        kind = "Python" if row.statement else "native"
        runs = times(row.name)
        found = cost(
            runs,
            python if row.statement else native,
            [answer["empty"][f"{LOOP} {kind}"] for answer in answers],
            native=not row.statement,
            waits=row.waits,
            least=row.floor * cycle * ROUNDING if row.name != CYCLE else 0.0,
        )
        measurements.append(Measurement.of(row, found, runs))
    where.cycle_ns, where.processes = float(f"{cycle:.4g}"), len(answers)
    return Record(where, measurements)


def _ask(asked: dict[str, Any], folder: str) -> dict[str, Any]:
    """Measure in a fresh process, in a folder of its own."""
    done = subprocess.run(
        # The process must import nothing from the folder.
        [sys.executable, "-P", "-m", "penstock.costs.worker"],
        input=json.dumps(asked),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkerFailed((done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


class Caught(NamedTuple):
    """The result of a row that is wrong on purpose."""

    name: str

    said: str | None
    """The fault that the checks found; None if it passed them."""

    is_caught: bool
    """Whether that is the fault that it has."""


def self_test(rows: Sequence[Row], *, pace: Pace = QUICK) -> list[Caught]:
    """Measure rows that are wrong on purpose, and return their results."""
    record = measure(rows=rows, pace=pace)
    return [
        Caught(row.name, found.fault, row.catches in (found.fault or ""))
        for row, found in zip(rows, record.rows, strict=True)
    ]
