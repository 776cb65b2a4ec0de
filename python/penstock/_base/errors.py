"""The exceptions of Penstock, for bad input and for classes that it cannot fill.

    PenstockError
    |-- DecodeError (ValueError)      the input is at fault
    |   |-- MalformedInput            it does not follow the grammar of the format
    |   |-- TruncatedInput            it ends too early
    |   |-- ValidationError           it is well formed, but does not fit the type
    |   `-- LimitExceeded             it exceeds one of the `Limits`
    |-- EncodeError (TypeError)       a value cannot be written
    |-- PlanError (TypeError)         Penstock cannot decode into the type
    `-- InternalError (RuntimeError)  a bug in Penstock: please report it

They are Python classes, so that they survive `pickle` and with it a process pool, and so that a
traceback names them as they are imported: `penstock.ValidationError`.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    E = TypeVar("E", bound="PenstockError")


class PenstockError(Exception):
    """The base of all exceptions of Penstock. Catch it to catch all of them.

    All of them can be copied and pickled, with their attributes, notes and `__cause__`, so they
    survive a process pool. A cause that cannot be pickled is left out.
    """

    __module__ = "penstock"

    # Attributes live in `__dict__` and the message is the only argument. `__init__` is not called
    # again, whatever a subclass makes it take.
    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the cause, which exceptions do not do by themselves."""
        return _restored, (type(self), self.args, _packed(self.__cause__)), self.__dict__

    def __copy__(self) -> Self:
        """Copy with the cause."""
        copied = _restored(type(self), self.args, None)
        copied.__dict__.update(self.__dict__)
        copied.__cause__ = self.__cause__
        return copied


class DecodeError(PenstockError, ValueError):
    """The input is at fault: the base of the four classes that say how.

    Penstock raises `DecodeError` itself if the source fails while it is read. The exception of the
    source is then its `__cause__`. An `OSError` from opening a path passes through unchanged.

    As text it is one line, like a compiler's message, whatever the input contains:
    `cities.json:1:2345: expected float, got a string (record 17, at 3038832/latitude)`.
    `report()` adds the line of the input.

    An attribute is None if it is not known or makes no sense.

    Attributes:
        reason: The problem, without its position.
        format: The format that was read: `"json"`, `"ndjson"`, `"xml"` or `"csv"`.
        source: The file's name, as you passed it.
        offset: The position in bytes of the decompressed source.
        line: The line, from 1.
        column: The column, from 1, in code points.
        record: The number of the record, from 1, if you read records.
        path: The position in the document, written as for `at`: `"3038832/latitude"`. In NDJSON,
            the position in the line.
        steps: The same position as a tuple of keys (`str`) and indexes (`int`), with `@` before the
            name of an attribute. If something is missing, it goes on to where that should be.
        code: A word for the kind of problem: `"missing"`. The page on errors lists them. Messages
            may change between versions, and these do not.
        excerpt: A piece of the line around the position, safe to print.
        caret: How many characters of `excerpt` are before the position.
        others: With `all_errors=True`, the other problems of the record, each an error with its own
            position.
        omitted: How many problems there were beyond the hundred that are kept.
        raw: In NDJSON, the bytes of the record in error: its line, without white space before it
            and the line feed behind it. None if they are more than 65,536 bytes, if the input ended
            with another error before the line was complete, and with `at`.

    Example:
        >>> import penstock
        >>> try:
        ...     penstock.json.decode('[1, 2, "three"]', list[int])
        ... except penstock.DecodeError as error:
        ...     error.line, error.column, error.path
        (1, 8, '2')
    """

    __module__ = "penstock"

    _CODE = "source"

    def __init__(
        self,
        reason: str,
        *,
        format: str | None = None,
        source: str | None = None,
        offset: int | None = None,
        line: int | None = None,
        column: int | None = None,
        record: int | None = None,
        path: str | None = None,
        code: str | None = None,
        steps: tuple[str | int, ...] = (),
        excerpt: str | None = None,
        caret: int | None = None,
        others: tuple[ValidationError, ...] = (),
        omitted: int = 0,
        raw: bytes | None = None,
    ) -> None:
        """Make an error from the problem and what is known about its position."""
        self.reason = _printable(reason)
        self.format = format
        self.source = source
        self.offset = offset
        self.line = line
        self.column = column
        self.record = record
        self.path = path
        self.code = self._CODE if code is None else code
        self.steps = steps
        self.excerpt = excerpt
        self.caret = caret
        self.others = others
        self.omitted = omitted
        self.raw = raw
        super().__init__(f"{self._message()}{self._count()}")

    @property
    def problems(self) -> tuple[DecodeError, ...]:
        """All problems of the record, in the order of the document, this error included."""
        # The rest of the record is unknown: it is malformed, or too large.
        return (*self.others, self)

    def _message(self) -> str:
        """The position and the problem, in one line."""
        return _printable(f"{self._place()}{self.reason}{self._within()}")

    def _count(self) -> str:
        """` (and 2 problems before it)`, if there are any."""
        return self._counted("problem{} before it")

    def _counted(self, what: str) -> str:
        count = len(self.others) + self.omitted
        return f" (and {count:,} {what.format('' if count == 1 else 's')})" if count else ""

    def _place(self) -> str:
        """`cities.json:1:2345: `, or as much of it as is known."""
        parts = [self.source] if self.source is not None else []
        if self.line is not None and self.column is not None:
            line_and_column = f"{self.line}:{self.column}"
            parts.append(line_and_column if parts else f"line {self.line}, column {self.column}")
        elif self.offset is not None:
            parts.append(f"byte {self.offset}")
        return f"{':'.join(parts)}: " if parts else ""

    def _within(self) -> str:
        """` (record 17, at 3038832/latitude)`, or as much of it as is known."""
        parts = [] if self.record is None else [f"record {self.record}"]
        if self.path:
            # A document may nest deeply or have keys of any length; the attribute keeps all of it.
            path = self.path
            short = path if len(path) <= 120 else f"{path[:40]}\u2026{path[-60:]}"
            parts.append(f"at {short}")
        return f" ({', '.join(parts)})" if parts else ""

    def report(self) -> str:
        """Return the message, and below it the line of the input with a caret under the position.

        With `all_errors=True`, the same for each of the `problems`. The text has several lines and
        no final newline, has no colour, and is safe to print: the input cannot drive the terminal.

        Example:
            >>> import penstock
            >>> try:
            ...     penstock.json.decode('{"lat": "42.5"}', dict[str, float])
            ... except penstock.DecodeError as error:
            ...     print(error.report())
            line 1, column 9: expected float, got a string (at lat)
              |
            1 | {"lat": "42.5"}
              |         ^
        """
        reports = [problem._report_alone() for problem in self.problems]  # noqa: SLF001 - an error like this one
        if self.omitted:
            reports.append(f"and {self.omitted:,} more problem{'' if self.omitted == 1 else 's'}")
        return "\n\n".join(reports)

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain values, for JSON: a log, a response, a dead-letter file.

        It has the class's name as `kind`, the `code`, the `message`, and the attributes that are
        known, with `steps` as a list. If the record has several problems, `problems` is a list of
        them, and `omitted` says how many more there were. The `excerpt` and `raw` are not in it.

        Example:
            >>> import penstock
            >>> try:
            ...     penstock.json.decode('{"lat": "42.5"}', dict[str, float])
            ... except penstock.DecodeError as error:
            ...     found = error.to_dict()
            >>> found["code"], found["steps"], found["reason"]
            ('type', ['lat'], 'expected float, got a string')
        """
        found = self._alone()
        if self.others:
            found["problems"] = [problem._alone() for problem in self.problems]  # noqa: SLF001 - an error like this one
        if self.omitted:
            found["omitted"] = self.omitted
        return found

    def _alone(self) -> dict[str, Any]:
        """This problem as plain values."""
        known = {
            "kind": type(self).__name__,
            "code": self.code,
            "message": self._message(),
            "reason": self.reason,
            "format": self.format,
            "source": self.source,
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
            "record": self.record,
            "path": self.path,
            "steps": list(self.steps),
            "expected": getattr(self, "expected", None),
            "got": getattr(self, "got", None),
        }
        return {name: value for name, value in known.items() if value is not None}

    def _report_alone(self) -> str:
        message = self._message()
        if not self.excerpt:
            return message
        from unicodedata import combining, east_asian_width  # noqa: PLC0415 - for a report only

        # The caret must stand under its character, so count columns as a terminal draws them: two
        # for a wide character, none for a combining one.
        caret = self.caret or 0
        excerpt = "".join(c if c.isprintable() else "\ufffd" for c in self.excerpt)
        indent = sum(
            0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in excerpt[:caret]
        )
        number = "" if self.line is None else str(self.line)
        margin = " " * len(number)
        return f"{message}\n{margin} |\n{number} | {excerpt}\n{margin} | {' ' * indent}^"


class MalformedInput(DecodeError):
    """The bytes do not follow the grammar: a bad token, a missing comma, text that is not UTF-8."""

    __module__ = "penstock"

    _CODE = "malformed"


class TruncatedInput(DecodeError):
    """The input ends too early. Retry if more may come."""

    __module__ = "penstock"

    _CODE = "truncated"


class ValidationError(DecodeError):
    """The input is well formed, but does not fit the type.

    A value has another kind, a field is missing, or a key is not allowed. Or the class's own code
    raised an exception, which is then the `__cause__`.

    Attributes:
        expected: What the type expects there, as in the message: `"float"`.
        got: What the document has instead: `"a string"`.

    Both are None if the problem is not one value in place of another.

    With `all_errors=True` it is the first problem of its record, and `problems` has all of them:

        >>> import penstock
        >>> sizes = '{"a": 1, "b": "2", "c": null}'
        >>> try:
        ...     penstock.json.decode(sizes, dict[str, int], all_errors=True)
        ... except penstock.ValidationError as error:
        ...     print(error)
        ...     [(problem.path, problem.got) for problem in error.problems]
        line 1, column 15: expected int, got a string (at b) (and 1 more problem)
        [('b', 'a string'), ('c', 'null')]
    """

    __module__ = "penstock"

    _CODE = "type"

    def __init__(
        self,
        reason: str,
        *,
        expected: str | None = None,
        got: str | None = None,
        format: str | None = None,
        source: str | None = None,
        offset: int | None = None,
        line: int | None = None,
        column: int | None = None,
        record: int | None = None,
        path: str | None = None,
        code: str | None = None,
        steps: tuple[str | int, ...] = (),
        excerpt: str | None = None,
        caret: int | None = None,
        others: tuple[ValidationError, ...] = (),
        omitted: int = 0,
        raw: bytes | None = None,
    ) -> None:
        """Make an error from the problem and what is known about its position."""
        self.expected = expected
        self.got = got
        super().__init__(
            reason,
            format=format,
            source=source,
            offset=offset,
            line=line,
            column=column,
            record=record,
            path=path,
            code=code,
            steps=steps,
            excerpt=excerpt,
            caret=caret,
            others=others,
            omitted=omitted,
            raw=raw,
        )

    @property
    def problems(self) -> tuple[ValidationError, ...]:
        """All problems of the record, in the order of the document, this error first."""
        return (self, *self.others)

    def _count(self) -> str:
        """` (and 2 more problems)`, if there are any."""
        return self._counted("more problem{}")


class LimitExceeded(DecodeError):
    """The input exceeds one of the `Limits`. The message names it."""

    __module__ = "penstock"

    _CODE = "limit"


class PlanError(PenstockError, TypeError):
    """Penstock cannot decode into the type. It raises this before it reads a byte.

    The message names the field and the reason. Only for a record that needs the key by which it was
    found (`at("key()")`), where no `*` leads to it, Penstock raises this with the first record.
    """

    __module__ = "penstock"


class EncodeError(PenstockError, TypeError):
    """A value cannot be written. Nothing of its record is.

    Attributes:
        reason: The problem, without the place.
        path: Where the value stands in what you passed, as Python writes it: `items[3].price`.
            None for the whole value.
        record: The number of the record, from 1, if you write records: the number that it would
            have had in what is written.
    """

    __module__ = "penstock"

    reason: str
    path: str | None
    record: int | None

    @classmethod
    def _at(cls, reason: str, *, path: str | None) -> EncodeError:
        """Make the error with its attributes."""
        error = cls(_printable(reason if path is None else f"{path}: {reason}"))
        error.reason = _printable(reason)
        error.path = path
        error.record = None
        return error

    def _number(self, record: int) -> None:
        """Say which record it is."""
        self.record = record
        self.args = (f"{self.args[0]} (record {record})",)


class InternalError(PenstockError, RuntimeError):
    """A bug in Penstock, never a fault of the input alone. Please report it."""

    __module__ = "penstock"


def _restored(kind: type[E], args: tuple[object, ...], cause: bytes | None) -> E:
    """Make an error again, without its attributes: `pickle` sets them afterwards."""
    error: E = BaseException.__new__(kind, *args)
    if cause is not None:
        import pickle  # noqa: PLC0415 - only if there is something to unpickle

        try:
            error.__cause__ = pickle.loads(cause)  # noqa: S301 - a part of a pickle
        except Exception:  # noqa: BLE001 - many exceptions can be pickled and not be made again
            error.__cause__ = None
    return error


_restored.__module__ = "penstock._errors"  # As pickles name it: see `penstock._pickled`.


def _packed(cause: BaseException | None) -> bytes | None:
    """Pickle a cause separately, because it may fail."""
    if cause is None:
        return None
    import pickle  # noqa: PLC0415 - only if there is something to pickle

    try:
        return pickle.dumps(cause)
    except Exception:  # noqa: BLE001 - whatever its class raises
        return None


def _printable(text: str) -> str:
    """One line, with everything that could drive a terminal written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
