"""The command line of the fuzzers in Python: which runs there are, and for how long.

A run is named by its seed and its number. The same name is the same run, whether it comes in a
fixed number of runs or in a campaign that goes on for a time.
"""

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from itertools import count


def campaign(name: str, purpose: str, run: Callable[[str], None]) -> int:
    """Run what the command line asks for; 1 if one of the runs found something.

    `run` makes one class and its documents of the seed that it is given, and raises if something is
    wrong with what becomes of them. The first finding is the last run, and it is said how to repeat
    it.
    """
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--seconds", type=float, help="go on for this long, however many runs it is")
    asked.add_argument("--only", type=int, help="repeat only this one of the runs")
    options = parser.parse_args()
    begin = time.monotonic()
    numbers: Iterable[int] = range(options.runs)
    if options.only is not None:
        numbers = [options.only]
    elif options.seconds is not None:
        numbers = count()
    done = 0
    for number in numbers:
        try:
            run(f"{options.seed}/{number}")
        except Exception:  # noqa: BLE001 - whatever it is, it is a finding
            traceback.print_exc()
            again = f"--seed {options.seed} --only {number}"
            sys.stdout.write(f"{name:14} FAILED: repeat with fuzz/{name}.py {again}\n")
            return 1
        done += 1
        if options.seconds is not None and time.monotonic() - begin >= options.seconds:
            break
    seconds = time.monotonic() - begin
    sys.stdout.write(f"{name:14} {done:8} classes,                 {seconds:3.0f} s\n")
    return 0
