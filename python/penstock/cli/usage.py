"""How the parser of the command line prints its help, and reports mistakes."""

from __future__ import annotations

import argparse
import sys

from penstock._base.errors import _printable
from penstock._io import formats as _formats
from penstock.cli.examples import EXAMPLES

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn, TypeAlias

    Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - it has no other name

# Commands of other tools, and what to use instead.
_ELSEWHERE = {
    **dict.fromkeys(("cat", "show", "print", "first"), "'head' prints records"),
    **dict.fromkeys(("validate", "lint", "test"), "'check' finds every problem"),
    **dict.fromkeys(("length", "wc"), "'count' counts records"),
    **dict.fromkeys(("fmt", "pretty", "indent"), "'format' indents a file"),
    **dict.fromkeys(("compress", "bgzip", "split"), "'recompress' makes files that can be split"),
    **dict.fromkeys(("to", "transform"), "'convert' writes another format"),
    **dict.fromkeys(("dialect", "delimiter"), "'sniff' finds the dialect of a CSV file"),
    **dict.fromkeys(("keys", "paths", "tree"), "'outline' shows the paths of a file"),
    **dict.fromkeys(("columns", "types", "arrow"), "'schema' shows the columns of a file"),
    **dict.fromkeys(
        ("grep", "search", "find"),
        "'penstock head --all FILE | grep WORD' finds records, and --where takes a condition",
    ),
    **dict.fromkeys(
        ("where", "filter", "query"),
        "--where of 'head', 'count', 'cut' and 'convert' chooses records",
    ),
    **dict.fromkeys(("join", "group", "sql"), "DuckDB takes penstock.columns() as a table"),
    **dict.fromkeys(
        ("sort", "uniq", "dedupe"),
        "'penstock cut -r FILE PATH | sort' sorts values; DuckDB sorts penstock.columns()",
    ),
    **dict.fromkeys(
        ("diff", "compare", "cmp"),
        "'penstock format --canonical FILE' writes a form that diff compares",
    ),
    **dict.fromkeys(
        ("generate", "codegen", "class", "model", "models"),
        "'infer' writes the code of a class that reads a file",
    ),
    **dict.fromkeys(
        ("jsonschema", "json_schema", "openapi"), "'json-schema' writes that of a class"
    ),
    "tail": "'penstock head --all FILE | tail' prints the last records",
    **dict.fromkeys(
        ("sample", "shuf", "random"), "'penstock head --all FILE | shuf -n 10' draws records"
    ),
    **dict.fromkeys(("select", "fields", "get"), "'cut' writes the values at some paths"),
}


class Format(argparse.HelpFormatter):
    """Formats the same help in each version of Python, at most 98 columns wide."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._width = min(self._width, 98)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Begin with a capital letter, as titles do."""
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Write `-n, --limit N`, which older versions write as `-n N, --limit N`."""
        if not action.option_strings:
            return self._metavar_formatter(action, action.dest)(1)[0]
        flags = ", ".join(action.option_strings)
        if not any(flag.startswith("-") and flag[1] != "-" for flag in action.option_strings):
            flags = f"    {flags}"
        if action.nargs == 0:
            return flags
        return f"{flags} {self._metavar_formatter(action, action.dest.upper())(1)[0]}"

    def _format_action(self, action: argparse.Action) -> str:
        """Leave out the line above the list of commands."""
        if action.nargs != argparse.PARSER:
            return super()._format_action(action)
        return "".join(self._format_action(command) for command in action._get_subactions())  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way to them


class Parser(argparse.ArgumentParser):
    """A parser that reports mistakes in two lines, and takes files among the options."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if sys.version_info >= (3, 14):
            # Help is the same in each version, so it has no colours.
            options["color"] = False
        super().__init__(*arguments, **options)
        self.examples: tuple[str, ...] = ()
        self.commands: dict[str, Parser] = {}

    def format_help(self) -> str:
        """Return the help, with the examples as they are typed."""
        examples = "".join(f"  {line}\n" for line in self.examples)
        return super().format_help() + (f"\nExamples:\n{examples}" if examples else "")

    def _check_help(self, action: argparse.Action) -> None:
        """Leave help as it is: from 3.14 on, each text is formatted, which imports much."""

    def parse_known_args(  # type: ignore[override]  # one of its overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Take files wherever they stand, and report an option that there is not."""
        found, rest = super().parse_known_args(args, namespace)
        # argparse takes all files from the first place where there is one.
        files = getattr(found, "files", None)
        if files is not None and rest:
            files += [word for word in rest if word == "-" or not word.startswith("-")]
            rest = [word for word in rest if word != "-" and word.startswith("-")]
        if self._subparsers is None and rest and rest[0].startswith("-"):
            option = rest[0].partition("=")[0]
            # An option such as `--where` may be what other tools have a command for.
            other = _ELSEWHERE.get(option.removeprefix("--"))
            hint = near(option, self._option_string_actions) or (f"; {other}" if other else "")
            self.error(f"there is no option {option!r}{hint}")
        return found, rest

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Say what to use instead of a command or a format that there is not."""
        word = str(value)
        if action.dest == "format":
            try:
                _formats.checked(word)
            except ValueError as error:
                reason = str(error).removeprefix("format=")
                raise argparse.ArgumentError(action, reason) from None
            return
        is_command = action.nargs == argparse.PARSER or action.dest == "about"
        if not is_command or action.choices is None or value in action.choices:
            super()._check_value(action, value)
            return
        hint = instead(word, action.choices)
        raise argparse.ArgumentError(None, f"there is no command {word!r}{hint}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f"{self.prog}: {_printable(message)}\nTry '{self.prog} --help'.\n")


def instead(word: str, commands: Iterable[str]) -> str:
    """Return what to say of a command that there is not: `; 'head' prints records`."""
    known = f"; {_ELSEWHERE[word]}" if word in _ELSEWHERE else near(word, commands)
    return known or f"; the commands are {', '.join(commands)}"


def near(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'head'?`, if there is a word like that."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    found = get_close_matches(word, known, 1, cutoff=0.7)
    return f"; did you mean {found[0]!r}?" if found else ""


def command(
    commands: Commands, name: str, summary: str, description: str, usage: str | None = None
) -> Parser:
    """Add a command, and return its parser."""
    added = commands.add_parser(
        name,
        prog=f"penstock {name}",
        usage=usage or f"penstock {name} [OPTIONS] FILE...",
        help=summary,
        description=description,
        formatter_class=Format,
        add_help=False,
        allow_abbrev=False,
    )
    added.examples = EXAMPLES[name]
    return added
