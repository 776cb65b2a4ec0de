"""Rounds: every case once per round, in turn, so that a noisy minute affects all of them.

The order within a round moves by one each time. The table shows the median over the rounds; the
record has all samples.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from model import Case, Row, Variant

WORKER = Path(__file__).with_name("worker.py")

STARTS = 8
"""Interpreters started per round by a row that measures starting."""


class WorkerFailed(Exception):
    """A case raised; the message is the last line of what its process wrote to stderr."""


@dataclass(slots=True)
class Outcome:
    """All results of one row."""

    row: Row
    samples: dict[tuple[str, str], list[dict[str, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    notes: list[str] = field(default_factory=list)
    failed: set[tuple[str, str]] = field(default_factory=set)

    def median(self, case: str, variant: str, metric: str = "ms") -> float:
        """Return the median of a metric over the rounds; KeyError if it was not measured."""
        samples = self.samples.get((case, variant))
        if not samples or metric not in samples[0]:
            raise KeyError((case, variant, metric))
        return statistics.median(sample[metric] for sample in samples)

    def leave_out(self, case: str, variant: str, why: str) -> None:
        """Note that a case cannot be measured under a variant."""
        self.failed.add((case, variant))
        note = f"{case}, {variant}: {why}" if variant else f"{case}: {why}"
        if note not in self.notes:
            self.notes.append(note)


def run(row: Row, rounds: int, say: Callable[[str], None], *, quick: bool = False) -> Outcome:
    """Make the inputs, check that all cases agree on every variant, then measure them.

    Each of these steps has its own processes, because making an input needs memory.
    """
    outcome = Outcome(row)
    cases = []
    for case in row.cases:
        absent = [name for name in case.modules if importlib.util.find_spec(name) is None]
        if absent:
            outcome.notes.append(f"{case.name}: {', '.join(absent)} is not installed")
        else:
            cases.append(case)
    variants = [variant for variant in row.variants if variant.quick or not quick]
    if row.measure == "start":
        measure_starts(outcome, cases, rounds, say)
        return outcome
    for variant in variants:
        say(f"{row.key}: input of {variant.name}")
        ask(outcome, variant, [])
    if row.values is not None:
        for variant in variants:
            if variant.name not in row.same:
                say(f"{row.key}: checking {variant.name}")
                check(outcome, cases, variant)
    for turn in range(rounds):
        say(f"{row.key}: round {turn + 1} of {rounds}")
        for variant in variants:
            if turn < variant.most:
                measure_round(outcome, cases, variant, turn)
    subtract_interpreter(outcome)
    return outcome


def check(outcome: Outcome, cases: list[Case], variant: Variant) -> None:
    """Leave out every case whose values differ from those of most cases."""
    digests: dict[str, str] = {}
    for case in cases:
        if case.checked:
            answer = ask(outcome, variant, [case], "--check")
            digests.update({name: str(found) for name, found in answer.items()})
    if not digests:
        return
    # If two answers are equally frequent, the last one wins, and ours is first: we are not the
    # judge.
    agreed = statistics.mode(reversed(digests.values()))
    for name, found in digests.items():
        if found != agreed:
            for other in outcome.row.variants:
                outcome.leave_out(name, other.name, "WRONG: its values differ from the others'")


def measure_round(outcome: Outcome, cases: list[Case], variant: Variant, turn: int) -> None:
    """Measure once every case that was not left out."""
    standing = [case for case in cases if (case.name, variant.name) not in outcome.failed]
    if not standing:
        return
    first = turn % len(standing)
    order = standing[first:] + standing[:first]
    for group in [order] if outcome.row.together else [[case] for case in order]:
        for name, sample in ask(outcome, variant, group).items():
            outcome.samples[name, variant.name].append(sample)  # type: ignore[arg-type]


def ask(outcome: Outcome, variant: Variant, cases: list[Case], *flags: str) -> dict[str, object]:
    """Measure or check in a fresh process; cases that fail are left out with a note."""
    names = [case.name for case in cases]
    try:
        answer = worker(outcome.row.key, variant.name, *flags, *names)
    except WorkerFailed as failure:
        for name in names:
            outcome.leave_out(name, variant.name, f"FAILED: {failure}")
        return {}
    taken = {}
    for name, found in answer.items():
        if isinstance(found, dict) and "left out" in found:
            outcome.leave_out(name, variant.name, found["left out"])
        else:
            taken[name] = found
    return taken


def worker(*arguments: str) -> dict[str, object]:
    """Run the worker; the last line of its output is its answer."""
    done = subprocess.run(
        [sys.executable, str(WORKER), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise WorkerFailed(lines[-1])
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


BARE = """
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmHWM:")).split()[1])
"""


def bare_mib() -> float:
    """Return the peak memory of an interpreter that does nothing."""
    done = [
        subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    return statistics.median(int(process.stdout) for process in done) / 1024


def subtract_interpreter(outcome: Outcome) -> None:
    """Subtract the bare interpreter's peak memory from that of the processes."""
    if "MiB" not in outcome.row.metrics:
        return
    bare = bare_mib()
    for samples in outcome.samples.values():
        for sample in samples:
            sample["MiB"] -= bare


def measure_starts(
    outcome: Outcome, cases: list[Case], rounds: int, say: Callable[[str], None]
) -> None:
    """Time interpreters that import one module and end, over the same that import none."""
    for turn in range(rounds * STARTS):
        if turn % STARTS == 0:
            say(f"{outcome.row.key}: round {turn // STARTS + 1} of {rounds}")
        bare = start("pass")
        for case in cases:
            statement = f"import {', '.join(case.modules)}"
            sample = {"ms": start(statement) - bare}
            outcome.samples[case.name, ""].append(sample)


def start(statement: str) -> float:
    """Return the milliseconds from starting an interpreter to its end."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return 1e3 * (time.perf_counter() - begin)
