"""Opens a file that a command reads, with its options.

The format comes from the name, or else from the first bytes. This looks further than the library
does, because a program can be changed and a pipe cannot: if the first line is a whole JSON value
and more follows, it is NDJSON.
"""

from __future__ import annotations

import os
import stat
import sys

import penstock._rust as _rust
from penstock import json
from penstock._base.errors import DecodeError, PlanError
from penstock._io import dialect as _dialect
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._verbs import convert as _convert
from penstock._verbs import read as _read
from penstock.cli import CommandError, dialects, files, hints
from penstock.cli.paths import explained
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from io import RawIOBase
    from typing import Any, Literal, Self

    from penstock import Converted, Reader, csv
    from penstock._base.types import Errors, Form, Format, TableFormat, Target

# The most bytes of a file to read for finding its format.
_SAMPLE = 64 << 10
# The first bytes of compressed files.
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0", b"PK\x03\x04")
# The first characters of JSON and XML that are no table.
_BRACKETS = {b"{", b"[", b"<"}
# Formats of other tools, by the suffixes of their files.
_OTHERS = {
    ".arrow": "Arrow files",
    ".avro": "Avro",
    ".db": "SQLite",
    ".feather": "Feather",
    ".orc": "ORC",
    ".parquet": "Parquet",
    ".sqlite": "SQLite",
    ".toml": "TOML",
    ".xls": "Excel",
    ".xlsx": "Excel",
    ".yaml": "YAML",
    ".yml": "YAML",
}

# Those of them that are targets.
_WRITTEN = "Parquet", "Arrow files"


class Source:
    """A file, or standard input, and its format."""

    def __init__(self, arguments: argparse.Namespace, name: str) -> None:
        """Find the format.

        Raises:
            CommandError: The format is unclear, or the file cannot be opened.
        """
        self._arguments = arguments
        self.name = name
        try:
            self._remote = files.remote(name) if files.is_address(name) else None
            self._stream = None if self._remote is not None else _stream(self.name)
            if self.name == "-":
                self.name = "<stdin>"
            separated = getattr(arguments, "framing", None) is not None
            told: Format | None = arguments.format or ("ndjson" if separated else None)
            self.format: Format = told or self._told()
        except OSError as error:
            raise _unopened(error) from error
        except ValueError as error:
            raise CommandError(str(error)) from error

    def read(
        self,
        into: Any,
        *,
        at: str | None = None,
        errors: Errors = "raise",
        unknown: Literal["skip", "error", "collect"] = "skip",
    ) -> Reader[Any]:
        """Return a reader of the records, as `into`; by default of those of `--at`.

        Raises:
            CommandError: The file cannot be opened, or an option is wrong.
            PlanError: Penstock cannot decode into `into`.
            DecodeError: It is a damaged archive.
        """
        arguments = self._arguments
        at = arguments.at if at is None else at
        source = self.given
        reads = dialects.read(arguments, self.format, self.name)
        policy = _rust.Policy(errors, 100, dialects.duplicates(arguments), unknown, True, "allow")
        try:
            return _read.read(
                source,
                self.format,
                self._dialect(reads, self.name) if reads else None,
                into,
                at,
                policy,
                arguments.encoding,
                "infer",
                arguments.member,
                None,
                where=getattr(arguments, "where", None),
            )
        except OSError as error:
            raise _unopened(error) from error
        except DecodeError:
            raise
        except ValueError as error:
            raise CommandError(_flags(explained(str(error), at))) from error

    def convert(
        self,
        target: Target,
        to: Format | TableFormat,
        writes: Mapping[str, object],
        *,
        form: Form,
        into: Any,
        errors: Errors,
        columns: tuple[str, bool] | None,
        most: int | None,
        watch: Callable[[_rust.Conversion], AbstractContextManager[object]],
    ) -> Converted:
        """Convert the file, by a class if `into` is one, or some columns of it, or some records.

        Raises:
            CommandError: A file cannot be opened, an option is wrong, or a record has no form.
            PlanError: Penstock cannot decode into `into`.
            DecodeError: The file is malformed, or a value has no form in the target.
        """
        arguments = self._arguments
        source = self.given
        reads = dialects.read(arguments, self.format, self.name)
        if getattr(arguments, "duplicates", None) is not None:
            reads["duplicates"] = dialects.duplicates(arguments)
        try:
            return _convert.run(
                source,
                target,
                self.format,
                to,
                arguments.at,
                form,
                errors,
                1,
                "allow" if arguments.at is None else "error",
                reads,
                writes,
                arguments.encoding,
                "infer",
                arguments.member,
                None,
                watch,
                into,
                objects=True,
                columns=columns,
                threads=chosen(getattr(arguments, "threads", 1)),
                most=most,
                where=arguments.where,
            )
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unopened(error) from error
        except (DecodeError, PlanError):
            raise
        except (TypeError, ValueError) as error:
            raise CommandError(_flags(explained(str(error), arguments.at))) from error

    def outline(
        self, errors: Errors
    ) -> tuple[list[tuple[str, list[tuple[str, int]], tuple[str, bool] | None]], int, int]:
        """Return the paths of the file, and how much of it is left out.

        A path comes with the number of values of each kind, and an example: how it is written, and
        whether it is text. The numbers are those of values at paths that are left out, and of
        records in error.

        Raises:
            CommandError: The file cannot be opened, or an option is wrong.
            DecodeError: The file is malformed.
        """
        source = self.given
        encoding, member = self._arguments.encoding, self._arguments.member
        reads = dialects.read(self._arguments, self.format, self.name)
        try:
            given, name = _sources.locate("read", source, "infer", member, None)
            opened = _rust.Source(given, name, encoding, "infer")
            policy = _rust.Policy(errors, 1, "last", "skip", False, "allow")
            dialect = _read.wanting(self._dialect(reads, name), self._arguments.where)
            return _rust.outline(dialect, opened, policy)
        except OSError as error:
            raise _unopened(error) from error
        except DecodeError:
            raise
        except ValueError as error:
            raise CommandError(_flags(str(error))) from error

    def _dialect(self, reads: Mapping[str, Any], name: str | None) -> _rust.Dialect:
        """The dialect of the format that the options say, or else the suffix."""
        if self.format == "csv":
            return _dialect.chosen(reads.get("dialect"), name, reads.get("repair", ()))
        return (
            _rust.Dialect(self.format, dict(reads))
            if reads
            else _formats.dialect(self.format, name)
        )

    def sniff(
        self, into: object
    ) -> tuple[
        csv.Dialect,
        list[tuple[str, str]],
        int,
        str,
        list[tuple[str, tuple[int, int] | None, tuple[int, str] | None]],
    ]:
        """Return the dialect of the file, for rows of a type, and what speaks for it.

        That is: its columns with the kinds of their cells, how many rows the sample has, why there
        is a header or none, and for each dialect that was tried either the columns and the bytes of
        its table, or the byte at which it fails and the reason.

        Raises:
            CommandError: The file cannot be opened, or an option is wrong.
            DecodeError: No dialect reads the sample, or two are as likely.
        """
        source = self.given
        encoding, member = self._arguments.encoding, self._arguments.member
        try:
            given, name = _sources.locate("read", source, "infer", member, None)
            opened = _rust.Source(given, name, encoding, "infer")
            return _rust.infer(_dialect.inferring(), opened, into, None)
        except OSError as error:
            raise _unopened(error) from error
        except DecodeError:
            raise
        except ValueError as error:
            raise CommandError(str(error)) from error

    def opening(self) -> str:
        """Return the bracket that a JSON document begins with, or "" for any other value.

        It is "?" for a compressed file, of which nobody knows.
        """
        sample = self._sample()
        if sample.startswith(_PACKED):
            return "?"
        first = sample.lstrip(b"\xef\xbb\xbf \t\r\n")[:1].decode("ascii", "replace")
        return first if first in {"{", "["} else ""

    def require_file(self, flag: str) -> None:
        """Refuse a stream, for a flag that needs two passes.

        Raises:
            CommandError: It is one.
        """
        if self._stream is not None:
            raise CommandError(
                f"{flag} reads the source twice, and {self.name} can be read only once: save it in "
                "a file"
            )

    @property
    def given(self) -> Any:
        """What verbs read: a path, an address or a stream."""
        return self._remote or self._stream or self.name

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return self._stream is not None

    def _sample(self) -> bytes:
        """The first bytes."""
        if self._stream is not None:
            return self._stream.sample()
        if self._remote is not None:
            return _rust.opening(self._remote, _SAMPLE)
        with open(self.name, "rb") as file:  # noqa: PTH123 - importing pathlib is slow
            return file.read(_SAMPLE)

    def advise(self, error: DecodeError) -> None:
        """Add hints to an error, if a flag may help."""
        for hint in hints.of(error, self._arguments, self.name, self._first_line):
            error.add_note(hint)

    def _first_line(self) -> bytes:
        """The first line, or as much of it as is at hand; nothing of a compressed stream."""
        try:
            start = self._stream.start if self._stream else _rust.opening(self.given, _SAMPLE)
        except (OSError, DecodeError):
            return b""
        return b"" if start.startswith(_PACKED) else start.partition(b"\n")[0]

    def __enter__(self) -> Self:
        """Do nothing: `__exit__` looks at the errors."""
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Add a hint to an error that passes through."""
        if isinstance(error, DecodeError):
            self.advise(error)

    def _told(self) -> Format:
        """The format from the name or the first bytes."""
        kind = _formats.of_name(self.name)
        if kind is not None:
            # XML may be a property list, which its root element says.
            return kind if self._stream is not None else _formats.of_source(self.given, self.name)
        if dialects.means_table(self._arguments):
            return "csv"
        if getattr(self._arguments, "comments", False):
            return "json"
        refuse_other(self.name)
        sample = self._sample()
        _formats.refuse_signed(self.name, sample)
        otherwise: Format | None = getattr(self._arguments, "otherwise", None)
        first = sample.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if otherwise is not None and not sample.startswith(_PACKED) and first not in _BRACKETS:
            return otherwise
        if sample.startswith(_PACKED) or not sample.strip():
            raise ValueError(f"cannot tell the format of {self.name}: say --format")
        kind = _formats.of_data(sample)
        return "ndjson" if kind == "json" and _is_lines(sample) else kind


class _Stream:
    """A stream that can be read only once; its beginning can be looked at."""

    def __init__(self, file: RawIOBase, name: str) -> None:
        self.name = name
        self._file = file
        self._seen = b""
        self.start = b""

    def sample(self) -> bytes:
        """Read until there is a line and something after it; return the bytes."""
        while len(self._seen) < _SAMPLE and not self._seen.lstrip().partition(b"\n")[2].strip():
            more = self._file.read(_SAMPLE)
            if not more:
                break
            self._seen += more
        return self._seen

    def read(self, size: int, /) -> bytes:
        """Return the bytes that were looked at, then the rest as it comes."""
        if self._seen:
            first, self._seen = self._seen[:size], self._seen[size:]
            self.start = self.start or first
            return first
        # None means that the file does not wait and has no data; the library raises the error for
        # that.
        data = self._file.read(size)
        self.start = self.start or (data or b"")[:_SAMPLE]
        return data


def _stream(name: str) -> _Stream | None:
    """Return standard input or a pipe; None for a file, which can be opened again."""
    if name == "-":
        if sys.stdin is None:
            raise CommandError("standard input is closed")
        return _Stream(open(0, "rb", buffering=0, closefd=False), "<stdin>")
    # As a shell writes it: `penstock count <(zcat cities.json.gz)`.
    if stat.S_ISFIFO(os.stat(name).st_mode):  # noqa: PTH116 - importing pathlib is slow
        return _Stream(open(name, "rb", buffering=0), name)  # noqa: PTH123 - as above
    return None


def refuse_other(name: str) -> None:
    """Refuse a file whose name says a format that Penstock does not have.

    Raises:
        CommandError: It does.
    """
    title = _OTHERS.get(_formats.suffix(name))
    if title is not None:
        known = _formats.listed(_formats.TITLES, "and")
        if title in _WRITTEN:
            raise CommandError(f"{name}: Penstock writes {title}, and reads {known}")
        raise CommandError(f"{name}: Penstock has no {title}: its formats are {known}")


def _is_lines(sample: bytes) -> bool:
    """Whether the first line is a value and another one follows."""
    line, _, rest = sample.lstrip().partition(b"\n")
    if not rest.strip():
        return False
    try:
        json.decode(line)
    except DecodeError:
        return False
    return True


def _flags(message: str) -> str:
    """Name flags in a message of the library, which names options."""
    return f"--{message}" if message.startswith("repair ") else message


def _unopened(error: OSError) -> CommandError:
    name = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return CommandError(f"{name}{error.strerror or error}")
