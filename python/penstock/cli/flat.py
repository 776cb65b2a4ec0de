"""`penstock convert --flatten`: records with a key for each value, such as `position/lat`."""

from __future__ import annotations

from itertools import islice

from penstock._base.errors import LimitExceeded, PlanError, ValidationError
from penstock._base.types import PLAIN
from penstock.cli import CommandError, left_out, plain, rows
from penstock.cli.paths import unmatched
from penstock.cli.source import Source
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    import penstock._rust as _rust
    from penstock import Reader
    from penstock._base.types import Format
    from penstock.cli.printer import Printer

# A table with more columns is none. An object whose keys are data has as many.
_MOST_COLUMNS = 10_000
# The formats of which single members can be read, and whose records are objects as they stand.
_DIRECT = ("json", "ndjson")


def convert(
    arguments: argparse.Namespace, printer: Printer, to: Format, writes: Mapping[str, object]
) -> bool:
    """Convert the source in two passes; return whether a record was left out."""
    if to == "xml":
        raise CommandError("--flatten is for other targets: a name in XML has no slash")
    source = Source(arguments, arguments.source)
    source.require_file("--flatten")
    with source:
        found = _by_schema(arguments, printer, source)
        names, kind = found or _by_records(arguments, printer, source)
        if not names and unmatched(arguments, [source.name], 0, printer):
            return True
        output = printer.output(to)
        encoder = rows.encoder(arguments, names, to, writes)
        reader = source.read(kind, errors=left_out.chosen(arguments, printer))
        with reader, printer.watching(reader, source.name):
            flat = _direct(reader) if found else _rows(reader, frozenset(names), source)
            flat = map(_as_table, flat) if to == "csv" else flat
            flat = islice(flat, arguments.limit)
            rows.write(arguments, source, flat, encoder, output)
    return left_out.told(source.name, reader, printer)


def _by_schema(
    arguments: argparse.Namespace, printer: Printer, source: Source
) -> tuple[list[str], Any] | None:
    """The columns, and a type that has their values only, which is ten times as fast.

    There is none if a place has values of several kinds, if records nest deeply, or if a key is no
    step of a path; and the schema says nothing of records that are left out.
    """
    if source.format not in _DIRECT or left_out.skipping(arguments) != "raise":
        return None
    try:
        reader = source.read(PLAIN)
        with reader, printer.watching(reader, source.name):
            schema: _rust.Schema = reader._schema(  # noqa: SLF001 - it is ours
                chosen(arguments.threads), True, "error", arguments.limit
            )
        names = _of_schema(schema)
        return (names, plain.members(names)) if 0 < len(names) <= _MOST_COLUMNS else None
    except (ValidationError, LimitExceeded, PlanError):
        return None


def _by_records(
    arguments: argparse.Namespace, printer: Printer, source: Source
) -> tuple[list[str], Any]:
    """The columns that a look at each record finds, and the type of plain values."""
    kind = plain.exact(source.format)
    reader = source.read(kind, errors=left_out.skipping(arguments))
    with reader, printer.watching(reader, source.name):
        return _columns(islice(reader, arguments.limit), source), kind


def _of_schema(schema: _rust.Schema) -> list[str]:
    """The paths of the columns that hold no struct. A struct without fields holds nulls."""
    lines = schema._lines()  # noqa: SLF001 - it is ours
    found: list[str] = []
    # The paths around a column, of which None is in a list.
    around: list[str | None] = [""]
    depths = [depth for depth, *_ in lines]
    for (depth, name, kind, _), below in zip(lines, [*depths, 0][1:], strict=True):
        del around[depth + 1 :]
        start = around[depth]
        path = None if start is None else start + _step(name)
        is_inner = kind == "Struct" and below > depth
        if path is not None and not is_inner:
            found.append(path)
        around.append(f"{path}/" if path is not None and is_inner else None)
    return found


def _columns(records: Iterable[Any], source: Source) -> list[str]:
    """The paths at which records have values, in the order in which they come.

    Raises:
        CommandError: There are too many, or a record is no object.
    """
    # Whether there is a value that is not null.
    found: dict[str, bool] = {}
    inner: set[str] = set()
    for record in records:
        for path, value in _leaves(record, source, inner):
            found[path] = found.get(path, False) or value is not None
        if len(found) > _MOST_COLUMNS:
            raise CommandError(
                f"{source.name}: --flatten finds more than {_MOST_COLUMNS:,} columns; keys that "
                "are data make no table: --at can look into them"
            )
    # Null in place of an object needs no column of its own.
    return [path for path, is_value in found.items() if is_value or path not in inner]


def _direct(reader: Reader[Any]) -> Iterator[dict[str, Any]]:
    """The records, of which only the columns were read."""
    for record in reader:
        for path, value in record.items():
            # It has no members.
            if isinstance(value, dict):
                record[path] = None
        yield record


def _as_table(row: dict[str, Any]) -> dict[str, Any]:
    """A record in which lists are the text that they are in JSON."""
    for path, value in row.items():
        if isinstance(value, list):
            row[path] = plain.text(value)
    return row


def _rows(reader: Reader[Any], names: frozenset[str], source: Source) -> Iterator[dict[str, Any]]:
    """The records, flat."""
    inner: set[str] = set()
    for record in reader:
        row: dict[str, Any] = {}
        for path, value in _leaves(record, source, inner):
            if path not in names:
                if value is not None:
                    raise CommandError(f"{source.name}: the file has changed while it was read")
                continue
            row[path] = value
        yield row


def _leaves(record: Any, source: Source, inner: set[str]) -> Iterator[tuple[str, Any]]:
    """The values of a record that are no objects, with their paths.

    An object without members is null. Nothing recurses: a record may nest deeper than Python calls.
    """
    if not isinstance(record, dict):
        kind = "a list" if isinstance(record, list) else "no object"
        raise CommandError(
            f"{source.name}: a record is {kind}, which has no columns; 'penstock outline' shows "
            "the paths of a file, for --at"
        )
    around = [("", iter(record.items()))]
    while around:
        start, members = around[-1]
        for key, value in members:
            path = start + _step(key)
            if isinstance(value, dict) and value:
                inner.add(path)
                around.append((f"{path}/", iter(value.items())))
                break
            yield path, None if isinstance(value, dict) else value
        else:
            around.pop()


def _step(key: str) -> str:
    """A key as a step of a path."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
