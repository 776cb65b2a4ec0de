"""Measures today's wheel beside that of another commit: is a row slower than it was?

    make compare REF=f74a2fb                             the default rows, five rounds
    make compare REF=main ROWS="objects open"            two rows
    make compare REF=main ARGS="--rounds 11 --allowed 5"

Both wheels run with the same interpreter and the same benchmark: that of today's tree. Only
Penstock's own cases are measured. Each is measured three times in every round: with the commit's
wheel, with the same wheel again, and with today's. The second measurement shows how much two equal
things differ on this machine. A row counts as slower if it is slower by more than this difference
plus the percent that are allowed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import inputs
import kinds
import rounds
import rows
import table
import verdict
from model import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import Case, Row, Variant

ROOT = inputs.ROOT
CACHE = ROOT / ".cache" / "compare"

DEFAULT = (
    "objects",
    "cities",
    "plain",
    "wide",
    *(kind.key for kind in kinds.ALL),
    "xml-records",
    "xml-check",
    "stream",
    "open",
)


@dataclass(slots=True)
class Compared:
    """One case under one condition, and its samples by leg."""

    row: str
    case: str
    variant: str
    samples: dict[str, list[float]] = field(
        default_factory=lambda: {leg: [] for leg in verdict.LEGS}
    )

    @property
    def is_whole(self) -> bool:
        """Whether every leg was measured in every round."""
        first, *others = (len(samples) for samples in self.samples.values())
        return first > 0 and all(other == first for other in others)

    @property
    def name(self) -> str:
        """The row, and the case and condition of this line."""
        case = "" if self.case == OURS else self.case.removeprefix(f"{OURS} ")
        return ", ".join(filter(None, (self.row, case, self.variant)))

    def judged(self, allowed: float) -> tuple[float, float, bool]:
        """Return the ratio, the spread, and whether that is slower than allowed."""
        before, again, today = (self.samples[leg] for leg in verdict.LEGS)
        times, apart = verdict.ratio(before, again, today), verdict.spread(before, again)
        return times, apart, verdict.is_slower(times, apart, allowed)


# The wheels.


def run(*command: str | Path, **environment: str) -> str:
    """Run a command in the repository and return what it wrote; its errors are shown."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode().strip()


def wheel_of(commit: str) -> Path:
    """Return the release wheel of a commit, built in a worktree of its own if it is not there."""
    folder = CACHE / commit
    tree, out = folder / "tree", folder / "wheel"
    if found := sorted(out.glob("*.whl")):
        return found[-1]
    if not tree.exists():
        run("git", "worktree", "add", "--quiet", "--force", "--detach", tree, commit)
    say(f"building the wheel of {commit[:12]}")
    # A half-built wheel does not count as built.
    partial = folder / "partial"
    shutil.rmtree(partial, ignore_errors=True)
    run(
        Path(sys.executable).with_name("maturin"),
        *("build", "--release", "--quiet", "--interpreter", sys.executable),
        *("--manifest-path", tree / "crates/penstock-python/Cargo.toml", "--out", partial),
        # All commits use one target folder, so that the dependencies are built only once.
        CARGO_TARGET_DIR=str(CACHE / "target"),
    )
    partial.rename(out)
    return next(out.glob("*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    """Install a wheel, and nothing else, into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index")
    run(*pip, "--no-compile", "--target", folder, wheel)
    # All wheels start with compiled bytecode.
    run(sys.executable, "-m", "compileall", "-q", folder)
    where = run(sys.executable, "-c", "import penstock; print(penstock.__file__)", **path(folder))
    if not Path(where).is_relative_to(folder):
        raise SystemExit(f"{where} is imported, and not what is in {folder}")
    return folder


def path(folder: Path) -> dict[str, str]:
    """Return the environment in which a folder's packages come before those installed."""
    return {"PYTHONPATH": str(folder)}


# The measurements.


def say(text: str) -> None:
    """Show the current step, if there is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def compare(row: Row, sites: dict[str, Path], turns: int, allowed: float) -> Iterator[Compared]:
    """Measure a row with all wheels and print its lines; yield the results."""
    cases = [case for case in row.cases if OURS in case.modules]
    outcome = rounds.Outcome(row)
    variants = [variant for variant in row.variants if variant.quick]
    for variant in variants:
        say(f"{row.key}: input of {variant.name}")
        rounds.ask(outcome, variant, [])
    found = {
        (case.name, variant.name): Compared(row.key, case.name, variant.name)
        for case in cases
        for variant in variants
    }
    for turn in range(turns):
        for variant in variants:
            for group in [cases] if row.together else [[case] for case in cases]:
                say(f"{row.key}: round {turn + 1} of {turns}, {variant.name}")
                for leg in verdict.order(turn):
                    samples = measured(outcome, variant, group, sites[leg])
                    for case, sample in samples.items():
                        found[case, variant.name].samples[leg].append(sample)
    say("")
    for compared in found.values():
        if compared.is_whole:
            print(line(compared, allowed), flush=True)
            yield compared
        elif compared.samples["before"]:
            # The commit's wheel comes first in a round, so it could be measured.
            print(f"{compared.name:<40} FAILED with today's wheel", flush=True)
            yield compared
    for note in outcome.notes:
        print(f"  note: {note}", flush=True)


def measured(
    outcome: rounds.Outcome, variant: Variant, group: list[Case], site: Path
) -> dict[str, float]:
    """Measure some cases with one of the wheels, in a fresh process."""
    standing = [case for case in group if (case.name, variant.name) not in outcome.failed]
    if not standing:
        return {}
    os.environ.update(path(site))
    try:
        answer = rounds.ask(outcome, variant, standing)
    finally:
        del os.environ["PYTHONPATH"]
    metric = outcome.row.metrics[0]
    return {name: sample[metric] for name, sample in answer.items()}  # type: ignore[index]


def line(compared: Compared, allowed: float) -> str:
    """Return the line of a case: how long it took, the ratio, the spread and the verdict."""
    times, apart, slower = compared.judged(allowed)
    before = statistics.median(compared.samples["before"] + compared.samples["again"])
    today = statistics.median(compared.samples["today"])
    words = "SLOWER THAN ALLOWED" if slower else "ok"
    numbers = f"{table.number(before):>9} {table.number(today):>9}  {times:6.3f}x"
    return f"{compared.name:<40} {numbers}  +- {100 * apart:4.1f} %  {words}"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [row.key for row in rows.ALL if row.measure != "start"]
    parser.add_argument("commit", help="the commit to compare with, as git knows it")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {', '.join(known)}")
    parser.add_argument("--rounds", type=int, default=5, help="rounds per row (5)")
    parser.add_argument(
        "--allowed",
        type=float,
        default=verdict.ALLOWED,
        help=f"percent beyond the spread ({verdict.ALLOWED:g})",
    )
    parser.add_argument(
        "--wheel", type=Path, help="today's wheel, if it is not the one that `make build` made"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.rows) - set(known))
    if unknown:
        parser.error(f"no row is called {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def main() -> int:
    """Build, measure and print; return the exit status."""
    options = arguments()
    commit = run("git", "rev-parse", "--verify", f"{options.commit}^{{commit}}")
    # `make build` keeps one for each environment.
    own = ROOT / ".cache" / "wheel" / Path(sys.prefix).name.removeprefix(".")
    wheel = options.wheel or next(own.glob("*.whl"))
    before = installed(wheel_of(commit), CACHE / commit / "site")
    sites = {"before": before, "again": before, "today": installed(wheel, CACHE / "today")}
    head = f"{'(ms)':<40} {commit[:9]:>9} {'today':>9}   ratio    spread"
    print(f"{options.rounds} rounds, {options.allowed:g} % allowed beyond the spread\n{head}")
    found: list[Compared] = []
    for row in rows.ALL:
        if row.key in (options.rows or DEFAULT):
            found += compare(row, sites, options.rounds, options.allowed)
    slower = [
        compared.name
        for compared in found
        if not compared.is_whole or compared.judged(options.allowed)[2]
    ]
    print(f"\nslower than allowed: {'; '.join(slower) or 'none'} (of {len(found)} measured)")
    return 1 if slower or not found else 0


if __name__ == "__main__":
    sys.exit(main())
