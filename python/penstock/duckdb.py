"""Tables of DuckDB over files of any format: `penstock.duckdb.register`.

It needs DuckDB and pyarrow: `pip install penstock-data[duckdb]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow.dataset import Dataset

from penstock._any_format import arrow_filters as _filters
from penstock._any_format import scans as _scans
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from typing import Any, Literal

    import duckdb
    from pyarrow.compute import Expression
    from typing_extensions import TypeForm

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

__all__ = ["register"]


@_suggest.advised
def register(
    connection: duckdb.DuckDBPyConnection,
    name: str,
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
) -> duckdb.DuckDBPyRelation:
    r"""Give files a name in a connection of DuckDB, under which queries read their records.

    Each query reads the files again, so the name can be queried as often as a table, and joined
    with itself. Penstock parses only the columns that a query needs, DuckDB's simple filters are
    applied to each batch, and the file is closed as soon as DuckDB has as many rows as it wants.
    With `errors="skip"` and no class, the reader of JSON and NDJSON also skips records of which
    a comparison in such a filter is false.

    Args:
        connection: A connection, of `duckdb.connect()`. `connection.unregister(name)` ends it.
        name: The name of the table.
        source: A path, a list of paths, a pattern such as `"logs/**/*.gz"`, or a folder.
        into: The class of a record, or a schema, as for `penstock.columns`. Without it, the files
            are read once here, which finds the columns.
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
        The table as a relation. A query raises an error of DuckDB's, with the text of Penstock's.

    Raises:
        OSError: A file cannot be opened.
        TypeError: `source` is no path: anything else could be read only once.
        PlanError: The type of a field has no column.
        DecodeError: There is no class, and a record is in error, or has a value of another kind
            than an earlier one.
        ValueError: A column of the records has the name `file_column`; or as for `penstock.read`.

    Example:
        >>> import duckdb, pathlib, penstock
        >>> _ = pathlib.Path("cities.ndjson").write_text(
        ...     '{"name": "Bern", "size": 134591}\n{"name": "Chur", "size": 37424}\n'
        ... )
        >>> connection = duckdb.connect()
        >>> _ = penstock.duckdb.register(connection, "cities", "cities.ndjson")
        >>> connection.sql("select name from cities where size > 100000").fetchall()
        [('Bern',)]
        >>> connection.sql("select count(*) from cities").fetchall()
        [(2,)]
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
    files = _Files(_scans.Scan("register", source, into, file_column, options))
    connection.register(name, files)
    quoted = name.replace('"', '""')
    return connection.sql(f'from "{quoted}"')


class _Files(Dataset):
    """Files as DuckDB takes a dataset of pyarrow: it asks for columns, and says what it filters."""

    # Pyarrow's own would want files that it can read itself.
    def __init__(self, scan: _scans.Scan) -> None:
        self._scan = scan
        found = pa.schema(scan.schema())
        self._names = found.names
        extra = scan.with_file(found.names)[len(found) :]
        self._schema = pa.schema([*found, *(pa.field(name, pa.string()) for name in extra)])

    @property
    def schema(self) -> pa.Schema:
        """All columns."""
        return self._schema

    def scanner(
        self, columns: Sequence[str] | None = None, filter: Expression | None = None, **_: Any
    ) -> _Query:
        """Return what one query reads."""
        return _Query(self._scan, self._schema, self._names, columns, filter)


class _Query:
    """What DuckDB asks of a scanner of pyarrow."""

    def __init__(
        self,
        scan: _scans.Scan,
        schema: pa.Schema,
        every: Sequence[str],
        columns: Sequence[str] | None,
        filter: Expression | None,
    ) -> None:
        self._scan = scan
        self._schema = schema
        self._every = every
        self._filter = filter
        names = schema.names if columns is None else columns
        self._shown = pa.schema([schema.field(name) for name in names])
        self._read = _needed(schema, names, filter)

    @property
    def projected_schema(self) -> pa.Schema:
        """The columns that the query wants."""
        return self._shown

    def to_reader(self) -> pa.RecordBatchReader:
        """Open the files."""
        return pa.RecordBatchReader.from_batches(self._shown, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        """Yield what is wanted of the rows that fit the filter."""
        wanted = None
        if self._filter is not None and self._scan.takes_conditions():
            fields = {name: self._schema.field(name) for name in self._every}
            wanted = _filters.condition(self._filter, fields)
        for found in self._scan.batches(self._read, self._every, wanted=wanted):
            batch = pa.record_batch(found)
            if self._filter is not None:
                batch = batch.filter(self._filter)
            yield batch.select(self._shown.names).cast(self._shown)


def _needed(schema: pa.Schema, names: Sequence[str], filter: Expression | None) -> list[str]:
    """Return the columns of a query and of its filter."""
    if filter is None:
        return [*names]
    # An expression does not say which columns it is about. It fails without one of them, and its
    # text has most names as they are.
    text = str(filter)
    needed = set(names)
    for name in schema.names:
        if name not in needed and name in text:
            others = [field for field in schema if field.name != name]
            if not _can_filter(others, filter):
                needed.add(name)
    read = [field for field in schema if field.name in needed]
    return [field.name for field in (read if _can_filter(read, filter) else schema)]


def _can_filter(fields: list[pa.Field], filter: Expression) -> bool:
    """Whether an expression is only about some fields."""
    try:
        pa.schema(fields).empty_table().filter(filter)
    except pa.ArrowInvalid:
        return False
    return True
