"""The flags that say how a file is read, whatever the command, and what they mean.

Each is for some formats. A command that gets one for a file of another format says so, and reads
nothing.
"""

from __future__ import annotations

import argparse
import os

from penstock._io import formats as _formats
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._base.types import Duplicates, Format, TableFormat
    from penstock.cli.usage import Parser

# The flags that are for some formats only, by the names of their values.
_FOR: dict[str, tuple[Format, ...]] = {
    "delimiter": ("csv",),
    "dialect": ("csv",),
    "skip_rows": ("csv",),
    "no_header": ("csv",),
    "comments": ("json",),
    "framing": ("ndjson",),
    "duplicates": ("json", "ndjson", "plist"),
    "repair": ("csv", "xml", "plist"),
    "namespace": ("xml",),
}
# Those that say that a file is CSV, if its name does not say what it is.
_OF_TABLES = ("delimiter", "dialect", "skip_rows", "no_header")
# What a shell makes hard to write.
_WORDS = {"\\t": "\t", "tab": "\t", "space": " "}


def flags(command: Parser, *, table: bool = True, duplicates: str | None = "last") -> None:
    """Add the flags to a command: with those of CSV, or without.

    `duplicates` is the member that counts by default if a key is repeated, or None for a command
    that counts each of them.
    """
    group = command.add_argument_group("How the file is read")
    group.add_argument(
        "--format",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help=f"the format: {_formats.listed(_formats.NAMES, 'or')}; needed if neither the name "
        "nor the first bytes show it",
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="the encoding, whatever the file declares"
    )
    group.add_argument("--member", metavar="NAME", help="the file to read in a zip archive")
    if table:
        _tables(group)
    group.add_argument(
        "--comments",
        action="store_true",
        help="take comments and trailing commas in JSON; they are not written again",
    )
    group.add_argument(
        "--framing",
        metavar="HOW",
        choices=("lines", "concatenated", "sequence"),
        help="what separates values of JSON: lines, nothing (concatenated) or the character RS "
        "(sequence, RFC 7464)",
    )
    if duplicates is not None:
        group.add_argument(
            "--duplicates",
            metavar="WHICH",
            choices=("last", "first", "error"),
            help="the value of a repeated key of JSON or plist: the last, the first, or none, "
            f"which is an error (default: {duplicates})",
        )
    tables = "CSV (short_rows, long_rows, stray_quotes, bare_cr, nul, trailing_delimiter), of "
    group.add_argument(
        "--repair",
        metavar="FAULTS",
        type=_words,
        help=f"the faults of {tables if table else ''}XML and of XML plists (bare_ampersand, "
        "control_character, html_entity, surrogate_pair, broken_subset, trailing_junk) to repair, "
        "with commas between them, or all",
    )


def _tables(group: argparse._ArgumentGroup) -> None:
    """Add the flags of CSV."""
    group.add_argument(
        "-d",
        "--delimiter",
        metavar="TEXT",
        help="the delimiter of CSV: ';', or \\t for a tab (default: by the suffix, else a comma)",
    )
    group.add_argument(
        "--dialect",
        metavar="infer",
        choices=("infer",),
        help="find the delimiter of CSV, its header and the lines before that, as 'sniff' does",
    )
    group.add_argument(
        "--skip-rows",
        metavar="N",
        type=_lines,
        help="how many lines before the header of CSV are skipped",
    )
    group.add_argument(
        "--no-header",
        action="store_true",
        help="the first row of CSV is data: columns are positions, and CSV is written without a "
        "header",
    )


def read(arguments: argparse.Namespace, format: Format, name: str) -> dict[str, Any]:
    """Return the options for reading a file that the flags say.

    They are those of `penstock.convert`: a dialect of CSV, repairs, a framing, namespaces.

    Raises:
        CommandError: They are for another format, they contradict each other, or a delimiter is
            not possible.
    """
    _check(arguments, format, name)
    found: dict[str, Any] = {}
    if getattr(arguments, "comments", False):
        found["comments"] = True
    for option in ("framing", "repair"):
        if (value := getattr(arguments, option, None)) is not None:
            found[option] = value
    if namespaces := getattr(arguments, "namespace", None):
        found["namespaces"] = dict(namespaces)
    given = _given(arguments, _OF_TABLES)
    if "dialect" in given:
        if len(given) > 1:
            other = next(option for option in _OF_TABLES if option in given and option != "dialect")
            raise CommandError(
                "--dialect infer finds the delimiter and the header by itself: leave out "
                f"{_flag(other)}"
            )
        found["dialect"] = "infer"
    elif given:
        found["dialect"] = _dialect(
            arguments.delimiter,
            name,
            headless=arguments.no_header,
            skip_rows=arguments.skip_rows or 0,
        )
    return found


def means_table(arguments: argparse.Namespace) -> bool:
    """Whether the flags say that a file is CSV."""
    return bool(_given(arguments, _OF_TABLES))


def sees_what_is_skipped(format: Format) -> bool:
    """Return whether a reader validates what it skips: in a binary property list, it does not."""
    return format != "plist"


def duplicates(arguments: argparse.Namespace) -> Duplicates:
    """Return which value of a repeated key counts."""
    return getattr(arguments, "duplicates", None) or "last"


def written(arguments: argparse.Namespace, to: Format | TableFormat) -> dict[str, object]:
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
    headless: bool = arguments.no_header
    if to != "csv":
        if delimiter is not None:
            raise CommandError("--to-delimiter is for a target of CSV")
        return found
    if delimiter is not None or headless:
        found["to_dialect"] = _dialect(delimiter, arguments.target, headless=headless)
    return found


def _check(arguments: argparse.Namespace, format: Format, name: str) -> None:
    """Refuse flags for other formats.

    Raises:
        CommandError: There is one.
    """
    titles = dict(zip(_formats.NAMES, _formats.TITLES, strict=True))
    for option, formats in _FOR.items():
        if format in formats or not _given(arguments, (option,)):
            continue
        known = [titles[each] for each in formats]
        right = _formats.listed(known, "and") if len(known) > 1 else known[0]
        # The name may say nothing, or something wrong.
        hint = f"; if it is {known[0]}, say --format {formats[0]}" if len(known) == 1 else ""
        if option == "framing":
            hint = ""
        raise CommandError(
            f"{name}: {_flag(option)} is for {right}, and this is read as {titles[format]}{hint}"
        )


def _given(arguments: argparse.Namespace, options: tuple[str, ...]) -> set[str]:
    """The options that the caller has given, of some."""
    # Zero lines to skip are a flag that is given.
    values = {option: getattr(arguments, option, None) for option in options}
    return {option for option, value in values.items() if value is not None and value is not False}


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _dialect(delimiter: str | None, name: str, *, headless: bool, skip_rows: int = 0) -> object:
    from penstock.csv import Dialect  # noqa: PLC0415 - few commands need it

    if delimiter == "infer":
        raise CommandError("the delimiter cannot be 'infer': say --dialect infer instead")
    if delimiter is None:
        known = _formats.delimited(os.fsdecode(name)).get("delimiter", ",")
        delimiter = str(known)
    header = None if headless else "first"
    try:
        return Dialect(_WORDS.get(delimiter, delimiter), skip_rows=skip_rows, header=header)
    except ValueError as error:
        raise CommandError(str(error)) from error


def _words(text: str) -> tuple[str, ...]:
    """Return words with commas between them."""
    return tuple(word.strip().replace("-", "_") for word in text.split(","))


def _lines(text: str) -> int:
    """Return a number of lines."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of lines")
    return int(text)
