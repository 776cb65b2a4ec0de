"""`penstock infer`: the code of a class that reads a file, or what differs from a class."""

from __future__ import annotations

from collections import deque

from penstock._base.types import PLAIN
from penstock._infer import verb as _verb
from penstock._infer.differ import Differences
from penstock.cli import CommandError, left_out
from penstock.cli.files import named
from penstock.cli.into import wanted
from penstock.cli.source import Source
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print the code, or what differs; return whether something does, or was left out."""
    try:
        _verb.check(arguments.name, arguments.kind)
    except ValueError as error:
        raise CommandError(f"--{error}".replace("=", "", 1)) from error
    into = wanted(arguments)
    names = named(arguments)
    if len(names) > 1:
        raise CommandError("a class is inferred from one file: name one")
    with Source(arguments, names[0]) as source:
        if arguments.json_schema:
            printer.data(_of_schema(source, arguments))
            return False
        if into is not None:
            return _differ(source, into, arguments, printer)
        with source.read(PLAIN, errors=arguments.errors) as reader:
            threads = chosen(arguments.threads)
            code = _verb.of_reader(reader, arguments.name, arguments.kind, threads)
    printer.data(code.removesuffix("\n"))
    return left_out.told(source.name, reader, printer)


def _of_schema(source: Source, arguments: argparse.Namespace) -> str:
    """The code of the classes that a JSON Schema describes."""
    if source.format != "json":
        raise CommandError(f"{source.name}: a JSON Schema is a file of JSON")
    with source.read(PLAIN) as reader:
        found = list(reader)
    try:
        document = found[0] if len(found) == 1 else found
        return _verb.of_schema(document, arguments.name, arguments.kind).removesuffix("\n")
    except ValueError as error:
        raise CommandError(f"{source.name}: {error}") from error


def _differ(source: Source, into: Any, arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print what differs between a class and a file; return whether something does."""
    from penstock._rust import Plan  # noqa: PLC0415 - only for this

    source.require_file("--into")
    plan = into if isinstance(into, Plan) else Plan(into)
    form = source.format if source.format in {"xml", "csv"} else ""
    with source.read(PLAIN, errors=arguments.errors) as plain:
        record, _, _, _ = _verb.settled(plain, chosen(arguments.threads))
    found = Differences(record, format(plan, form))
    with source.read(into, errors=found.add, unknown="collect") as reader:
        deque(reader, maxlen=0)
        unknown = reader.unknown
    differs = False
    for line in found.lines(unknown):
        printer.data(line)
        differs = True
    return differs
