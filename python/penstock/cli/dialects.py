"""The delimiters of CSV, and what separates values of JSON, on the command line."""

from __future__ import annotations

import os

from penstock._io import formats as _formats
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock._base.types import Format


def read(arguments: argparse.Namespace, format: Format, name: str) -> dict[str, Any]:
    """Return the options that `--delimiter`, `--no-header` and `--framing` say, for a source.

    Raises:
        CommandError: They are for another format, or a delimiter is not possible.
    """
    delimiter: str | None = getattr(arguments, "delimiter", None)
    framing: str | None = getattr(arguments, "framing", None)
    headless: bool = getattr(arguments, "no_header", False)
    if delimiter is not None and format != "csv":
        raise CommandError("--delimiter is for a source of CSV")
    if framing is not None and format != "ndjson":
        raise CommandError("--framing is for a source of NDJSON")
    if framing is not None:
        return {"framing": framing}
    if format != "csv" or (delimiter is None and not headless):
        return {}
    if delimiter == "infer":
        if headless:
            raise CommandError("--delimiter infer finds the header, too: leave out --no-header")
        return {"dialect": "infer"}
    return {"dialect": _dialect(delimiter, name, headless=headless)}


def written(
    arguments: argparse.Namespace, to: Format, *, headless: bool = False
) -> dict[str, object]:
    """Return the options for writing that the command says about CSV or a property list.

    Raises:
        CommandError: The target is no such file, or a delimiter is not possible.
    """
    found: dict[str, object] = {}
    for option in ("quoting", "formulas"):
        if (value := getattr(arguments, option, None)) is not None:
            found[option] = value
    form: str | None = getattr(arguments, "to_form", None)
    if form is not None:
        if to != "plist":
            raise CommandError("--to-form is for a target that is a property list")
        found["to_form"] = form
    delimiter: str | None = arguments.to_delimiter
    if to != "csv":
        if delimiter is not None:
            raise CommandError("--to-delimiter is for a target of CSV")
        return found
    if delimiter is not None or headless:
        found["to_dialect"] = _dialect(delimiter, arguments.target, headless=headless)
    return found


def _dialect(delimiter: str | None, name: str, *, headless: bool) -> object:
    from penstock.csv import Dialect  # noqa: PLC0415 - few commands need it

    if delimiter is None:
        known = _formats.delimited(os.fsdecode(name)).get("delimiter", ",")
        delimiter = str(known)
    try:
        return Dialect(_WORDS.get(delimiter, delimiter), header=None if headless else "first")
    except ValueError as error:
        raise CommandError(str(error)) from error


# What a shell makes hard to write.
_WORDS = {"\\t": "\t", "tab": "\t", "space": " "}
