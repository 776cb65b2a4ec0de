"""The records of a part as record batches, as the engines of clusters take them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

import penstock
from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from penstock._base.types import Found

ERROR = pa.struct(
    [
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("line", pa.int64()),
        ("column", pa.int64()),
        ("record", pa.int64()),
        ("path", pa.string()),
        ("reason", pa.string()),
    ]
)
"""What a column of errors says of a record: where it is wrong, and why."""


def addressed(path: Any) -> Any:
    """Return a path, or the file behind an address, for which a job may name it by its text.

    Credentials, and where the store is, come from the environment, of each worker, too.
    """
    if isinstance(path, str) and _sources.scheme(path) not in {"", "file"}:
        return penstock.remote(path)
    return path


def files_of(source: Any, format: Any = None) -> list[Found]:
    """Return the files that a path, a list of paths, a pattern or a folder means, in order.

    Workers have working directories of their own, so the paths are absolute. An address is a file.
    """
    several = isinstance(source, (list, tuple))
    given: Any = [addressed(each) for each in source] if several else addressed(source)
    found = _files.files(given, format)
    if found is None:
        found = [given if _sources.is_remote(given) else os.fsdecode(given)]
    return [_absolute(path) for path in found]


def files_of_parts(parts: Iterable[penstock.Split]) -> list[Found]:
    """Return the files of parts, in order."""
    found: dict[str, Found] = {part.path: part.remote or part.path for part in parts}
    return [*found.values()]


def _absolute(path: Found) -> Found:
    return os.path.abspath(path) if isinstance(path, str) else path  # noqa: PTH100 - links stay


def schema_of(
    into: Any, files: list[Found], format: Any, at: Any, columns: Any, options: Mapping[str, Any]
) -> pa.Schema:
    """Return the columns of a class, without reading a byte of a record.

    Raises:
        PlanError: The type of a field has no column, or only the records say which.
    """
    name = _sources.shown(files[0])
    kind = _formats.of_source(files[0], name) if format is None else format
    # It can be read only once, so no digits are counted in it.
    nothing = iter(())
    found = penstock.columns(nothing, into, format=kind, at=at, columns=columns, **options)
    return pa.schema(found)


def nullable(schema: pa.Schema) -> pa.Schema:
    """Return a schema of which each column may be null."""
    return pa.schema([each.with_nullable(True) for each in schema])


NO_FIELD = pa.schema([pa.field("", pa.json_())])
"""A column for rows of which no value is wanted: any value has a place in it, or none."""


def with_errors(schema: pa.Schema, error_column: str) -> pa.Schema:
    """Return a schema with a column of errors behind the others, each of which may be null."""
    return nullable(schema).append(pa.field(error_column, ERROR))


@dataclass(frozen=True)
class Batches:
    """How the records of a part become batches.

    Attributes:
        into: The class of a record, or a schema.
        schema: The columns that the batches shall have, and their types.
        errors: What becomes of a record in error: `"raise"`, `"skip"`, or `"column"`, which makes a
            row of it that has nothing but `error_column`.
        error_column: The name of a column of type `ERROR`.
        rows: How many rows a batch has at most.
        options: Further options of `penstock.read` and `Reader.columns`.
    """

    into: Any
    schema: pa.Schema
    errors: Literal["raise", "skip", "column"] = "raise"
    error_column: str = "_error"
    rows: int = 65_536
    options: Mapping[str, Any] = field(default_factory=dict)

    def only(self, names: Sequence[str]) -> Self:
        """Return the same for some of the columns, in this order."""
        return replace(self, schema=pa.schema([self.schema.field(name) for name in names]))

    def where(self, condition: penstock.Condition) -> Self:
        """Return the same for the records of which a condition is true."""
        return replace(self, options={**self.options, "where": condition})

    def read(self, split: penstock.Split) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a part. What is not among the columns is not parsed.

        If there is no column, the batches have one without a name and a value: a table of Arrow
        without a column has no rows either, so nobody could count them.

        Raises:
            ArrowInvalid: A value has no place in the type that its column shall have.
            DecodeError: A record is in error, and `errors` is `"raise"`; or the rest of the part
                cannot be read.
        """
        wrong: list[penstock.DecodeError] = []
        errors = wrong.append if self.errors == "column" else self.errors
        into, names = self.into, self._read()
        if not names:
            into, names = NO_FIELD, NO_FIELD.names
        found = split.columns(into, rows=self.rows, columns=names, errors=errors, **self.options)
        for batch in found:
            yield self._typed(pa.record_batch(batch))
            if wrong:
                yield self._of_errors(wrong)
                wrong.clear()
        if wrong:
            yield self._of_errors(wrong)

    def _read(self) -> list[str]:
        """Return the columns that are read from the file."""
        has_errors = self.errors == "column"
        return [name for name in self.schema.names if not has_errors or name != self.error_column]

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if not self.schema.names:
            return batch
        if self.error_column in self.schema.names and self.errors == "column":
            batch = batch.append_column(self.error_column, pa.nulls(len(batch), ERROR))
        return batch.select(self.schema.names).cast(self.schema)

    def _of_errors(self, errors: list[penstock.DecodeError]) -> pa.RecordBatch:
        """Return rows that have nothing but their errors."""
        told = [
            {
                "file": each.source,
                "offset": each.offset,
                "line": each.line,
                "column": each.column,
                "record": each.record,
                "path": str(each.path),
                "reason": each.reason,
            }
            for each in errors
        ]
        columns = [
            pa.array(told, ERROR)
            if each.name == self.error_column
            else pa.nulls(len(told), each.type)
            for each in self.schema
        ]
        return pa.record_batch(columns, names=self.schema.names).cast(self.schema)
