"""Lazy frames of polars over files of any format: `penstock.polars.scan`.

It needs polars: `pip install penstock-data[polars]`.
"""

from __future__ import annotations

import io
import json
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.io.plugins import register_io_source

from penstock._any_format import pushed as _pushed
from penstock._any_format import scans as _scans
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from typing import Literal

    from typing_extensions import TypeForm

    from penstock._any_format.pushed import Predicate
    from penstock._base.conditions import Condition
    from penstock._base.limits import Limits
    from penstock._base.types import (
        At,
        Compression,
        CountedUnknown,
        Duplicates,
        Empty,
        Errors,
        Format,
        HasSchema,
        T,
        Types,
        Where,
    )

__all__ = ["scan"]


@_suggest.advised
def scan(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    into: TypeForm[T] | HasSchema = PLAIN,
    /,
    *,
    file_column: str | None = None,
    unions: Literal["error", "text", "json"] = "error",
    threads: int = 1,
    format: Format | None = None,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "warn",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    where: Where | None = None,
) -> pl.LazyFrame:
    r"""Make a lazy frame of the records of files.

    Nothing is read before polars asks for it, and each `collect` reads the files again. Penstock
    parses only the columns that a query needs, filters each batch by the query's predicate, and
    closes the file as soon as polars has as many rows as it wants. With `errors="skip"` and no
    class, the reader of JSON and NDJSON also skips records of which a simple comparison in the
    predicate is false.

    Args:
        source: A path, a list of paths, a pattern such as `"logs/**/*.gz"`, or a folder.
        into: The class of a record, or a schema, as for `penstock.columns`. Without it, polars has
            the files read twice: the first time finds the columns, once for each lazy frame.
        file_column: The name of a column that gets the path of each record's file.
        unions: As for `penstock.columns`, and so are all that follow.
        threads: How many threads parse at once.
        format: As for `penstock.read`, and so are all that follow.
        at: Where the records are.
        errors: As for `penstock.read`. Of several files, `"skip"` and a function also leave out
            the rest of a file that is broken, such as a truncated `.gz`: with a
            `BrokenFileWarning`, or a call with the error.
        max_errors: How many errors `"collect"` keeps.
        empty: What to do with a document without records.
        all_errors: Whether an error reports all problems of a record.
        duplicates: Which value of a repeated key of JSON counts.
        unknown: What to do with keys that a class does not name.
        types: Functions that make values of types.
        encoding: The encoding of the bytes.
        compression: How the files are compressed.
        member: The member of a zip archive.
        limits: The limits to enforce instead of the default ones.
        where: Which records there are: a condition, or its text; see `penstock.field`.

    Returns:
        A lazy frame. Its `collect` raises Penstock's own errors; polars 1, and any polars while it
        asks for the columns, raises a `ComputeError` with their text.

    Raises:
        TypeError: `source` is no path: anything else could be read only once.

    Example:
        >>> import pathlib, penstock, polars
        >>> _ = pathlib.Path("cities.ndjson").write_text(
        ...     '{"name": "Bern", "size": 134591}\n{"name": "Chur", "size": 37424}\n'
        ... )
        >>> cities = penstock.polars.scan("cities.ndjson")
        >>> cities.filter(polars.col("size") > 100_000).select("name").collect().rows()
        [('Bern',)]
    """
    options = {
        "unions": unions,
        "threads": threads,
        "format": format,
        "at": at,
        "errors": errors,
        "max_errors": max_errors,
        "empty": empty,
        "all_errors": all_errors,
        "duplicates": duplicates,
        "unknown": unknown,
        "types": types,
        "encoding": encoding,
        "compression": compression,
        "member": member,
        "limits": limits,
        "where": where,
    }
    files = _Files(_scans.Scan("scan", source, into, file_column, options))
    return register_io_source(files.frames, schema=files.schema, is_pure=True)


class _Files:
    """What polars asks of a source."""

    def __init__(self, scan: _scans.Scan) -> None:
        self._scan = scan
        self._schema: pl.Schema | None = None

    def schema(self) -> pl.Schema:
        """Return the columns; the first call may read files."""
        if self._schema is None:
            found = pl.Schema(self._scan.schema())
            for name in self._scan.with_file(found.names()):
                found.setdefault(name, pl.String())
            self._schema = found
        return self._schema

    def frames(
        self,
        names: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        size: int | None,
    ) -> Iterator[pl.DataFrame]:
        """Yield some columns of the first rows, of which those that fit the predicate."""
        schema = self.schema()
        path_column = self._scan.file_column
        read = names
        if names is not None and predicate is not None:
            read = [*dict.fromkeys([*names, *predicate.meta.root_names()])]
        shown = pl.Schema({name: schema[name] for name in (schema if names is None else names)})
        every = [name for name in schema if name != path_column]
        largest = min(size or _scans.ROWS, _scans.ROWS if rows is None else rows)
        left = rows
        # Rows are counted before the predicate.
        wanted = None if predicate is None or rows is not None else self._condition(predicate)
        for batch in self._scan.batches(read, every, max(largest, 1), wanted):
            frame = pl.DataFrame(batch)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            if predicate is not None:
                frame = frame.filter(predicate)
            # A selection by `select` would take a name such as `*` for all columns.
            frame = frame[shown.names()]
            # The digits of a Decimal that does not declare them may differ from file to file.
            yield frame if frame.schema == shown else frame.cast(shown)
            if left == 0:
                return

    def _condition(self, predicate: pl.Expr) -> Condition | None:
        """Return what of a predicate the reader may test; None if that is nothing."""
        if not self._scan.takes_conditions():
            return None
        try:
            told = predicate.meta.serialize(format="json")
        except pl.exceptions.ComputeError:
            # It calls a function of Python.
            return None
        every = self.schema().items()
        types = {name: _type(kind) for name, kind in every if name != self._scan.file_column}
        return _pushed.condition(_predicate(json.loads(told)), types)


# The operators of polars that mean the same.
_TESTS = {"Eq": "==", "NotEq": "!=", "Gt": ">", "GtEq": ">=", "Lt": "<", "LtEq": "<="}
_JOINS = {"And": "and", "LogicalAnd": "and", "Or": "or", "LogicalOr": "or"}
_TEXTS = {"StartsWith": "startswith", "EndsWith": "endswith"}


def _type(kind: pl.DataType) -> type:
    """Return the type of the values of a column, or `object` for one that is not compared."""
    if kind.is_integer():
        return int
    return {pl.Boolean: bool, pl.Date: date, pl.String: str}.get(type(kind), object)


def _predicate(node: Any) -> Predicate:
    """Return an expression as a predicate. What is not known is None."""
    match node:
        case {"Column": str(name)}:
            return name, "==", True
        case {"BinaryExpr": {"left": left, "op": str(op), "right": right}} if op in _JOINS:
            return _JOINS[op], [_predicate(left), _predicate(right)]
        case {"BinaryExpr": {"left": {"Column": str(name)}, "op": str(op), "right": value}}:
            return (name, _TESTS[op], _value(value)) if op in _TESTS else None
        case {"BinaryExpr": {"left": value, "op": str(op), "right": {"Column": str(name)}}}:
            return (name, _pushed.FLIPPED[_TESTS[op]], _value(value)) if op in _TESTS else None
        case {"Function": {"input": [{"Column": str(name)}, *given], "function": function}}:
            return _called(name, given, function)
    return None


def _called(name: str, given: list[Any], function: Any) -> Predicate:
    """Return the call of a function on a column as a predicate."""
    values = [_value(each) for each in given]
    match function, values:
        case {"Boolean": "Not"}, []:
            return name, "==", False
        case {"Boolean": {"IsBetween": {"closed": "Both"}}}, [least, most]:
            ends: list[Predicate] = [(name, ">=", least), (name, "<=", most)]
            return "and", ends
        case {"Boolean": {"IsIn": {"nulls_equal": False}}}, [list(found)]:
            return name, "in", found
        case {"StringExpr": str(test)}, [str(text)] if test in _TEXTS:
            return name, _TEXTS[test], text
        case {"StringExpr": {"Contains": {"literal": True}}}, [str(text)]:
            return name, "contains", text
    return None


def _value(node: Any) -> object:
    """Return the value of a literal; None if it is none that is compared."""
    match node:
        case {"Literal": {"Scalar": {"Date": int(days)}}}:
            return date(1970, 1, 1) + timedelta(days)
        case {"Literal": {"Scalar": {"List": _}}}:
            # Polars writes the values as a message of Arrow.
            literal = pl.Expr.deserialize(io.BytesIO(json.dumps(node).encode()), format="json")
            (found,) = pl.select(literal).to_series().to_list()
            return found
        case {"Literal": {"Scalar": {"String": str(value)} | {"Boolean": bool(value)}}}:
            return value
        case {"Literal": {"Scalar": dict(scalar)}}:
            ((kind, value),) = scalar.items()
            return value if kind.startswith(("Int", "UInt")) and type(value) is int else None
    return None
