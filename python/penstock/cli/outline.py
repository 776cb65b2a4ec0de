"""`penstock outline`: the paths of a file."""

from __future__ import annotations

from penstock._base.errors import DecodeError, _printable
from penstock.cli import left_out
from penstock.cli.files import named
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import TypeAlias

    from penstock.cli.printer import Printer

    # A path, how many values of each kind there are, and an example with whether it is text.
    Row: TypeAlias = tuple[str, list[tuple[str, int]], tuple[str, bool] | None]

# Columns that a path may take before the others are moved to the right.
_PATH = 48
_ROOTS = {"json": "(document)", "ndjson": "(line)", "xml": "(document)", "csv": "(row)"}


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print them, file by file; return whether a record was left out."""
    names = named(arguments)
    errors = left_out.chosen(arguments, printer)
    bad = False
    for number, name in enumerate(names):
        with Source(arguments, name) as source:
            rows, omitted, skipped = source.outline(errors)
        if arguments.depth is not None:
            rows = [row for row in rows if _depth(row[0]) <= arguments.depth]
        bad |= left_out.skipped(source.name, skipped, printer)
        if arguments.json:
            printer.data(_document(source.name, rows, omitted))
            continue
        if len(names) > 1:
            printer.data(f"{chr(10) if number else ''}{_printable(source.name)}:")
        root = _ROOTS.get(source.format, "(document)")
        if arguments.where is not None and root == "(document)":
            root = "(record)"
        lines = [
            (_printable(path) or root, *_kinds(kinds), example) for path, kinds, example in rows
        ]
        width = min(_PATH, max((len(path) for path, *_ in lines), default=0))
        most = max((len(count) for _, count, *_ in lines), default=0)
        widest = max((len(kinds) for _, _, kinds, _ in lines), default=0)
        for path, count, kinds, example in lines:
            shown = "" if example is None else _shown(*example)
            printer.data(f"{path:{width}}  {count:>{most}}  {kinds:{widest}}  {shown}".rstrip())
        if omitted:
            said = f"there are too many paths; {omitted:,} values at others are left out"
            printer.summary(f"{source.name}: {said}")
    return bad


def _depth(path: str) -> int:
    """How many steps a path has."""
    return path.count("/") + 1 if path else 0


def _document(name: str, rows: list[Row], omitted: int) -> str:
    """The outline of a file as JSON."""
    from penstock.cli import plain  # noqa: PLC0415 - only for this

    paths = []
    for path, kinds, example in rows:
        row = {"path": path, "values": sum(count for _, count in kinds), "kinds": dict(kinds)}
        paths.append(row if example is None else {**row, "example": _value(*example)})
    return plain.text({"source": name, "paths": paths, "omitted": omitted})


def _value(written: str, is_text: bool) -> object:
    """An example, with all digits of a number."""
    if is_text:
        return written
    from penstock import json  # noqa: PLC0415 - only for this
    from penstock.cli import plain  # noqa: PLC0415 - as above

    try:
        return json.decode(written, plain.exact("json"))
    except DecodeError:
        # A value of a property list for which JSON has no type.
        return written


def _shown(written: str, is_text: bool) -> str:
    """An example as JSON writes it."""
    if not is_text:
        return _printable(written)
    from penstock.cli import plain  # noqa: PLC0415 - no other value needs it

    return plain.text(written)


def _kinds(kinds: list[tuple[str, int]]) -> tuple[str, str]:
    """How many values there are in all, and of which kinds: `12`, `string 10, null 2`."""
    total = sum(count for _, count in kinds)
    if len(kinds) == 1:
        return f"{total:,}", kinds[0][0]
    ordered = sorted(kinds, key=lambda kind: -kind[1])
    return f"{total:,}", ", ".join(f"{kind} {count:,}" for kind, count in ordered)
