"""`penstock convert --types`: rows of CSV with the types that their columns have."""

from __future__ import annotations

from penstock._base.types import PLAIN
from penstock.cli import CommandError, left_out
from penstock.cli.source import Source
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    import penstock._rust as _rust
    from penstock.cli.printer import Printer

_TYPES: dict[str, type] = {"Int64": int, "UInt64": int, "Float64": float, "Boolean": bool}


def found(arguments: argparse.Namespace, printer: Printer) -> Any:
    """Return the type of a row, which all of the file says.

    Raises:
        CommandError: The source is another format, or can be read only once.
    """
    from typing import TypedDict  # noqa: PLC0415 - slow, and only for this

    source = Source(arguments, arguments.source)
    if source.format != "csv":
        raise CommandError(f"{source.name}: --types is for CSV, whose cells are all text")
    source.require_file("--types")
    with source:
        reader = source.read(PLAIN, errors=left_out.skipping(arguments))
        with reader, printer.watching(reader, source.name):
            schema: _rust.Schema = reader._schema(chosen(arguments.threads))  # noqa: SLF001 - it is ours
    columns: dict[str, Any] = {}
    for _, name, kind, may_be_null in schema._lines():  # noqa: SLF001 - it is ours
        of = _TYPES.get(kind, str)
        columns[name] = of | None if may_be_null else of
    row: Any = TypedDict("item", columns)  # type: ignore[misc]  # the columns are not known before
    return row
