"""Every flag of the command line, each defined once.

argparse writes the help from it, `docs/command_line.md` prints the help, and the files in
`completions` are generated from the same parser. Tests compare all of them.
"""

from __future__ import annotations

import argparse
import sys

from penstock._base.errors import _printable
from penstock._io import formats as _formats
from penstock._rust import __version__

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn, TypeAlias

    Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"  # noqa: SLF001 - it has no other name

SHELLS = ("bash", "zsh", "fish")
COSTS = (
    *("arithmetic", "calls", "memory", "counting", "threads"),
    *("objects", "records", "clocks", "files", "processes"),
)
"""The groups of `penstock costs`, so that this need not import it."""

# Commands of other tools, and what to use instead.
_ELSEWHERE = {
    **dict.fromkeys(("cat", "show", "print", "first"), "'head' prints records"),
    **dict.fromkeys(("validate", "lint", "test"), "'check' finds every problem"),
    **dict.fromkeys(("length", "wc"), "'count' counts records"),
    **dict.fromkeys(("fmt", "pretty", "indent"), "'format' indents a file"),
    **dict.fromkeys(("compress", "bgzip", "split"), "'recompress' makes files that can be split"),
    **dict.fromkeys(("to", "transform"), "'convert' writes another format"),
    **dict.fromkeys(("infer", "dialect", "delimiter"), "'sniff' finds the dialect of a CSV file"),
    **dict.fromkeys(("keys", "paths", "tree"), "'outline' shows the paths of a file"),
    **dict.fromkeys(("columns", "types", "arrow"), "'schema' shows the columns of a file"),
    "tail": "only the first records can be printed, by 'head'",
}

_LOOKED_UP = "Python looks for the module in the current directory first"

# How each shell completes a file name, in the terms of shtab, which makes the completions.
_FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


class _Format(argparse.HelpFormatter):
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
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Write `-n, --records N`, which older versions write as `-n N, --records N`."""
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


class _Parser(argparse.ArgumentParser):
    """A parser that reports mistakes in two lines, and takes files among the options."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if sys.version_info >= (3, 14):
            # Help is the same in each version, so it has no colours.
            options["color"] = False
        super().__init__(*arguments, **options)

    def _check_help(self, action: argparse.Action) -> None:
        """Leave help as it is: from 3.14 on, each text is formatted, which imports much."""

    def parse_known_args(  # type: ignore[override]  # one of its overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, rest = super().parse_known_args(args, namespace)
        # argparse takes all files from the first place where there is one.
        files = getattr(found, "files", None)
        if files is not None and rest:
            files += [word for word in rest if word == "-" or not word.startswith("-")]
            rest = [word for word in rest if word != "-" and word.startswith("-")]
        if self._subparsers is None and rest and rest[0].startswith("-"):
            option = rest[0].partition("=")[0]
            near = _near(option, self._option_string_actions)
            self.error(f"there is no option {option!r}{near}")
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
        if action.nargs != argparse.PARSER or action.choices is None or value in action.choices:
            super()._check_value(action, value)
            return
        hint = f"; {_ELSEWHERE[word]}" if word in _ELSEWHERE else _near(word, action.choices)
        hint = hint or f"; the commands are {', '.join(action.choices)}"
        raise argparse.ArgumentError(None, f"there is no command {word!r}{hint}")

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {_printable(message)}\nTry '{self.prog} --help'.\n")


def _near(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'head'?`, if there is a word like that."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    near = get_close_matches(word, known, 1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    root = _Parser(
        "penstock",
        usage="penstock [OPTIONS] COMMAND ...",
        description="Looks into JSON, NDJSON, XML, CSV and property list files, as plain values or "
        "as objects of "
        "your classes.",
        epilog="'penstock COMMAND --help' says more about a command.",
        formatter_class=_Format,
        add_help=False,
        allow_abbrev=False,
    )
    commands = root.add_subparsers(
        title="Commands", metavar="COMMAND", dest="command", prog="penstock"
    )
    options = _options(root)
    options.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"penstock {__version__}",
        help="print the version and exit",
    )
    for add in (
        _add_outline,
        _add_schema,
        _add_sniff,
        _add_head,
        _add_count,
        _add_check,
        _add_convert,
        _add_cut,
        _add_recompress,
        _add_format,
        _add_plan,
        _add_costs,
        _add_completion,
    ):
        add(commands)
    return root


def _add_outline(commands: Commands) -> None:
    outline = _command(
        commands,
        "outline",
        "show the paths of a file",
        "Prints each path of the document, as --at takes it: how many values there are, of which "
        "kinds, and the first one as an example. Reads the file once. The keys of an object with "
        "more than 100 of them count as data, and are one path with a *. There are at most 10,000 "
        "paths.",
    )
    _file(outline)
    options = _options(outline)
    _delimiter(options)
    _source(options)
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say that paths were left out"
    )


def _add_schema(commands: Commands) -> None:
    schema = _command(
        commands,
        "schema",
        "show the columns of a file",
        "Prints the columns that the records have as Arrow data: their names, their types, and "
        "whether they may hold null; under a struct, its fields. Reads all of the file. With a "
        "class, prints the columns of that, and reads nothing.",
    )
    _file(schema)
    options = _options(schema)
    _at(options)
    _into(options, options, "the class of a record, whose fields are the columns")
    _delimiter(options)
    _source(options)
    _threads(options)


def _add_sniff(commands: Commands) -> None:
    sniff = _command(
        commands,
        "sniff",
        "find the dialect of a CSV file",
        "Prints the dialect in which a CSV file is written, as Python writes it, and its columns "
        "with the kinds of their cells. Reads the first 64 KiB. The lines after that, on standard "
        "error, say why: what each dialect makes of them.",
    )
    _file(sniff)
    options = _options(sniff)
    _into(options, options, "the class of a row, which knows the names and types of columns")
    options.add_argument(
        "--encoding", metavar="NAME", help="the encoding, whatever the file declares"
    )
    options.add_argument("--member", metavar="NAME", help="the file to read in a zip archive")
    options.add_argument("-q", "--quiet", action="store_true", help="do not say why")
    sniff.set_defaults(format="csv")


def _add_head(commands: Commands) -> None:
    head = _command(
        commands,
        "head",
        "print the first records",
        "Prints the first records: plain values as JSON, one per line, with every digit of their "
        "numbers; objects of a class as their repr(). If a JSON file is one long object, prints "
        "its members.",
    )
    _file(head)
    options = _options(head)
    options.add_argument(
        "-n",
        "--records",
        metavar="N",
        type=_count,
        default=10,
        help="how many records (default: 10)",
    )
    options.add_argument(
        "--full",
        action="store_true",
        help="print long records whole; otherwise they are shortened to about 2,000 characters",
    )
    _at(options)
    shape = options.add_mutually_exclusive_group()
    shape.add_argument(
        "--fields",
        metavar="PATHS",
        type=_paths,
        help="print only these values of each record: name,position/lat",
    )
    _into(shape, options, "the class that a record becomes")
    _delimiter(options)
    _source(options)
    _manners(options)


def _add_count(commands: Commands) -> None:
    count = _command(
        commands,
        "count",
        "count the records",
        "Prints how many records there are, and of several files how many in each. All of them is "
        "read, and must be well formed.",
    )
    _file(count)
    options = _options(count)
    _at(options)
    _delimiter(options)
    _source(options)
    _threads(options)
    _manners(options)


def _add_check(commands: Commands) -> None:
    check = _command(
        commands,
        "check",
        "find every problem",
        "Prints every problem, with its position: malformed input and, with a class, "
        "values that do not fit it. The exit code is 1 if there is a problem.",
    )
    _file(check)
    options = _options(check)
    _at(options)
    _into(options, options, "the class that each record must fit")
    options.add_argument(
        "--unknown",
        metavar="WHAT",
        choices=("skip", "error"),
        default="skip",
        help="what to do with keys that the class does not name: skip or error (default: skip)",
    )
    _delimiter(options)
    _source(options)
    _threads(options)
    _manners(options)


def _add_convert(commands: Commands) -> None:
    convert = _command(
        commands,
        "convert",
        "write a file in another format",
        "Converts a file to JSON, NDJSON, XML, CSV or a property list, in constant memory. The "
        "target is replaced "
        "at the end, or not at all, and may be the source. Its suffix says its format, and how it "
        "is compressed. Numbers keep their digits. The exit code is 1 if a record was left out.",
        usage="penstock convert [OPTIONS] SOURCE TARGET",
    )
    _sides(convert, target="where to write; - is standard output, and needs --to")
    options = _options(convert)
    options.add_argument(
        "--to",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help=f"the format of the target: {_formats.listed(_formats.NAMES, 'or')} (default: that of "
        "its suffix)",
    )
    _at(
        options,
        "the whole document; for NDJSON, for CSV and with --into as for 'count'",
    )
    _into(options, options, "the class that each record is checked and written by")
    options.add_argument(
        "--form",
        metavar="FORM",
        choices=("plain", "element"),
        default="plain",
        help="how XML stands in JSON: plain, with @ for attributes and #text, or element, in lists "
        "that lose nothing (default: plain)",
    )
    options.add_argument(
        "--errors",
        metavar="WHAT",
        choices=("raise", "skip", "collect"),
        default="raise",
        help="what to do at a record in error: raise ends the conversion, and the old target "
        "stays; skip leaves it out, and collect prints the error as well (default: raise)",
    )
    _indent(options, "JSON is on one line, XML has no line breaks")
    options.add_argument(
        "--root", metavar="NAME", help="XML's root element, if there is none (default: root)"
    )
    options.add_argument(
        "--record", metavar="NAME", help="the element of XML for each record (default: item)"
    )
    _delimiters(options)
    _source(options)
    _threads(options)
    _manners(options, timing=False)


def _add_cut(commands: Commands) -> None:
    cut = _command(
        commands,
        "cut",
        "keep some columns, in an order",
        "Writes some columns of a CSV file, in the order in which they are named. A column is its "
        "name, or its position from 0 if no column has that name. first:last is all columns from "
        "one to another, and :last and last: are those before and after it. A name with a comma or "
        "a colon needs quotes, as in CSV. Of other formats, writes the values at some paths of "
        "each record, as --fields of 'head' takes them. The target has the format of the source, "
        "if neither its suffix nor --to says another one; of XML it is NDJSON.",
        usage="penstock cut [OPTIONS] SOURCE COLUMNS [TARGET]",
    )
    arguments = cut.add_argument_group("Arguments")
    source = arguments.add_argument(
        "source",
        metavar="SOURCE",
        help="CSV, JSON, NDJSON or XML, also compressed (gzip, zstd, bzip2, xz, zip); - is "
        "standard input",
    )
    arguments.add_argument(
        "columns", metavar="COLUMNS", help="name,size or 2,0 or first:last; paths of other formats"
    )
    written = arguments.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        default="-",
        help="where to write; may be the source (default: standard output)",
    )
    source.complete = written.complete = _FILES  # type: ignore[attr-defined]  # as below
    options = _options(cut)
    options.add_argument(
        "-v", "--invert", action="store_true", help="leave these columns out, and keep the others"
    )
    options.add_argument(
        "--no-header",
        action="store_true",
        help="the first row is data: columns are positions, and no header is written",
    )
    options.add_argument(
        "--to",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help=f"the format of the target: {_formats.listed(_formats.NAMES, 'or')}",
    )
    _delimiters(options)
    _at(options)
    _source(options)
    _threads(options)
    _manners(options, timing=False)


def _add_recompress(commands: Commands) -> None:
    recompress = _command(
        commands,
        "recompress",
        "compress a file so that it can be split",
        "Compresses a file in pieces, so that a reader can begin with any of them: gzip as BGZF, "
        "or zstd in frames with a seek table. The bytes stay as they are, whatever the format is, "
        "and other tools read the result as usual. Pieces end where lines end, and in CSV where "
        "rows end. The target is replaced at the end, or not at all, and may be the source.",
        usage="penstock recompress [OPTIONS] SOURCE TARGET",
    )
    arguments = recompress.add_argument_group("Arguments")
    source = arguments.add_argument(
        "source",
        metavar="SOURCE",
        help="any file, also compressed (gzip, zstd, bzip2, xz, zip); - is standard input",
    )
    written = arguments.add_argument(
        "target",
        metavar="TARGET",
        help="where to write: .gz, .bgz or .zst; - is standard output, and needs --to",
    )
    source.complete = written.complete = _FILES  # type: ignore[attr-defined]  # as below
    options = _options(recompress)
    options.add_argument(
        "--to",
        metavar="HOW",
        choices=("gzip", "zstd"),
        help="the compression: gzip or zstd (default: that of the suffix of the target)",
    )
    options.add_argument(
        "--level",
        metavar="N",
        type=_level,
        help="how well to compress: 0 to 9 for gzip, up to 22 for zstd (default: 6, and 3)",
    )
    options.add_argument(
        "--index", action="store_true", help="also write TARGET.gzi, the index of bgzip"
    )
    options.add_argument(
        "--format",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help="the format, if the name does not show that it is csv, where quotes hold line feeds",
    )
    options.add_argument("--member", metavar="NAME", help="the file to read in a zip archive")
    _manners(options, timing=False)


def _add_format(commands: Commands) -> None:
    command = _command(
        commands,
        "format",
        "indent a file",
        "Writes a file in its own format: indented, on one line, or in the canonical form. Numbers "
        "keep their digits, and comments of XML stay.",
        usage="penstock format [OPTIONS] SOURCE [TARGET]",
    )
    _sides(command, target="where to write; may be the source (default: standard output)")
    options = _options(command)
    shape = options.add_mutually_exclusive_group()
    _indent(shape, "2, and none for NDJSON")
    shape.add_argument("--compact", action="store_true", help="write no white space")
    shape.add_argument(
        "--canonical", action="store_true", help="write the canonical form of JSON (RFC 8785)"
    )
    options.add_argument(
        "--sort-keys", action="store_true", help="write members of JSON in the order of their keys"
    )
    _source(options)
    _threads(options)
    _manners(options, timing=False)


def _sides(command: _Parser, target: str) -> None:
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
    source.complete = written.complete = _FILES  # type: ignore[attr-defined]  # as below


def _delimiter(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "-d",
        "--delimiter",
        metavar="TEXT",
        help="the delimiter of a source of CSV: ';', or \\t for a tab; infer is the dialect that "
        "'sniff' finds (default: by its suffix)",
    )


def _delimiters(options: argparse._ArgumentGroup) -> None:
    _delimiter(options)
    options.add_argument("--to-delimiter", metavar="TEXT", help="the same for a target of CSV")
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


def _indent(options: argparse._ActionsContainer, otherwise: str) -> None:
    options.add_argument(
        "--indent",
        metavar="N",
        type=_spaces,
        help=f"the spaces for each level (default: {otherwise})",
    )


def _add_plan(commands: Commands) -> None:
    plan = _command(
        commands,
        "plan",
        "show how a class is read",
        "Prints how records become objects of a class: its fields, their paths, and whether "
        "Penstock fills objects directly or calls the class. Shows XML as well if it differs.",
        usage="penstock plan [OPTIONS] MODULE:CLASS",
    )
    arguments = plan.add_argument_group("Arguments")
    arguments.add_argument("into", metavar="MODULE:CLASS", help=f"the class; {_LOOKED_UP}")
    _options(plan)


def _add_costs(commands: Commands) -> None:
    costs = _command(
        commands,
        "costs",
        "show what operations cost here",
        "Measures about sixty operations on this machine, from an addition to starting a process, "
        "and prints a table: the time of one operation, its uncertainty, the time of the first "
        "one, how many fit in 1/60 second, and the ratio to the first row. If a row fails its own "
        "check, the table says so and the exit code is 1.",
        usage="penstock costs [OPTIONS]",
    )
    options = _options(costs)
    options.add_argument(
        "--group",
        metavar="NAME",
        choices=COSTS,
        action="append",
        help=f"only this group, may be repeated: {', '.join(COSTS)}",
    )
    options.add_argument(
        "--quick", action="store_true", help="take ten seconds, not a minute; spreads are wider"
    )
    written = options.add_argument(
        "--json",
        metavar="FILE",
        help="also write the measurements; - prints them instead of the table",
    )
    compared = options.add_argument(
        "--compare", metavar="FILE", help="show what changed since --json wrote FILE"
    )
    drawn = options.add_argument(
        "--plot", metavar="FILE", help="also draw a chart; FILE ends in .svg or .html"
    )
    shown = options.add_argument(
        "--show",
        metavar="FILE",
        help="show the record that --json wrote to FILE, without measuring",
    )
    for file in (written, compared, drawn, shown):
        file.complete = _FILES  # type: ignore[attr-defined]  # this is where shtab looks
    options.add_argument(
        "--self-test",
        action="store_true",
        help="measure rows that are wrong on purpose, and say whether each is caught",
    )
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say what is being measured"
    )


def _add_completion(commands: Commands) -> None:
    completion = _command(
        commands,
        "completion",
        "print the completions for a shell",
        "Prints the completions of the commands and options of penstock for a shell.",
        usage="penstock completion [OPTIONS] SHELL",
    )
    arguments = completion.add_argument_group("Arguments")
    arguments.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help="the shell: bash, zsh or fish"
    )
    _options(completion)


def _command(
    commands: Commands, name: str, summary: str, description: str, usage: str | None = None
) -> _Parser:
    return commands.add_parser(
        name,
        prog=f"penstock {name}",
        usage=usage or f"penstock {name} [OPTIONS] FILE...",
        help=summary,
        description=description,
        formatter_class=_Format,
        add_help=False,
        allow_abbrev=False,
    )


def _options(command: _Parser) -> argparse._ArgumentGroup:
    options = command.add_argument_group("Options")
    options.add_argument("-h", "--help", action="help", help="print this help and exit")
    return options


def _file(command: _Parser) -> None:
    arguments = command.add_argument_group("Arguments")
    file = arguments.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="JSON, NDJSON, XML, CSV or plist, also compressed (gzip, zstd, bzip2, xz, zip); a "
        "folder "
        "means the files in it; - is standard input, and may be left out if data is piped in",
    )
    file.complete = _FILES  # type: ignore[attr-defined]  # this is where shtab looks


def _at(
    options: argparse._ArgumentGroup,
    otherwise: str = "the elements of a top-level array, the lines of NDJSON, the rows of CSV, the "
    "children of the root of XML",
) -> None:
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


def _into(shape: argparse._ActionsContainer, options: argparse._ArgumentGroup, what: str) -> None:
    shape.add_argument("--into", metavar="MODULE:CLASS", help=f"{what}; {_LOOKED_UP}")
    options.add_argument(
        "--rename",
        metavar="STYLE",
        action="append",
        help="how keys are made from the names of fields: camel, pascal, kebab, snake or upper; or "
        "FIELD=KEY, which may be repeated",
    )


def _source(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--format",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help=f"the format: {_formats.listed(_formats.NAMES, 'or')}; needed if neither the name "
        "nor the first bytes show it",
    )
    options.add_argument(
        "--encoding", metavar="NAME", help="the encoding, whatever the file declares"
    )
    options.add_argument("--member", metavar="NAME", help="the file to read in a zip archive")
    options.add_argument(
        "--framing",
        metavar="HOW",
        choices=("lines", "concatenated", "sequence"),
        help="what separates values of JSON: lines, nothing (concatenated) or the character RS "
        "(sequence, RFC 7464)",
    )


def _manners(options: argparse._ArgumentGroup, *, timing: bool = True) -> None:
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
    if timing:
        options.add_argument(
            "--timing", action="store_true", help="say at the end where the time went"
        )


def _threads(options: argparse._ArgumentGroup) -> None:
    options.add_argument(
        "--threads",
        metavar="N",
        type=_workers,
        help="how many threads parse at once; the result is the same for any number (default: one "
        "for each core)",
    )


def _paths(text: str) -> list[str]:
    """Paths with commas between them."""
    paths = [path.strip() for path in text.split(",")]
    if not all(paths):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty path")
    return paths


def _namespace(text: str) -> tuple[str, str]:
    """A prefix and a URI."""
    prefix, equals, uri = text.partition("=")
    if not (prefix and equals and uri):
        raise argparse.ArgumentTypeError(f"{text!r} is not P=URI, a prefix and its namespace")
    return prefix, uri


def _count(text: str) -> int:
    """A number of records."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


def _workers(text: str) -> int:
    """A number of threads."""
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads from 1 to 256")
    return int(text)


def _level(text: str) -> int:
    """A level of a compression."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a level of a compression")
    return int(text)


def _spaces(text: str) -> int:
    """A number of spaces."""
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= 16):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of spaces up to 16")
    return int(text)
