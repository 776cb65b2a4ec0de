"""The flags that several commands have, each defined once.

`dialects` has those that say how a file is read.
"""

from __future__ import annotations

import argparse

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock.cli.usage import Parser

LOOKED_UP = "Python looks for the module in the current directory first"

# How each shell completes a file name, in the terms of shtab, which makes the completions.
FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


def sides(command: Parser, target: str) -> None:
    """Add the source and the target of a command."""
    arguments = command.add_argument_group("Arguments")
    source = arguments.add_argument(
        "source",
        metavar="SOURCE",
        help="JSON, NDJSON, XML, CSV or plist, also compressed (gzip, zstd, bzip2, xz, zip); - is "
        "standard input",
    )
    written = arguments.add_argument(
        "target",
        metavar="TARGET",
        help=target,
        **({"nargs": "?", "default": "-"} if "default" in target else {}),  # type: ignore[arg-type]
    )
    source.complete = written.complete = FILES  # type: ignore[attr-defined]  # as below


def written(options: argparse._ArgumentGroup) -> None:
    """Add how a target is written."""
    options.add_argument(
        "--to-delimiter",
        metavar="TEXT",
        help="the delimiter of a target of CSV: ';', or \\t for a tab (default: by its suffix)",
    )
    options.add_argument(
        "--to-form",
        metavar="FORM",
        choices=("binary", "xml", "openstep", "gnustep", "strings", "json"),
        help="the form of a property list: binary, xml, openstep, gnustep, strings or json "
        "(default: by its suffix, else xml)",
    )
    options.add_argument(
        "--quoting",
        metavar="WHICH",
        choices=("minimal", "all", "nonnumeric", "none"),
        help="the cells of CSV with quotes: minimal, all, nonnumeric or none (default: minimal)",
    )
    options.add_argument(
        "--formulas",
        metavar="WHAT",
        choices=("escape", "refuse"),
        help="what to do with text of CSV that a spreadsheet takes for a formula: escape or refuse",
    )


def indent(options: argparse._ActionsContainer, otherwise: str) -> None:
    """Add `--indent`."""
    options.add_argument(
        "--indent",
        metavar="N",
        type=_spaces,
        help=f"the spaces for each level (default: {otherwise})",
    )


def start(command: Parser) -> argparse._ArgumentGroup:
    """Return the group of the options of a command, with `--help` in it."""
    options = command.add_argument_group("Options")
    options.add_argument("-h", "--help", action="help", help="print this help and exit")
    return options


def files(command: Parser) -> None:
    """Add the files of a command, which may be several."""
    arguments = command.add_argument_group("Arguments")
    file = arguments.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="JSON, NDJSON, XML, CSV or plist, also compressed (gzip, zstd, bzip2, xz, zip); a "
        "folder "
        "means the files in it; - is standard input, and may be left out if data is piped in",
    )
    file.complete = FILES  # type: ignore[attr-defined]  # this is where shtab looks


def at(
    options: argparse._ArgumentGroup,
    otherwise: str = "the elements of a top-level array, the lines of NDJSON, the rows of CSV, the "
    "children of the root of XML",
) -> None:
    """Add where the records are."""
    options.add_argument(
        "--at",
        metavar="PATH",
        help=f"where the records are: features/*, or in XML dblp/article (default: {otherwise})",
    )
    options.add_argument(
        "--namespace",
        metavar="P=URI",
        action="append",
        type=_namespace,
        help="the namespace of the prefix P in PATH, for XML; may be repeated",
    )


def where(options: argparse._ActionsContainer) -> None:
    """Add which records are wanted."""
    options.add_argument(
        "--where",
        metavar="CONDITION",
        help="only records of which this is true: population > 5e6 and country in ('CH', 'AT')",
    )


def into(shape: argparse._ActionsContainer, options: argparse._ArgumentGroup, what: str) -> None:
    """Add the class of a record."""
    shape.add_argument("--into", metavar="MODULE:CLASS", help=f"{what}; {LOOKED_UP}")
    rename(options)


def rename(options: argparse._ArgumentGroup) -> None:
    """Add the keys of a class."""
    options.add_argument(
        "--rename",
        metavar="STYLE",
        action="append",
        help="how keys are made from the names of fields: camel, pascal, kebab, snake or upper; or "
        "FIELD=KEY, which may be repeated",
    )


def json(options: argparse._ActionsContainer, each: str = "file") -> None:
    """Add output for programs."""
    options.add_argument(
        "--json", action="store_true", help=f"print an object of JSON for each {each}, in a line"
    )


def limit(options: argparse._ActionsContainer, what: str, otherwise: int | None = None) -> None:
    """Add how many records there may be."""
    options.add_argument("-n", "--limit", metavar="N", type=count, default=otherwise, help=what)


def raw(options: argparse._ActionsContainer, what: str) -> None:
    """Add output without quotes."""
    options.add_argument("-r", "--raw", action="store_true", help=what)


def errors(
    options: argparse._ArgumentGroup, end: str = "ends the command", *, collect: bool = True
) -> None:
    """Add what becomes of records in error."""
    also = ", and collect prints the error as well" if collect else " and does not count it"
    options.add_argument(
        "--errors",
        metavar="WHAT",
        choices=("raise", "skip", *(("collect",) if collect else ())),
        default="raise",
        help=f"what to do at a record in error: raise {end}; skip leaves it out{also} (default: "
        "raise)",
    )


def max_errors(options: argparse._ArgumentGroup, otherwise: str) -> None:
    """Add how many problems there may be."""
    options.add_argument(
        "--max-errors",
        metavar="N",
        type=problems,
        help=f"stop behind the record with the Nth problem (default: {otherwise})",
    )


def manners(options: argparse._ArgumentGroup, *, timing: bool = True) -> None:
    """Add how a command behaves on a terminal."""
    options.add_argument(
        "-q", "--quiet", action="store_true", help="no progress and no summary; errors only"
    )
    options.add_argument(
        "--progress",
        metavar="WHEN",
        choices=("auto", "always", "never"),
        default="auto",
        help="when to show progress: always, never or auto, if standard error is a terminal; a bar "
        "needs rich, which comes with penstock-data[cli] (default: auto)",
    )
    options.add_argument(
        "--color",
        metavar="WHEN",
        choices=("auto", "always", "never"),
        default="auto",
        help="when to write in colour: always, never or auto, on a terminal if NO_COLOR is not "
        "set (default: auto)",
    )
    if timing:
        options.add_argument(
            "--timing", action="store_true", help="say at the end where the time went"
        )


def threads(options: argparse._ArgumentGroup) -> None:
    """Add the number of threads."""
    options.add_argument(
        "--threads",
        metavar="N",
        type=_workers,
        help="how many threads parse at once; the result is the same for any number (default: one "
        "for each core)",
    )


def paths(text: str) -> list[str]:
    """Return paths with commas between them."""
    found = [path.strip() for path in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty path")
    return found


def _namespace(text: str) -> tuple[str, str]:
    """A prefix and a URI."""
    prefix, equals, uri = text.partition("=")
    if not (prefix and equals and uri):
        raise argparse.ArgumentTypeError(f"{text!r} is not P=URI, a prefix and its namespace")
    return prefix, uri


def count(text: str) -> int:
    """Return a number of records."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


def problems(text: str) -> int:
    """Return a number of problems."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of problems from 1 on")
    return int(text)


def steps(text: str) -> int:
    """Return a number of steps."""
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of steps")
    return int(text)


def _workers(text: str) -> int:
    """A number of threads."""
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads from 1 to 256")
    return int(text)


def level(text: str) -> int:
    """Return a level of a compression."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a level of a compression")
    return int(text)


def _spaces(text: str) -> int:
    """A number of spaces."""
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= 16):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of spaces up to 16")
    return int(text)
