"""Files whose columns are read again by each query: `penstock.polars` and `penstock.duckdb`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock._any_format import columns as _columns
from penstock._base.errors import DecodeError
from penstock._base.types import PLAIN
from penstock._io import files as _files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from penstock._base.types import HasSchema
    from penstock._rust import ColumnBatch

# How many rows a batch has at most, unless somebody asks for less.
ROWS = 65_536

# The options that `penstock.schema` has, too.
_OF_SCHEMAS = ("threads", "format", "at", "encoding", "compression", "member", "limits")


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
            if not isinstance(each, (str, os.PathLike)):
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
                self._into = self._schema = self._found()
            else:
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

    def batches(
        self, names: Sequence[str] | None, every: Sequence[str], rows: int = ROWS
    ) -> Iterator[tuple[ColumnBatch, str | None]]:
        """Yield batches with the path of their file, if the caller asked for a column of paths.

        Columns that nobody asks for are not parsed, but a batch may have more than `names`.

        Args:
            names: The columns that are wanted; None for all.
            every: All columns of the records.
            rows: How many rows a batch has at most.

        Raises:
            DecodeError: A record is in error, or a file is broken, and `errors` does not say
                otherwise.
        """
        self.schema()
        chosen = self._chosen(names, every)
        several = self._several()
        parts: list[Any] = [self._source]
        if several is not None and (self._goes_on or self.file_column is not None):
            parts = [*several]
        for part in parts:
            path = None if self.file_column is None else os.fsdecode(part)
            try:
                for batch in self._read(part, chosen, rows):
                    yield batch, path
            except DecodeError as error:
                if several is None or not self._goes_on:
                    raise
                self._report(error)

    def _read(self, part: Any, chosen: list[str] | None, size: int) -> Iterator[ColumnBatch]:
        found = _columns.columns(part, self._into, rows=size, columns=chosen, **self._options)
        try:
            yield from found
        finally:
            found.reader.close()

    def _several(self) -> list[str] | None:
        """Return the files that a list, a pattern or a folder means at this time."""
        return _files.files(self._source, self._options.get("format"))

    @property
    def _goes_on(self) -> bool:
        """Whether a broken file is left out."""
        errors = self._options.get("errors", "raise")
        return errors == "skip" or callable(errors)

    def _report(self, error: DecodeError) -> None:
        errors: Any = self._options["errors"]
        if errors != "skip":
            errors(error)
            return
        import warnings  # noqa: PLC0415 - slow to import

        from penstock._base.broken import BrokenFileWarning  # noqa: PLC0415 - few files are broken

        warnings.warn(
            f"{error}; the rest of this file is left out", BrokenFileWarning, stacklevel=3
        )

    def _found(self) -> HasSchema:
        """Find the columns of all files, of which broken ones may be left out."""
        options = {name: self._options[name] for name in _OF_SCHEMAS if name in self._options}
        if self._options.get("errors", "raise") != "raise":
            # Errors are reported when the records are read.
            options["errors"] = "skip"
        try:
            return _columns.schema(self._source, **options)
        except DecodeError:
            several = self._several()
            if several is None or not self._goes_on:
                raise
            found = []
            for path in several:
                try:
                    found.append(_columns.schema(path, **options))
                except DecodeError:
                    # It is reported when the records are read.
                    continue
            if not found:
                raise
        return found[0].merge(*found[1:])

    def _chosen(self, names: Sequence[str] | None, every: Sequence[str]) -> list[str] | None:
        """Return the fields to read for some of the columns; None for all."""
        if names is None:
            return None
        # Somebody has to count the rows, so one column is read if only paths are wanted.
        wanted = [name for name in names if name != self.file_column] or [*every[:1]]
        # `columns=` takes a name with a slash for a path.
        return None if not wanted or any("/" in name for name in wanted) else wanted


def _is_plain(into: object) -> bool:
    from typing import Any  # noqa: PLC0415 - slow to import

    return into is PLAIN or into is Any
