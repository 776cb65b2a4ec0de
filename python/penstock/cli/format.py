"""`penstock format`: a file in its own format, indented or not."""

from __future__ import annotations

from penstock.cli import CommandError
from penstock.cli.convert import convert
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Write the file again; return whether a record was left out."""
    # The paths of records are no business of this command.
    arguments.at = arguments.namespace = None
    source = Source(arguments, arguments.source)
    if source.format == "csv":
        raise CommandError(f"{source.name}: 'penstock cut' and 'penstock convert' write CSV")
    if source.format == "plist":
        raise CommandError(
            f"{source.name}: 'penstock convert FILE - --to json' prints a property list, and "
            "'--to-form' writes another form"
        )
    if arguments.where is not None and source.format != "ndjson":
        raise CommandError(
            f"{source.name}: --where chooses among lines: 'penstock convert --at PATH --where ...' "
            "writes the records of a document"
        )
    writes: dict[str, object] = {}
    if arguments.canonical:
        writes["canonical"] = True
    elif not arguments.compact and (arguments.indent is not None or source.format != "ndjson"):
        writes["indent"] = 2 if arguments.indent is None else arguments.indent
    if arguments.sort_keys:
        writes["sort_keys"] = True
    if source.format == "xml" and (arguments.canonical or arguments.sort_keys):
        raise CommandError(f"{source.name}: --canonical and --sort-keys are for JSON only")
    if source.format == "ndjson" and "indent" in writes:
        raise CommandError(
            f"{source.name}: each record of NDJSON is one line: --indent is for JSON"
        )
    return convert(arguments, printer, source, source.format, writes)
