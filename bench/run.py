"""Measures Penstock beside its peers and beside the floor, in one run, and prints the table.

    make bench                                     every row, five rounds
    .venv/bin/python bench/run.py objects cities   two rows
    .venv/bin/python bench/run.py --quick          two rounds, nothing that takes minutes
    .venv/bin/python bench/run.py --record         also keep the samples in bench/record

How to read the numbers, and what each row includes, is in `bench/README.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import machine
import rounds
import rows
import table

RECORDS = Path(__file__).with_name("record")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [row.key for row in rows.ALL]
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(known)}")
    parser.add_argument("--rounds", type=int, help="rounds per row (5, or 2 with --quick)")
    parser.add_argument("--quick", action="store_true", help="two rounds, no 1 GB inputs")
    parser.add_argument(
        "--record",
        nargs="?",
        type=Path,
        const=RECORDS / f"{machine.slug()}-{machine.description()['date']}.json",
        metavar="FILE",
        help="write all samples as JSON, to bench/record if no file is named",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if a bar is missed or a case fails"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.rows) - set(known))
    if unknown:
        parser.error(f"no row is called {', '.join(unknown)}; there are {', '.join(known)}")
    options.rounds = options.rounds or (2 if options.quick else 5)
    return options


def say(text: str) -> None:
    """Show what is being measured, where there is someone to see it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def record(path: Path, outcomes: list[rounds.Outcome]) -> None:
    """Write every sample, with the machine and the versions, for later comparison."""
    kept = {
        "machine": machine.description(),
        "versions": machine.versions(),
        "rows": {
            outcome.row.key: {
                "title": outcome.row.title,
                "samples": [
                    {"case": case, "variant": variant, "rounds": samples}
                    for (case, variant), samples in outcome.samples.items()
                ],
                "bars": [table.judged(outcome, bar) for bar in outcome.row.bars],
                "notes": outcome.notes,
            }
            for outcome in outcomes
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def missed(outcome: rounds.Outcome) -> bool:
    """Tell whether a bar of this row was missed, or a case failed or was wrong."""
    if any("WRONG: " in note or "FAILED: " in note for note in outcome.notes):
        return True
    for bar in outcome.row.bars:
        try:
            if not bar.kept(bar.value(outcome.median)):
                return True
        except KeyError:
            continue
    return False


def main() -> int:
    """Measure and print; return the exit status."""
    options = arguments()
    print(table.heading(machine.description(), machine.versions()))
    outcomes = []
    for row in rows.ALL:
        if options.rows and row.key not in options.rows:
            continue
        outcome = rounds.run(row, options.rounds, say, quick=options.quick)
        say("")
        print(table.block(outcome), flush=True)
        outcomes.append(outcome)
    if options.record:
        record(options.record, outcomes)
        print(f"\nrecorded in {options.record}")
    return 1 if options.strict and any(map(missed, outcomes)) else 0


if __name__ == "__main__":
    sys.exit(main())
