"""Files whose columns are read again by each query: `penstock.polars` and `penstock.duckdb`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock._any_format import columns as _columns
from penstock._base import conditions as _conditions
from penstock._base.types import PLAIN
from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from penstock._base.conditions import Condition
    from penstock._base.types import HasSchema
    from penstock._rust import ColumnBatch

# How many rows a batch has at most, unless somebody asks for less.
ROWS = 65_536

# The options that `penstock.schema` has, too.
_OF_SCHEMAS = ("threads", "unions", "format", "at", "encoding", "compression", "member", "limits")


# The formats whose readers skip records by the predicate of a query. In CSV, a condition on a
# column that a file does not have is an error. In XML, an element with child elements is an error
# where a column is no text, and a condition looks at its own text only.
_SKIPPING = {"json", "ndjson"}


class Scan:
    """Files, the type of their records, and the options to read them with.

    The files are found, opened and closed by each query.

    Attributes:
        file_column: The name of the column that has the paths of the files, if there is one.
    """

    def __init__(
        self,
        verb: str,
        source: object,
        into: object,
        file_column: str | None,
        options: Mapping[str, Any],
    ) -> None:
        """Check the source.

        Raises:
            TypeError: It is no path, nor a list of paths. Anything else can be read only once.
        """
        paths = source if isinstance(source, (list, tuple)) and source else [source]
        for each in paths:
            if not isinstance(each, (str, os.PathLike)) and not _sources.is_remote(each):
                raise TypeError(
                    f"{verb}() takes the paths of files, because each query reads them again, "
                    f"not {type(each).__name__}"
                )
        self._source: Any = source
        self._into: Any = into
        self.file_column = file_column
        self._options = options
        self._schema: HasSchema | None = None

    def schema(self) -> HasSchema:
        """Return the columns of the records. Without a class, the first call finds them."""
        if self._schema is None:
            if _is_plain(self._into):
                self._into = self._found()
            some = _columns.columns(self._source, self._into, **self._options)
            some.reader.close()
            self._schema = some
        return self._schema

    def with_file(self, names: Sequence[str]) -> list[str]:
        """Return the names of all columns, for those of the records.

        Raises:
            ValueError: A column of the records has the name of the column of paths.
        """
        if self.file_column is None:
            return [*names]
        if self.file_column in names:
            raise ValueError(f"file_column: the records have a column {self.file_column!r}, too")
        return [*names, self.file_column]

    def takes_conditions(self) -> bool:
        """Return whether the records that a query does not want may be skipped unseen.

        Where errors are reported, each record is checked. A class may have defaults for what a
        record does not have, and its columns may be made of other values; and with `unions`, text
        may be made of them.
        """
        given = self._options
        if given.get("errors") != "skip" or given.get("unions") != "error":
            return False
        self.schema()
        if isinstance(self._into, type) or not hasattr(self._into, "__arrow_c_schema__"):
            return False
        told = given.get("format")
        if told is not None:
            return told in _SKIPPING
        files = _files.files(self._source, None)
        names = map(_name, [self._source] if files is None else files)
        return all(_formats.of_name(name) in _SKIPPING for name in names)

    def batches(
        self,
        names: Sequence[str] | None,
        every: Sequence[str],
        rows: int = ROWS,
        wanted: Condition | None = None,
    ) -> Iterator[ColumnBatch]:
        """Yield batches, which have the column of paths if it is wanted.

        Columns that nobody asks for are not parsed, but a batch may have more than `names`.

        Args:
            names: The columns that are wanted; None for all.
            every: All columns of the records.
            rows: How many rows a batch has at most.
            wanted: Which records are, besides those that `where` leaves out.

        Raises:
            DecodeError: A record is in error, or a file is broken, and `errors` does not say
                otherwise.
        """
        self.schema()
        chosen = self._chosen(names, every)
        is_wanted = names is None or self.file_column in names
        options = self._options
        if wanted is not None:
            given = options.get("where")
            both = wanted if given is None else _conditions.condition(given) & wanted
            options = {**options, "where": both}
        found = _columns.columns(
            self._source,
            self._into,
            rows=rows,
            columns=chosen,
            file_column=self.file_column if is_wanted else None,
            **options,
        )
        try:
            yield from found
        finally:
            found.reader.close()

    def _found(self) -> HasSchema:
        """Find the columns of all files, of which broken ones may be left out."""
        options = {name: self._options[name] for name in _OF_SCHEMAS if name in self._options}
        if self._options.get("errors", "raise") != "raise":
            options["errors"] = "skip"
        # Errors and broken files are reported when the records are read.
        return _columns.found("scan", self._source, reports=False, **options)

    def _chosen(self, names: Sequence[str] | None, every: Sequence[str]) -> list[str] | None:
        """Return the fields to read for some of the columns; None for all."""
        if names is None:
            return None
        # Somebody has to count the rows, so one column is read if only paths are wanted.
        wanted = [name for name in names if name != self.file_column] or [*every[:1]]
        return wanted or None


def _name(path: Any) -> str:
    """The name of a file, which may say its format."""
    return str(path.name) if _sources.is_remote(path) else os.fsdecode(path)


def _is_plain(into: object) -> bool:
    from typing import Any  # noqa: PLC0415 - slow to import

    return into is PLAIN or into is Any
