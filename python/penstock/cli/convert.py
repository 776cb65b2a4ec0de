"""`penstock convert`: a file in another format."""

from __future__ import annotations

from penstock._io import formats as _formats
from penstock.cli import CommandError, dialects, into, left_out
from penstock.cli.source import Source, refuse_other

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock._base.types import Format, TableFormat
    from penstock.cli.printer import Output, Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Convert the file; return whether a record was left out."""
    writes = {
        option: value
        for option in ("indent", "root", "record")
        if (value := getattr(arguments, option)) is not None
    }
    to = _to(arguments)
    writes |= dialects.written(arguments, to)
    if arguments.limit == 0:
        raise CommandError("--limit 0 leaves nothing to write")
    if arguments.flatten:
        if to in _formats.TABLES:
            raise CommandError("--flatten is for text: columns keep nested records as they are")
        from penstock.cli import flat  # noqa: PLC0415 - only for this

        return flat.convert(arguments, printer, _formats.checked(to), writes)
    wanted = into.wanted(arguments)
    if arguments.types:
        from penstock.cli import typed  # noqa: PLC0415 - only for this

        wanted = typed.found(arguments, printer)
    source = Source(arguments, arguments.source)
    return convert(arguments, printer, source, to, writes, wanted)


def convert(
    arguments: argparse.Namespace,
    printer: Printer,
    source: Source,
    to: Format | TableFormat,
    writes: dict[str, object],
    wanted: Any = None,
    columns: tuple[str, bool] | None = None,
    output: Output | None = None,
) -> bool:
    """Convert a source to the target of the command; return whether a record was left out."""
    output = printer.output(to) if output is None else output
    most: int | None = getattr(arguments, "limit", None)
    if most is not None and to in _formats.TABLES:
        raise CommandError("--limit is for text: say it with 'head', or of the data frame")
    with source:
        done = source.convert(
            output.write if arguments.target == "-" else arguments.target,
            to,
            writes,
            form=getattr(arguments, "form", "plain"),
            into=wanted,
            errors=left_out.chosen(arguments, printer),
            columns=columns,
            most=most,
            watch=lambda conversion: printer.watching(conversion, source.name),
        )
    output.end()
    return left_out.told(source.name, done, printer)


def _to(arguments: argparse.Namespace) -> Format | TableFormat:
    """The format of the target."""
    if arguments.to in _formats.TABLES or _formats.suffix(arguments.target)[1:] in _formats.TABLES:
        from penstock._verbs import tables  # noqa: PLC0415 - only for this

        target = None if arguments.target == "-" else arguments.target
        try:
            table = tables.wanted(target, arguments.to)
        except ValueError as error:
            raise CommandError(f"{target}: {error}") from error
        if table is not None:
            return table
    if arguments.to is not None:
        return _formats.checked(arguments.to)
    try:
        found = None if arguments.target == "-" else _formats.of_name(arguments.target)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if found is None:
        refuse_other(arguments.target)
        raise CommandError(f"cannot tell the format of {arguments.target}: say --to")
    return found
