"""`penstock schema`: the columns of a file's records."""

from __future__ import annotations

import io

import penstock._rust as _rust
from penstock._base.errors import PlanError, _printable
from penstock._base.types import PLAIN
from penstock._verbs import read as _read
from penstock.cli import CommandError, left_out
from penstock.cli.files import named
from penstock.cli.into import wanted
from penstock.cli.paths import unmatched
from penstock.cli.source import Source
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock._base.types import Format
    from penstock.cli.printer import Printer

# Columns that a name may take before the types are moved to the right.
_NAME = 48


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print them, file by file; return whether something is wrong."""
    into = wanted(arguments)
    if into is not None and not arguments.files:
        columns = _of_class(into)
        if arguments.json:
            printer.data(_document(None, columns))
        else:
            _print(columns, printer)
        return False
    names = named(arguments)
    most: int | None = arguments.limit
    if most == 0:
        raise CommandError("--limit 0 leaves no record to look at")
    matched = 0
    bad = False
    for number, name in enumerate(names):
        with Source(arguments, name) as source:
            reader = source.read(PLAIN if into is None else into, errors=arguments.errors)
            with reader:
                schema: _rust.Schema = reader._schema(  # noqa: SLF001 - it is ours
                    chosen(arguments.threads), True, "error", most
                )
        bad |= left_out.told(source.name, reader, printer)
        matched += len(schema.names)
        if arguments.json:
            printer.data(_document(source.name, schema))
            continue
        if len(names) > 1:
            printer.data(f"{chr(10) if number else ''}{_printable(source.name)}:")
        _print(schema, printer)
    return unmatched(arguments, names, matched, printer) or bad


def _of_class(into: Any) -> _rust.Schema:
    """The columns of a class: those that it has in JSON, or else in XML."""
    policy = _rust.Policy("raise", 1, "last", "skip", False, "allow")

    def of(format: Format) -> _rust.Schema:
        nothing = io.BytesIO()
        with _read.read(
            nothing, format, None, into, None, policy, None, None, None, None
        ) as reader:
            return reader._schema(1)  # noqa: SLF001 - it is ours

    try:
        return of("ndjson")
    except PlanError as error:
        try:
            return of("xml")
        except PlanError:
            raise error from None


def _print(schema: _rust.Schema, printer: Printer) -> None:
    """Print columns as a person reads them."""
    lines = [
        (f"{'  ' * depth}{_printable(column)}", f"{kind} | null" if may_be_null else kind)
        for depth, column, kind, may_be_null in schema._lines()  # noqa: SLF001 - it is ours
    ]
    width = min(_NAME, max((len(column) for column, _ in lines), default=0))
    for column, kind in lines:
        printer.data(f"{column:{width}}  {_printable(kind)}")


def _document(source: str | None, schema: _rust.Schema) -> str:
    """The columns of a file, or of a class, as JSON."""
    from penstock.cli import plain  # noqa: PLC0415 - only for this

    root: list[object] = []
    # The lists that take columns of each depth.
    around = [root]
    for depth, name, kind, may_be_null in schema._lines():  # noqa: SLF001 - it is ours
        inner: list[object] = []
        column = {"name": name, "type": kind, "nullable": may_be_null, "columns": inner}
        del around[depth + 1 :]
        around[depth].append(column)
        around.append(inner)
    return plain.text({"source": source, "columns": root})
