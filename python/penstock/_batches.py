"""The records of a part as record batches, as the engines of clusters take them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

import penstock
from penstock import _read
from penstock._types import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

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


def paths_of(source: Any, format: Any = None) -> list[str]:
    """Return the files that a path, a list of paths, a pattern or a folder means, in order.

    Workers have working directories of their own, so the paths are absolute.
    """
    found = _read.files(source, format) or [os.fsdecode(source)]
    return [os.path.abspath(path) for path in found]  # noqa: PTH100 - links stay


def nullable(schema: pa.Schema) -> pa.Schema:
    """Return a schema of which each column may be null."""
    return pa.schema([each.with_nullable(True) for each in schema])


NO_FIELD = pa.schema([pa.field("", pa.json_())])
"""A column for rows of which no value is wanted: any value has a place in it, or none."""


@dataclass(frozen=True)
class Batches:
    """How the records of a part become batches.

    Attributes:
        into: The class of a record, or a schema.
        schema: The types that the columns shall have; None for those of `into`.
        columns: The fields that are wanted; None for all.
        errors: What becomes of a record in error: `"raise"`, `"skip"`, or `"column"`, which makes a
            row of it that has nothing but `error_column`.
        error_column: The name of a column of type `ERROR`, behind the others.
        rows: How many rows a batch has at most.
        shown: The columns that the batches shall have, of those that are read; None for all.
        options: Further options of `penstock.read` and `Reader.columns`.
    """

    into: Any = PLAIN
    schema: pa.Schema | None = None
    columns: tuple[str, ...] | None = None
    errors: Literal["raise", "skip", "column"] = "raise"
    error_column: str = "_error"
    rows: int = 65_536
    shown: tuple[str, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def only(self, names: Sequence[str]) -> Self:
        """Return the same for some of the columns, in this order."""
        return replace(self, columns=tuple(names), shown=tuple(names))

    def read(self, split: penstock.Split) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a part.

        Raises:
            ArrowInvalid: A value has no place in the type that its column shall have.
            DecodeError: A record is in error, and `errors` is `"raise"`; or the rest of the part
                cannot be read.
        """
        wrong: list[Any] = []
        errors = wrong.append if self.errors == "column" else self.errors
        into, columns = self.into, self.columns
        if columns == ():
            into, columns = NO_FIELD, None
        found = split.columns(into, rows=self.rows, columns=columns, errors=errors, **self.options)
        schema = self.schema or self._own(pa.schema(found))
        for batch in found:
            yield self._chosen(self._typed(pa.record_batch(batch), schema))
            if wrong:
                yield self._chosen(self._of_errors(wrong, schema))
                wrong.clear()
        if wrong:
            yield self._chosen(self._of_errors(wrong, schema))

    def _chosen(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        # A table without a column has no rows, so whoever counts them gets one.
        return batch.select(self.shown) if self.shown else batch

    def _own(self, schema: pa.Schema) -> pa.Schema:
        """Return the types of the columns as they are read."""
        if self.errors != "column":
            return schema
        return pa.schema([*nullable(schema), pa.field(self.error_column, ERROR)])

    def _typed(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        if self.errors == "column":
            batch = batch.append_column(self.error_column, pa.nulls(len(batch), ERROR))
        return batch.select(schema.names).cast(schema)

    def _of_errors(self, errors: list[penstock.DecodeError], schema: pa.Schema) -> pa.RecordBatch:
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
            for each in schema
        ]
        return pa.record_batch(columns, names=schema.names).cast(schema)
