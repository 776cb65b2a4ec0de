"""Hold `penstock costs` to what it promises, and keep a run of it.

    make costs                     # measure twice: do the two agree, is each in time?
    make costs ARGS=--record       # measure once, and write the record and the page from it
    make costs ARGS=--page         # write the page from the record that is there

Two runs agree on a row if their intervals meet. Nine rows in ten must agree, otherwise the printed
spread would be wrong. The rows that are wrong on purpose must be caught.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from penstock.costs import compare, machine, measure, rows, table
from penstock.costs.record import Record

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "costs.md"
RECORDS = ROOT / "bench" / "record"

AGREE = 0.9
LONGEST = {True: 10.0, False: 60.0}
"""The seconds that a run may take, if it is quick and if it is not."""

WIDTH = 80
SHOWN = re.compile(r"^```text penstock costs --show (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GROUP = re.compile(
    r"^### (\w+)\n\n(?:<details>\n<summary>.*</summary>\n\n)?(?:\|.*\n)*(?:\n</details>\n\n?)?",
    re.MULTILINE,
)


def page(text: str) -> str:
    """Return the page with the table of its record and with the current rows."""

    def shown(found: re.Match[str]) -> str:
        record = Record.read((RECORDS / found[1]).read_bytes())
        printed = "\n".join(table.lines(record, WIDTH))
        return f"```text penstock costs --show {found[1]}\n{printed}\n```"

    def group(found: re.Match[str]) -> str:
        lines = explained(found[1])
        title = f"{len(lines) - 2} rows"
        opened = f"### {found[1]}\n\n<details>\n<summary>{title}</summary>\n\n"
        return opened + "".join(f"{line}\n" for line in lines) + "\n</details>\n\n"

    return GROUP.sub(group, SHOWN.sub(shown, text)).rstrip("\n") + "\n"


def explained(group: str) -> list[str]:
    """Return the explanations of the rows of a group, as a table."""
    lines = ["| row | what is done |", "|---|---|"]
    for row in (*rows.ROWS, *rows.WRONG):
        if row.group == group:
            statement = row.statement.replace("\n    ", " ").replace("\n", "; ")
            how = f"<br>`{statement}`" if statement else ""
            lines.append(f"| {row.name} | {row.means}{how} |")
    return lines


def measured(*, quick: bool) -> tuple[Record, bool]:
    """Measure, and return whether it was in time."""
    begun = time.monotonic()
    record = measure.measure(pace=measure.QUICK if quick else measure.FULL, say=say)
    say("")
    took = time.monotonic() - begun
    in_time = took <= LONGEST[quick]
    print(f"{took:.1f} s, {'in time' if in_time else 'TOO LONG'}")
    for row in record.rows:
        if row.fault:
            print(f"{row.name}: {row.fault}")
    return record, in_time


def say(text: str) -> None:
    """Show the current step, if there is a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def agreed(*, quick: bool) -> bool:
    """Measure twice, compare the second run with the first, and return whether all is well."""
    first, in_time = measured(quick=quick)
    second, also_in_time = measured(quick=quick)
    changes = compare.compared(second, first)
    for line in table.lines(second, 100, changes=changes):
        print(line)
    print(compare.summary(changes, second, first))
    same, known = compare.agreement(changes)
    caught = measure.self_test(rows.WRONG)
    for row in caught:
        print(f"{row.name}: {'caught' if row.is_caught else 'MISSED'}")
    return (
        in_time
        and also_in_time
        and same >= AGREE * known > 0
        and all(row.is_caught for row in caught)
    )


def main() -> int:
    """Follow the command line; return 1 if a promise was not kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="with quick runs")
    parser.add_argument("--record", action="store_true", help="keep a run, and write the page")
    parser.add_argument("--page", action="store_true", help="write the page from its record")
    arguments = parser.parse_args()
    if not (arguments.record or arguments.page):
        return 0 if agreed(quick=arguments.quick) else 1
    text = PAGE.read_text("utf-8")
    if arguments.record:
        name = f"costs-{machine.slug()}.json"
        record, _ = measured(quick=arguments.quick)
        (RECORDS / name).write_text(record.text(), "utf-8")
        text = re.sub(r"(?<=^```text penstock costs --show )\S+", name, text, flags=re.MULTILINE)
    PAGE.write_text(page(text), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
