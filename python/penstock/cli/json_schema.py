"""`penstock json-schema`: the JSON Schema of a class."""

from __future__ import annotations

from json import dumps

from penstock._json_schema.verbs import json_schema
from penstock.cli import CommandError, into, plain

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it; return False, since nothing is wrong."""
    found = into.find(arguments.into, arguments.rename)
    try:
        schema = json_schema(found, mode=arguments.mode, ref=arguments.ref)
    except ValueError as error:
        raise CommandError(f"--{error}") from error
    printer.json(plain.harmless(dumps(schema, indent=2, ensure_ascii=False)))
    return False
