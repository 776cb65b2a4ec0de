"""`penstock costs`: what operations cost on this machine."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from penstock.cli import CommandError
from penstock.costs import compare, measure, plot, rows, table
from penstock.costs.record import NoRecord, Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Measure, or read a record; print it; return whether a row failed its check."""
    if arguments.self_test:
        return _self_test(printer)
    # Report a file that cannot be read or drawn before a minute of measuring.
    then = None if arguments.compare is None else _read(arguments.compare)
    draw = None if arguments.plot is None else plot.kind(arguments.plot)
    if arguments.plot is not None and draw is None:
        raise CommandError(f"{arguments.plot}: the name must end in .svg or .html")
    record = _measured(arguments, printer) if arguments.show is None else _read(arguments.show)
    if arguments.group:
        record.rows = [row for row in record.rows if row.group in arguments.group]
    if arguments.json is not None and arguments.json != "-":
        _write(arguments.json, record.text())
    if arguments.plot is not None and draw is not None:
        _write(arguments.plot, draw(record))
    if arguments.json == "-":
        printer.bytes(record.text().encode())
        return _is_wrong(record)
    changes = None if then is None else compare.compared(record, then)
    width = shutil.get_terminal_size().columns
    for line in table.lines(record, width, colour=printer.colour, changes=changes):
        printer.data(line)
    if changes is not None and then is not None:
        printer.data(compare.summary(changes, record, then))
    return _is_wrong(record)


def _measured(arguments: argparse.Namespace, printer: Printer) -> Record:
    pace = measure.QUICK if arguments.quick else measure.FULL
    try:
        return measure.measure(arguments.group, pace=pace, say=printer.status)
    except measure.WorkerFailed as error:
        raise CommandError(f"a measuring process failed: {error}") from error
    except OSError as error:
        raise CommandError(f"cannot measure: {error.strerror or error}") from error
    finally:
        printer.status("")


def _self_test(printer: Printer) -> bool:
    """Measure rows that are wrong on purpose; return whether one of them passed its checks."""
    failed = False
    for found in measure.self_test(rows.WRONG):
        told = found.said or "believed"
        printer.data(f"{found.name:32} {'caught' if found.is_caught else 'MISSED'}: {told}")
        failed |= not found.is_caught
    return failed


def _is_wrong(record: Record) -> bool:
    return any(row.fault is not None for row in record.rows)


def _read(path: str) -> Record:
    try:
        return Record.read(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    except NoRecord as error:
        raise CommandError(f"{path}: not a record of penstock costs: {error}") from error


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
