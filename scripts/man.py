"""Generate the manual page of penstock.

    make completions

The page comes from the parser alone, as the completions do; `tests/cli/test_man.py` compares it.
"""

import argparse
import sys
from pathlib import Path

from penstock.cli.parser import parser
from penstock.cli.usage import Parser

PAGE = Path(__file__).parent.parent / "docs" / "penstock.1"

EXITS = (
    ("0", "All is well, or the reader of the output stopped early."),
    ("1", "The data is at fault: it is malformed, does not fit the class, or nothing matches."),
    ("2", "Anything else went wrong: the arguments, a class, a file."),
    ("130, 143", "It was interrupted, or terminated."),
)
ENVIRONMENT = (
    ("NO_COLOR", "If it is set, nothing is written in colour."),
    ("FORCE_COLOR", "If it is set, errors are written in colour, also into a pipe."),
    ("CI", "If it is set, no progress is shown."),
)


def generated() -> str:
    """Return the text of the page."""
    root = parser()
    lines = [
        '.\\" scripts/man.py writes this file: make completions.',
        '.TH PENSTOCK 1 "" "penstock" "User Commands"',
        ".SH NAME",
        "penstock \\- look into JSON, NDJSON, XML, CSV and property list files",
        ".SH SYNOPSIS",
        ".B penstock",
        ".I COMMAND",
        "[OPTIONS] ...",
        ".SH DESCRIPTION",
        _escaped(root.description or ""),
        *_options(root),
        ".SH COMMANDS",
    ]
    for name, command in root.commands.items():
        lines += [f".SS penstock {name}", _escaped(command.description or "")]
        lines += [".PP", _escaped(command.usage or "")]
        lines += _options(command)
        lines += [".PP", "Examples:", ".PP", ".nf", ".RS"]
        lines += [_escaped(example) for example in command.examples]
        lines += [".RE", ".fi"]
    for title, entries in (("EXIT STATUS", EXITS), ("ENVIRONMENT", ENVIRONMENT)):
        lines.append(f".SH {title}")
        for term, text in entries:
            lines += [".TP", f".B {_escaped(term)}", _escaped(text)]
    lines += [".SH SEE ALSO", "https://penstock-data.github.io/penstock/command_line.html"]
    return "\n".join(lines) + "\n"


def _options(command: Parser) -> list[str]:
    """Each argument and option of a command, but not the list of commands."""
    lines = []
    for action in command._actions:  # noqa: SLF001 - there is no public way
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            continue
        shown = ", ".join(action.option_strings) or str(action.metavar)
        value = f" {action.metavar}" if action.option_strings and action.metavar else ""
        lines += [".TP", f"\\fB{_escaped(shown)}\\fR{_escaped(value)}", _escaped(action.help or "")]
    return lines


def _escaped(text: str) -> str:
    """Return text in which roff finds no control characters."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main() -> None:
    """Write the page."""
    PAGE.write_text(generated(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
