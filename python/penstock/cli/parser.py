"""Every command and flag of the command line, each defined once.

`flags` has the flags that several commands share, and `dialects` those that say how a file is read.
argparse writes the help from it, `docs/command_line.md` prints the help, and the files in
`completions` are generated from the same parser. Tests compare all of them.
"""

from __future__ import annotations

from penstock._io import formats as _formats
from penstock._rust import __version__
from penstock.cli import dialects, flags, usage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.cli.usage import Commands

KINDS = ("dataclass", "attrs", "pydantic", "msgspec", "typeddict")
"""The kinds of classes of `penstock infer`, so that this need not import it."""
EACH = "each of them is written"
"""What becomes of the members of a repeated key, without a flag."""
SHELLS = ("bash", "zsh", "fish")
COSTS = (
    *("arithmetic", "calls", "memory", "counting", "threads"),
    *("objects", "records", "clocks", "files", "processes"),
)
"""The groups of `penstock costs`, so that this need not import it."""


def parser(only: str | None = None) -> usage.Parser:
    """Return the parser of the whole command line, or with one command `only`, to start sooner."""
    root = usage.Parser(
        "penstock",
        usage="penstock [OPTIONS] COMMAND ...",
        description="Looks into JSON, NDJSON, XML, CSV and property list files, as plain values or "
        "as objects of "
        "your classes.",
        epilog="'penstock help COMMAND' says more about a command.",
        formatter_class=usage.Format,
        add_help=False,
        allow_abbrev=False,
    )
    commands = root.add_subparsers(
        title="Commands", metavar="COMMAND", dest="command", prog="penstock"
    )
    options = flags.start(root)
    options.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"penstock {__version__}",
        help="print the version and exit",
    )
    adders = _adders()
    if only not in adders or only == "help":
        only = None
    for name, add in adders.items():
        if only is None or name == only:
            add(commands)
    root.commands = dict(commands.choices)
    return root


def _adders() -> dict[str, Callable[[Commands], None]]:
    """Return what adds each command, in their order. The last one has the names of all."""
    return {
        "outline": _add_outline,
        "schema": _add_schema,
        "infer": _add_infer,
        "sniff": _add_sniff,
        "head": _add_head,
        "count": _add_count,
        "check": _add_check,
        "convert": _add_convert,
        "cut": _add_cut,
        "recompress": _add_recompress,
        "format": _add_format,
        "plan": _add_plan,
        "json-schema": _add_json_schema,
        "costs": _add_costs,
        "completion": _add_completion,
        "help": _add_help,
    }


def _add_outline(commands: Commands) -> None:
    outline = usage.command(
        commands,
        "outline",
        "show the paths of a file",
        "Prints each path of the document, as --at takes it: how many values there are, of which "
        "kinds, and the first one as an example. Reads the file once. The keys of an object with "
        "more than 100 of them count as data, and are one path with a *. There are at most 10,000 "
        "paths.",
    )
    flags.files(outline)
    options = flags.start(outline)
    flags.where(options)
    options.add_argument(
        "--depth",
        metavar="N",
        type=flags.steps,
        help="show only paths of at most so many steps (default: all)",
    )
    flags.errors(options)
    flags.json(options)
    dialects.flags(outline, duplicates=None)
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say that paths or records were left out"
    )


def _add_schema(commands: Commands) -> None:
    schema = usage.command(
        commands,
        "schema",
        "show the columns of a file",
        "Prints the columns that the records have as Arrow data: their names, their types, and "
        "whether they may hold null; under a struct, its fields. Reads all of the file. With a "
        "class, prints the columns of that, and needs no file.",
    )
    flags.files(schema)
    options = flags.start(schema)
    flags.at(options)
    flags.where(options)
    flags.into(options, options, "the class of a record, whose fields are the columns")
    flags.errors(options, collect=False)
    flags.limit(options, "look at no more than so many records of each file (default: all)")
    flags.json(options)
    dialects.flags(schema, duplicates=None)
    flags.threads(options)
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say that records were left out"
    )


def _add_infer(commands: Commands) -> None:
    infer = usage.command(
        commands,
        "infer",
        "write the code of a class that reads a file",
        "Prints the code of a class that reads the records, with the classes inside of it. A "
        "comment beside each field says what was seen of its values. Reads all of the file, once. "
        "With --into, prints what differs from a class that there is: values that it refuses, keys "
        "for which it has no field, and fields that are nowhere in the file. Then it reads the "
        "file twice, and the exit code is 1 if something differs.",
    )
    flags.files(infer)
    options = flags.start(infer)
    options.add_argument(
        "--name", metavar="NAME", default="Record", help="the name of the class (default: Record)"
    )
    options.add_argument(
        "--kind",
        metavar="KIND",
        choices=KINDS,
        default="dataclass",
        help="the kind of class: dataclass, attrs, pydantic, msgspec or typeddict (default: "
        "dataclass)",
    )
    source = options.add_mutually_exclusive_group()
    flags.into(source, options, "print what differs from this class, instead of code")
    source.add_argument(
        "--json-schema",
        action="store_true",
        help="the file is a JSON Schema (draft 7 or 2020-12) or a document of OpenAPI: print the "
        "code of classes that read what it describes",
    )
    flags.at(options)
    flags.where(options)
    flags.errors(options, collect=False)
    dialects.flags(infer, duplicates=None)
    flags.threads(options)
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say that records were left out"
    )


def _add_sniff(commands: Commands) -> None:
    sniff = usage.command(
        commands,
        "sniff",
        "find the dialect of a CSV file",
        "Prints the dialect in which a CSV file is written, as Python writes it, and its columns "
        "with the kinds of their cells. Reads the first 64 KiB. The lines after that, on standard "
        "error, say why: what each dialect makes of them.",
    )
    flags.files(sniff)
    options = flags.start(sniff)
    flags.into(options, options, "the class of a row, which knows the names and types of columns")
    flags.json(options)
    options.add_argument(
        "--encoding", metavar="NAME", help="the encoding, whatever the file declares"
    )
    options.add_argument("--member", metavar="NAME", help="the file to read in a zip archive")
    options.add_argument("-q", "--quiet", action="store_true", help="do not say why")
    sniff.set_defaults(format="csv")


def _add_head(commands: Commands) -> None:
    head = usage.command(
        commands,
        "head",
        "print the first records",
        "Prints the first records: plain values as JSON, one per line, with every digit of their "
        "numbers; objects of a class as their repr(). If a JSON file is one long object, prints "
        "its members.",
    )
    flags.files(head)
    options = flags.start(head)
    limit = options.add_mutually_exclusive_group()
    flags.limit(limit, "print at most so many records (default: 10)", 10)
    limit.add_argument(
        "--all", dest="limit", action="store_const", const=None, help="print all records"
    )
    flags.raw(options, "print records that are text without quotes and escapes, as jq -r does")
    options.add_argument(
        "--full",
        action="store_true",
        help="print long records whole; otherwise they are shortened to about 2,000 characters",
    )
    flags.at(options)
    flags.where(options)
    shape = options.add_mutually_exclusive_group()
    shape.add_argument(
        "--fields",
        metavar="PATHS",
        type=flags.paths,
        help="print only these values of each record: name,position/lat",
    )
    flags.into(shape, options, "the class that a record becomes")
    flags.errors(options)
    dialects.flags(head)
    flags.manners(options)


def _add_count(commands: Commands) -> None:
    count = usage.command(
        commands,
        "count",
        "count the records",
        "Prints how many records there are, and of several files how many in each. All of them is "
        "read, and must be well formed.",
    )
    flags.files(count)
    options = flags.start(count)
    flags.at(options)
    flags.where(options)
    flags.errors(options)
    flags.max_errors(options, "count to the end; only with --errors skip or collect")
    flags.limit(options, "count no further than to so many records (default: all)")
    dialects.flags(count)
    flags.threads(options)
    flags.manners(options)


def _add_check(commands: Commands) -> None:
    check = usage.command(
        commands,
        "check",
        "find every problem",
        "Prints every problem, with its position: malformed input and, with a class, "
        "values that do not fit it. The exit code is 1 if there is a problem.",
    )
    flags.files(check)
    options = flags.start(check)
    flags.at(options)
    flags.where(options)
    flags.into(options, options, "the class that each record must fit")
    options.add_argument(
        "--unknown",
        metavar="WHAT",
        choices=("skip", "error"),
        default="skip",
        help="what to do with keys that the class does not name: skip or error (default: skip)",
    )
    flags.limit(options, "check at most so many records (default: all)")
    flags.max_errors(options, "find all")
    shape = options.add_mutually_exclusive_group()
    flags.json(shape, "problem")
    shape.add_argument(
        "--sarif", action="store_true", help="print a log of SARIF 2.1.0, as code hosts take it"
    )
    dialects.flags(check)
    flags.threads(options)
    flags.manners(options)


def _add_convert(commands: Commands) -> None:
    convert = usage.command(
        commands,
        "convert",
        "write a file in another format",
        "Converts a file to JSON, NDJSON, XML, CSV or a property list, in constant memory. The "
        "target is replaced "
        "at the end, or not at all, and may be the source. Its suffix says its format, and how it "
        "is compressed. Numbers keep their digits. The exit code is 1 if a record was left out.",
        usage="penstock convert [OPTIONS] SOURCE TARGET",
    )
    flags.sides(convert, target="where to write; - is standard output, and needs --to")
    options = flags.start(convert)
    options.add_argument(
        "--to",
        metavar="FORMAT",
        choices=(*_formats.NAMES, *_formats.TABLES),
        help="the format of the target: "
        f"{_formats.listed((*_formats.NAMES, *_formats.TABLES), 'or')} (default: that of its "
        "suffix)",
    )
    flags.at(
        options,
        "the whole document; for NDJSON, for CSV and with --into as for 'count'",
    )
    flags.where(options)
    shape = options.add_mutually_exclusive_group()
    flags.into(shape, options, "the class that each record is checked and written by")
    shape.add_argument(
        "--flatten",
        action="store_true",
        help="write nested records flat, with keys such as position/lat, for a table; lists are "
        "text in CSV; reads the file twice",
    )
    shape.add_argument(
        "--types",
        action="store_true",
        help="write the numbers and booleans of CSV as such, where a column has nothing else, as "
        "'schema' finds them; reads the file twice",
    )
    options.add_argument(
        "--form",
        metavar="FORM",
        choices=("plain", "element"),
        default="plain",
        help="how XML stands in JSON: plain, with @ for attributes and #text, or element, in lists "
        "that lose nothing (default: plain)",
    )
    flags.errors(options, "ends the conversion, and the old target stays")
    flags.limit(options, "write at most so many records (default: all)")
    flags.indent(options, "JSON is on one line, XML has no line breaks")
    options.add_argument(
        "--root", metavar="NAME", help="XML's root element, if there is none (default: root)"
    )
    options.add_argument(
        "--record", metavar="NAME", help="the element of XML for each record (default: item)"
    )
    flags.written(options)
    dialects.flags(convert, duplicates=EACH)
    flags.threads(options)
    flags.manners(options, timing=False)


def _add_cut(commands: Commands) -> None:
    cut = usage.command(
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
    source.complete = written.complete = flags.FILES  # type: ignore[attr-defined]  # as below
    options = flags.start(cut)
    options.add_argument(
        "-v", "--invert", action="store_true", help="leave these columns out, and keep the others"
    )
    options.add_argument(
        "--to",
        metavar="FORMAT",
        choices=_formats.NAMES,
        help=f"the format of the target: {_formats.listed(_formats.NAMES, 'or')}",
    )
    flags.written(options)
    flags.at(options)
    flags.where(options)
    flags.raw(
        options,
        "print values as text: a record in a line, tabs between values, no quotes and no header",
    )
    flags.errors(options, "ends the command, and the old target stays")
    flags.limit(options, "write at most so many records (default: all)")
    dialects.flags(cut)
    flags.threads(options)
    flags.manners(options, timing=False)


def _add_recompress(commands: Commands) -> None:
    recompress = usage.command(
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
    source.complete = written.complete = flags.FILES  # type: ignore[attr-defined]  # as below
    options = flags.start(recompress)
    options.add_argument(
        "--to",
        metavar="HOW",
        choices=("gzip", "zstd"),
        help="the compression: gzip or zstd (default: that of the suffix of the target)",
    )
    options.add_argument(
        "--level",
        metavar="N",
        type=flags.level,
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
    flags.manners(options, timing=False)


def _add_format(commands: Commands) -> None:
    command = usage.command(
        commands,
        "format",
        "indent a file",
        "Writes a file in its own format: indented, on one line, or in the canonical form. Numbers "
        "keep their digits, and comments of XML stay.",
        usage="penstock format [OPTIONS] SOURCE [TARGET]",
    )
    flags.sides(command, target="where to write; may be the source (default: standard output)")
    options = flags.start(command)
    flags.where(options)
    shape = options.add_mutually_exclusive_group()
    flags.indent(shape, "2, and none for NDJSON")
    shape.add_argument("--compact", action="store_true", help="write no white space")
    shape.add_argument(
        "--canonical", action="store_true", help="write the canonical form of JSON (RFC 8785)"
    )
    options.add_argument(
        "--sort-keys", action="store_true", help="write members of JSON in the order of their keys"
    )
    flags.errors(options, "ends the command, and the old target stays")
    dialects.flags(command, table=False, duplicates=EACH)
    flags.threads(options)
    flags.manners(options, timing=False)


def _add_plan(commands: Commands) -> None:
    plan = usage.command(
        commands,
        "plan",
        "show how a class is read",
        "Prints how records become objects of a class: its fields, their paths, and whether "
        "Penstock fills objects directly or calls the class. Shows XML as well if it differs.",
        usage="penstock plan [OPTIONS] MODULE:CLASS",
    )
    arguments = plan.add_argument_group("Arguments")
    arguments.add_argument("into", metavar="MODULE:CLASS", help=f"the class; {flags.LOOKED_UP}")
    flags.start(plan)


def _add_json_schema(commands: Commands) -> None:
    schema = usage.command(
        commands,
        "json-schema",
        "write the JSON Schema of a class",
        "Prints the JSON Schema (draft 2020-12) of a class: which documents of JSON it reads, with "
        "its keys, required fields, unions and constraints. The classes inside of it are in $defs.",
        usage="penstock json-schema [OPTIONS] MODULE:CLASS",
    )
    arguments = schema.add_argument_group("Arguments")
    arguments.add_argument("into", metavar="MODULE:CLASS", help=f"the class; {flags.LOOKED_UP}")
    options = flags.start(schema)
    options.add_argument(
        "--mode",
        metavar="MODE",
        choices=("decode", "encode"),
        default="decode",
        help="decode for the documents that are read, or encode for those that are written "
        "(default: decode)",
    )
    options.add_argument(
        "--ref",
        metavar="TEXT",
        default="#/$defs/{name}",
        help="how a class is referred to; {name} stands for its name (default: #/$defs/{name})",
    )
    flags.rename(options)


def _add_costs(commands: Commands) -> None:
    costs = usage.command(
        commands,
        "costs",
        "show what operations cost here",
        "Measures about sixty operations on this machine, from an addition to starting a process, "
        "and prints a table: the time of one operation, its uncertainty, the time of the first "
        "one, how many fit in 1/60 second, and the ratio to the first row. If a row fails its own "
        "check, the table says so and the exit code is 1.",
        usage="penstock costs [OPTIONS]",
    )
    options = flags.start(costs)
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
        file.complete = flags.FILES  # type: ignore[attr-defined]  # this is where shtab looks
    options.add_argument(
        "--self-test",
        action="store_true",
        help="measure rows that are wrong on purpose, and say whether each is caught",
    )
    options.add_argument(
        "-q", "--quiet", action="store_true", help="do not say what is being measured"
    )


def _add_completion(commands: Commands) -> None:
    completion = usage.command(
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
    flags.start(completion)


def _add_help(commands: Commands) -> None:
    about = usage.command(
        commands,
        "help",
        "print the help of a command",
        "Prints the help of a command, as its --help does, or the list of all commands.",
        usage="penstock help [OPTIONS] [COMMAND]",
    )
    arguments = about.add_argument_group("Arguments")
    # As it is the last one, these are all.
    names = tuple(commands.choices)
    arguments.add_argument("about", metavar="COMMAND", nargs="?", choices=names, help="the command")
    flags.start(about)
