"""What to say after an error, if the command line knows what may help: a flag that was left out."""

from __future__ import annotations

from penstock._io import formats as _formats
from penstock.cli import dialects

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from penstock import DecodeError

# The message of the JSON reader for NDJSON.
_MORE_VALUES = "expected the end of the document after the value"
# The message of the JSON reader for comments.
_COMMENT = "takes it with comments=True"
# The message of the CSV writer for objects and lists.
_NO_CELL = "which a cell cannot hold"
# The message of the search for a dialect.
_NO_DIALECT = "no dialect reads this as a table"
# What messages say of a table with one column, as one of another delimiter seems to have.
_ONE_COLUMN = ("there is 1 column", "the only column is")


def of(
    error: DecodeError,
    arguments: argparse.Namespace,
    name: str,
    first_line: Callable[[], bytes],
) -> Iterator[str]:
    """Yield the hints for an error in a file with this name, whose first line is looked at last."""
    if arguments.format is None:
        if error.reason.startswith(_MORE_VALUES):
            yield (
                "If each line is a record of its own, say --format ndjson; if values simply follow "
                "each other, say --framing concatenated."
            )
        is_json = error.format in {"json", "ndjson"}
        if is_json and error.offset == 0 and _formats.of_name(name) is None:
            yield "If it is not JSON, say what it is, such as --format csv."
    if _COMMENT in error.reason and error.format == "json":
        yield "To take comments and trailing commas, say --comments."
    if getattr(arguments, "encoding", None) is None and _is_encoded(error.reason, first_line):
        yield "If the file is not UTF-8, say its encoding, such as --encoding cp1252."
    if error.reason.endswith(_NO_CELL) and getattr(arguments, "flatten", None) is False:
        yield "--flatten makes columns of the members of objects, and text of lists."
        # One document is one record, although its records may be in a list.
        is_member = error.path is not None and "/" not in error.path and error.format == "json"
        if " a list, " in error.reason and is_member and arguments.at is None:
            yield f"If the elements of that list are the records, say --at '{error.path}/*'."
    if error.format == "csv" and not dialects.means_table(arguments):
        yield from _of_delimiter(error.reason, first_line)


def _is_encoded(reason: str, first_line: Callable[[], bytes]) -> bool:
    """Whether the problem may be that the file is not UTF-8."""
    if not reason.startswith(_NO_DIALECT):
        return reason.startswith("invalid UTF-8")
    try:
        first_line().decode()
    except UnicodeDecodeError:
        return True
    return False


def _of_delimiter(reason: str, first_line: Callable[[], bytes]) -> Iterator[str]:
    """What to say if the problem may be that the delimiter is another one."""
    has_one_column = any(words in reason for words in _ONE_COLUMN)
    if not has_one_column and not reason.startswith("the row has "):
        return
    line = first_line()
    for delimiter, shown, what in ((b";", "';'", "';'"), (b"\t", "'\\t'", "a tab")):
        if line.count(delimiter) > line.count(b","):
            yield (
                f"The delimiter seems to be {what}: say -d {shown}, or --dialect infer to find it."
            )
            return
    if has_one_column:
        yield "If the delimiter is another one, say -d ';', or --dialect infer to find it."
