"""`penstock cut`: some columns of a file, in an order."""

from __future__ import annotations

from itertools import islice

from penstock._io import formats as _formats
from penstock.cli import CommandError, dialects, left_out, rows
from penstock.cli.convert import convert
from penstock.cli.source import Source, refuse_other

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from penstock import Reader
    from penstock._base.types import Format
    from penstock.cli.printer import Output, Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Write the columns; return whether a record was left out."""
    # A table that is piped in has no name that tells, and nothing else looks like one.
    arguments.otherwise = "csv"
    if arguments.limit == 0:
        raise CommandError("--limit 0 leaves nothing to write")
    source = Source(arguments, arguments.source)
    to = _to(arguments, source)
    if arguments.raw:
        _check_raw(arguments)
        to = "ndjson"
    output = _output(arguments, printer, source, to)
    if source.format == "csv":
        if arguments.at is not None:
            raise CommandError("--at is for other formats: each row of CSV is a record")
        arguments.form = "plain"
        return convert(
            arguments,
            printer,
            source,
            to,
            dialects.written(arguments, to),
            columns=(arguments.columns, arguments.invert),
            output=output,
        )
    dialects.read(arguments, source.format, source.name)
    if arguments.invert:
        raise CommandError(f"--invert is for a source of CSV: {source.name} is another format")
    return _by_paths(arguments, printer, source, to, output)


def _check_raw(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with `--raw`.

    Raises:
        CommandError: There is such a thing.
    """
    if arguments.target != "-":
        raise CommandError("--raw prints values: leave out the target, and redirect the output")
    for option in ("to", "to_delimiter", "to_form", "quoting", "formulas"):
        if getattr(arguments, option) is not None:
            flag = option.replace("_", "-")
            raise CommandError(f"--raw prints values as text: leave out --{flag}")


def _to(arguments: argparse.Namespace, source: Source) -> Format:
    """The format of the target: that of its suffix, or that of the source."""
    if arguments.to is not None:
        return _formats.checked(arguments.to)
    try:
        found = None if arguments.target == "-" else _formats.of_name(arguments.target)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if found is None:
        refuse_other(arguments.target)
    # The values of an element at several paths are no element any more.
    return found or ("ndjson" if source.format == "xml" else source.format)


def _by_paths(
    arguments: argparse.Namespace, printer: Printer, source: Source, to: Format, output: Output
) -> bool:
    """Write the values at paths of each record; return whether a record was left out."""
    from penstock.cli import plain  # noqa: PLC0415 - as above

    paths = _paths(arguments)
    if not all(paths):
        raise CommandError(f"{arguments.columns!r} has an empty path")
    encoder = rows.encoder(arguments, paths, to, dialects.written(arguments, to))
    with source:
        errors = left_out.chosen(arguments, printer)
        reader = source.read(plain.chosen(source.format, paths), errors=errors)
        with reader, printer.watching(reader, source.name):
            some = islice(_rows(reader, source.format), arguments.limit)
            rows.write(arguments, source, some, encoder, output)
    return left_out.told(source.name, reader, printer)


def _paths(arguments: argparse.Namespace) -> list[str]:
    """The paths that stand for columns, of another format than CSV."""
    return [path.strip() for path in arguments.columns.split(",")]


def _output(arguments: argparse.Namespace, printer: Printer, source: Source, to: Format) -> Output:
    """What takes the data."""
    if not arguments.raw:
        return printer.output(to)
    from penstock.cli.raw import Lines  # noqa: PLC0415 - only for this

    # Rows have all columns, and records need not.
    return Lines(printer, source.name, None if source.format == "csv" else _paths(arguments))


def _rows(reader: Reader[Any], format: Format) -> Iterator[dict[str, Any]]:
    """The records. In XML, an element that could be repeated, but is not, is one value."""
    for record in reader:
        if format == "xml":
            yield {
                path: value[0] if isinstance(value, list) and len(value) == 1 else value
                for path, value in record.items()
            }
        else:
            yield record
