"""`penstock head`: the first records."""

from __future__ import annotations

from itertools import islice

from penstock._base.errors import _printable
from penstock.cli import CommandError, into, left_out
from penstock.cli.files import named
from penstock.cli.paths import unmatched
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock import Reader
    from penstock._base.types import Errors
    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print them; return whether something is wrong."""
    wanted = into.wanted(arguments)
    if arguments.raw and (wanted is not None or arguments.fields):
        what = "--into makes objects" if arguments.fields is None else "--fields makes objects"
        raise CommandError(f"--raw is for records that are text, and {what}: use 'penstock cut -r'")
    names = named(arguments)
    errors = left_out.chosen(arguments, printer)
    printed = 0
    bad = False
    for name in names:
        left = None if arguments.limit is None else arguments.limit - printed
        if left == 0:
            return bad
        with Source(arguments, name) as source:
            if wanted is not None:
                reader = source.read(wanted, errors=errors)
                count = _objects(reader, source, left, printer)
            else:
                values = _Values(arguments, source, left, errors, printer)
                count = _values(arguments, source, values)
                reader = values.reader
            printed += count
            bad |= left_out.told(source.name, reader, printer)
    return unmatched(arguments, names, printed, printer) or bad


def _objects(reader: Reader[Any], source: Source, left: int | None, printer: Printer) -> int:
    """Print objects of a class; return how many."""
    count = 0
    with reader, printer.watching(reader, source.name):
        for record in islice(reader, left):
            # The class may have a `repr` of its own, of several lines or with the input's text.
            printer.data(_printable(repr(record)))
            count += 1
    printer.timing(reader)
    return count


def _values(arguments: argparse.Namespace, source: Source, values: _Values) -> int:
    """Print plain values, shortened if they are long; return how many."""
    # A condition asks for the records that there are without a path.
    looks = source.format == "json" and arguments.at is None and arguments.where is None
    opening = source.opening() if looks else ""
    # The members of one long object are worth more than its beginning. A compressed file that turns
    # out to have another root is read again.
    if not arguments.fields and (opening in {"{", "["} or (opening and not source.is_stream)):
        values.print("*")
        if not values.read and opening == "{":
            values.show("{}", is_short=False)
        if values.read or opening != "?":
            return values.told()
    values.print(None)
    return values.told()


class _Values:
    """The first records of a file as plain values."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        source: Source,
        left: int | None,
        errors: Errors,
        printer: Printer,
    ) -> None:
        from penstock.cli import plain  # noqa: PLC0415 - objects need none of it

        self._source = source
        self._printer = printer
        self._left = left
        self._errors = errors
        self._written = plain.written
        self._fields: list[str] = arguments.fields or []
        kind = source.format
        self._type = plain.chosen(kind, self._fields) if self._fields else plain.exact(kind)
        # Values that somebody asks for are printed whole.
        is_whole = arguments.full or arguments.timing or self._fields or arguments.raw
        self._is_raw: bool = arguments.raw
        self._whole = None if is_whole else plain.WHOLE
        self._is_timed: bool = arguments.timing
        self._longest = plain.WHOLE
        # Where the path leaves it open, the name of an element or member is printed.
        self._names = arguments.at is None or arguments.at.endswith("*")
        # The members of a document that may be short enough to be printed whole.
        self._members: list[tuple[str, bool]] | None = None
        self._is_object = False
        self._long_member: str | None = None
        self._shortened = 0
        self._printed = 0
        self.read = 0
        self.reader: Reader[Any]

    def print(self, at: str | None) -> None:
        """Print the first records."""
        reader = self.reader = self._source.read(self._type, at=at, errors=self._errors)
        if not self._is_timed:
            reader._shorten(self._whole)  # noqa: SLF001 - this is what it is for, and the next one
        self._members = None if at is None else []
        with reader, self._printer.watching(reader, self._source.name):
            for record in reader:
                name, is_cut = reader._last()  # noqa: SLF001
                self.read += 1
                self._take(record, name, is_cut)
                if self._printed == self._left:
                    break
        if self._members:
            line = ", ".join(line[1:-1] for line, _ in self._members)
            self.show(f"{{{line}}}", is_short=False)
        self._printer.timing(reader)

    def _take(self, record: Any, name: str | None, is_cut: bool) -> None:
        """Print a record, unless it is a member of an object that may be printed whole."""
        if self._fields:
            record = {
                field: self._single(record[field]) for field in self._fields if field in record
            }
        if self._is_raw and isinstance(record, str):
            self._printer.text(record)
            self._printed += 1
            return
        named = {name: record} if self._names and name is not None else record
        line, has_cut_text = self._written(named, self._whole)
        is_short = is_cut or has_cut_text
        if self._members is None or name is None:
            self.show(line, is_short)
            return
        if is_cut and self._long_member is None:
            self._long_member = name
        self._members.append((line, is_short))
        if not is_short and sum(len(line) for line, _ in self._members) <= self._longest:
            return
        self._is_object = True
        for member in self._members[: self._left]:
            self.show(*member)
        self._members = None

    def show(self, line: str, is_short: bool) -> None:
        """Print a record."""
        self._printer.json(line)
        self._shortened += is_short
        self._printed += 1

    def _single(self, value: Any) -> Any:
        """An element that was read as a list because it may be repeated, but is not."""
        is_single = self._source.format == "xml" and isinstance(value, list) and len(value) == 1
        return value[0] if is_single else value

    def told(self) -> int:
        """Say what was done to the records; return how many were printed."""
        name = self._source.name
        said = [f"{name} is one object, and these are its members."] if self._is_object else []
        if self._shortened:
            what = "of them" if said else "record" if self._shortened == 1 else "records"
            verb = "is" if self._shortened == 1 else "are"
            start = "" if said else f"{name}: "
            said.append(f"{start}{self._shortened:,} {what} {verb} shortened; see --full.")
        if self._long_member is not None:
            path = self._long_member
            for character, escape in (("~", "~0"), ("/", "~1"), ("*", "~2"), ("@", "~3")):
                path = path.replace(character, escape)
            path = path or "~4"
            said.append(f"--at '{path}/*' looks into {self._long_member!r}.")
        if said:
            self._printer.summary(" ".join(said))
        return self._printed
