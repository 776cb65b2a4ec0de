"""`penstock check`: every problem of a file."""

from __future__ import annotations

from collections import deque

from penstock._base.errors import DecodeError, ValidationError
from penstock._base.types import PLAIN
from penstock.cli import dialects, into, left_out
from penstock.cli.files import named
from penstock.cli.paths import unmatched
from penstock.cli.source import Source
from penstock.cli.threads import chosen
from penstock.cli.unread import UNREAD, pass_over

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock.cli.printer import Printer
    from penstock.cli.sarif import Log


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print each problem as it is met; return whether there was one."""
    wanted = into.wanted(arguments)
    names = named(arguments)
    shown = _shown(arguments, printer)
    found = records = 0
    most: int | None = arguments.max_errors
    try:
        for name in names:
            left = None if arguments.limit is None else arguments.limit - records
            if left == 0 or (most is not None and found >= most):
                return found > 0
            arguments.left = None if most is None else most - found
            more, read = _check(Source(arguments, name), wanted, arguments, left, printer, shown)
            found += more
            records += read
    finally:
        shown.end()
    return unmatched(arguments, names, records + found, printer) or found > 0


class _Text:
    """Problems as a person reads them."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._gap = False

    def add(self, error: DecodeError) -> None:
        """Print the problems of a record."""
        self._printer.problems(error, gap=self._gap)
        self._gap = True

    def end(self) -> None:
        """Print nothing more."""


class _Lines(_Text):
    """Problems as JSON, each in a line."""

    def add(self, error: DecodeError) -> None:
        """Print the problems of a record."""
        from penstock.cli import plain  # noqa: PLC0415 - only for this

        found = [problem._alone() for problem in error.problems]  # noqa: SLF001 - it is ours
        if error.omitted:
            found[-1]["omitted"] = error.omitted
        for members in found:
            self._printer.data(plain.text(members))


def _shown(arguments: argparse.Namespace, printer: Printer) -> _Text | Log:
    """Return what prints problems."""
    if arguments.sarif:
        from penstock.cli.sarif import Log  # noqa: PLC0415 - only for this

        return Log(printer)
    return _Lines(printer) if arguments.json else _Text(printer)


def _check(
    source: Source,
    wanted: Any,
    arguments: argparse.Namespace,
    limit: int | None,
    printer: Printer,
    shown: _Text | Log,
) -> tuple[int, int]:
    """Print the problems of a file; return how many there were, and in how many records."""
    found = refused = 0
    first: DecodeError | None = None
    last: DecodeError | None = None

    def is_enough() -> bool:
        if arguments.left is not None and found >= arguments.left:
            return True
        return limit is not None and reader.progress.records + refused >= limit

    def tell(error: DecodeError) -> None:
        nonlocal found, refused, first
        if first is None:
            first = error
            source.advise(error)
        shown.add(error)
        found += len(error.problems) + error.omitted
        refused += 1

    def tell_and_stop(error: DecodeError) -> None:
        tell(error)
        if is_enough():
            raise left_out.Enough

    # Keys are compared where they are read.
    is_unread = (
        wanted is None
        and limit is None
        and dialects.duplicates(arguments) != "error"
        and dialects.sees_what_is_skipped(source.format)
    )
    into = UNREAD if is_unread else PLAIN if wanted is None else wanted
    reader = source.read(into, errors=tell_and_stop, unknown=arguments.unknown)
    with reader, printer.watching(reader, source.name):
        try:
            if is_unread:
                pass_over(reader, arguments.threads, distinct=True)
            # What takes long is measured where objects are made.
            elif limit is not None:
                for _ in reader:
                    if is_enough():
                        break
            elif wanted is None or arguments.timing or not reader._check(chosen(arguments.threads)):  # noqa: SLF001 - it is for this
                deque(reader, maxlen=0)
        except left_out.Enough:
            pass
        except DecodeError as error:
            # The source itself failed, which says nothing about the data.
            if type(error) is DecodeError:
                raise
            tell(error)
            if error is not first:
                source.advise(error)
            last = error
    problems = _some(found, "problem") if found else "no problems"
    if arguments.left is not None and found >= arguments.left:
        problems += ", and --max-errors ends here"
    records = reader.progress.records + refused
    # The reader can skip a record that does not fit; malformed input ends the reading.
    if last is not None and not isinstance(last, ValidationError):
        scope = f"; nothing after {'it' if found == 1 else 'the last'} can be read"
    else:
        scope = f" in {_some(records, 'record')}"
    for told in dict.fromkeys((first, last)):
        if told is not None:
            printer.notes(told)
    printer.summary(f"{source.name}: {problems}{scope}")
    left_out.repaired(source.name, reader, printer)
    printer.timing(reader)
    return found, records


def _some(number: int, what: str) -> str:
    """`1 problem`, `12,345 problems`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
