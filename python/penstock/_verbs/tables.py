"""`convert` to Parquet and to files of Arrow: records become columns, which pyarrow writes."""

from __future__ import annotations

import os

import penstock._rust as _rust
from penstock._arrow import frames as _frames
from penstock._base.errors import EncodeError
from penstock._base.types import PLAIN
from penstock._io import targets as _targets
from penstock._verbs import converted as _converted
from penstock._verbs import read as _read

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from penstock._base.errors import DecodeError
    from penstock._base.limits import Limits
    from penstock._base.types import (
        ArrowColumns,
        Compression,
        Empty,
        Errors,
        Format,
        Source,
        TableFormat,
        Target,
    )
    from penstock._verbs.converted import Converted

# The names that people use, by the names of the formats. Each is also the suffix of its files.
TITLES: dict[TableFormat, str] = {"parquet": "Parquet", "arrow": "Arrow"}

_ROWS = 65_536

# Batches are gathered until they have so many rows or bytes: what Parquet calls a row group.
_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 1 << 26


def wanted(target: object, to: str | None) -> TableFormat | None:
    """Return the format of a target if it is one of columns."""
    for name, title in TITLES.items():
        if to == name:
            return name
        if to is None and isinstance(target, (str, os.PathLike)):
            stem, suffix = os.path.splitext(os.fsdecode(target).lower())  # noqa: PTH122 - pathlib is slow to import
            if suffix == f".{name}":
                return name
            if stem.endswith(f".{name}") and suffix in {".gz", ".bgz", ".zst", ".bz2", ".xz"}:
                raise ValueError(
                    f"{title} is not compressed as a whole, because it is read in any "
                    f"order: leave out {suffix!r}"
                )
    return None


def records(
    source: Source,
    target: Target,
    to: TableFormat,
    format: Format,
    dialect: _rust.Dialect,
    at: str | None,
    into: object,
    errors: Errors,
    max_errors: int,
    empty: Empty,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    threads: int,
    duplicates: Any,
    watch: Any = None,
) -> Converted:
    """Write the records of a source as columns: those of a type, or those that are found.

    Raises:
        ExceptionGroup: Of records in error, if `errors` is `"collect"`. The target is complete, if
            there are no more than `max_errors`.
    """
    kept = _Kept(max_errors) if errors == "collect" else None
    policy = _rust.Policy(kept or errors, max_errors, duplicates, "skip", False, empty)
    pyarrow = _frames.need("pyarrow", f"convert() to {TITLES[to]}")
    reader = _read.read(
        source,
        format,
        dialect,
        PLAIN if into is None else into,
        at,
        policy,
        encoding,
        compression,
        member,
        limits,
    )
    with reader:
        columns = reader.columns(_ROWS, None, "error", threads)
        schema = pyarrow.schema(columns)
        batches = map(pyarrow.record_batch, columns)
        if watch is None:
            count, size = _write(pyarrow, to, target, schema, batches)
        else:
            watching: AbstractContextManager[object] = watch(reader)
            with watching:
                count, size = _write(pyarrow, to, target, schema, batches)
        done = _converted.of_reader(reader, count, size)
    if kept is not None:
        kept.end()
    return done


def columns(source: ArrowColumns, target: Target, to: TableFormat) -> Converted:
    """Write Arrow columns."""
    pyarrow = _frames.need("pyarrow", f"convert() to {TITLES[to]}")
    if isinstance(source, _rust.Columns):
        # So an error is Penstock's own.
        schema, batches = pyarrow.schema(source), map(pyarrow.record_batch, source)
    else:
        if not hasattr(source, "__arrow_c_stream__"):
            source = pyarrow.record_batch(source)
        batches = pyarrow.RecordBatchReader.from_stream(source)
        schema = batches.schema
    count, size = _write(pyarrow, to, target, schema, batches)
    return _converted.of_columns(source, count, size)


class _Kept:
    """The errors of records that are raised at the end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._errors: list[DecodeError] = []

    def __call__(self, error: DecodeError) -> None:
        if len(self._errors) == self._most:
            self.end()
        self._errors.append(error)

    def end(self) -> None:
        """Raise the errors, if there are any."""
        if self._errors:
            count = len(self._errors)
            what = "record" if count == 1 else "records"
            raise ExceptionGroup(f"{count:,} {what} in error", self._errors)


def _write(
    pyarrow: Any, to: TableFormat, target: Target, schema: Any, batches: Iterable[Any]
) -> tuple[int, int]:
    """Write batches; return the numbers of rows and bytes."""
    if not schema.names:
        raise EncodeError._at("the records have no keys, so there are no columns", path=None)  # noqa: SLF001 - it is ours
    if to == "arrow":
        schema = pyarrow.schema(
            [field.with_type(_plain(pyarrow, field.type)) for field in schema], schema.metadata
        )
    rows = 0
    with _targets.open_target("convert", target, compression=None) as opened:
        file = _File(opened)
        try:
            with _writer(pyarrow, to, file, schema) as writer:
                for group in _groups(batches):
                    table = pyarrow.Table.from_batches(group)
                    writer.write_table(table if table.schema == schema else table.cast(schema))
                    rows += len(table)
        except BaseException:
            # The writer ends the file when it is freed, but there is none any more.
            file.is_dead = True
            raise
    return rows, opened.given


def _groups(batches: Iterable[Any]) -> Iterator[list[Any]]:
    group: list[Any] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows += batch.num_rows
        size += _size(batch)
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield group
            group = []
            rows = size = 0
    if group:
        yield group


def _size(batch: Any) -> int:
    """Return about how many bytes a batch has."""
    try:
        size: int = batch.nbytes
    except TypeError:
        # Some pyarrow cannot tell how much of a buffer of string views is in use.
        size = batch.get_total_buffer_size()
    return size


def _writer(pyarrow: Any, to: TableFormat, file: _File, schema: Any) -> Any:
    """Open a writer of pyarrow's.

    Raises:
        EncodeError: The format has no form for one of the columns.
    """
    if to == "arrow":
        from pyarrow import ipc  # noqa: PLC0415 - it is slow

        return ipc.new_file(file, schema)
    from pyarrow import parquet  # noqa: PLC0415 - it is slow

    try:
        return parquet.ParquetWriter(file, schema, compression="zstd")
    except pyarrow.ArrowNotImplementedError as error:
        raise EncodeError._at(f"Parquet has no form for the columns: {error}", path=None) from error  # noqa: SLF001 - as above


def _plain(pyarrow: Any, of: Any) -> Any:
    """Return a type without dictionaries: a file has one for all rows, and each batch its own."""
    types = pyarrow.types
    if types.is_dictionary(of):
        return of.value_type
    if types.is_struct(of):
        return pyarrow.struct([each.with_type(_plain(pyarrow, each.type)) for each in of])
    if types.is_map(of):
        return pyarrow.map_(_plain(pyarrow, of.key_type), _plain(pyarrow, of.item_type))
    for is_one, make in (
        (types.is_list, pyarrow.list_),
        (types.is_large_list, pyarrow.large_list),
        (types.is_fixed_size_list, lambda item: pyarrow.list_(item, of.list_size)),
    ):
        if is_one(of):
            item = of.value_field
            return make(item.with_type(_plain(pyarrow, item.type)))
    return of


class _File:
    """A target as pyarrow takes a binary file."""

    closed = False

    def __init__(self, target: _rust.Target) -> None:
        self._target = target
        self._size = 0
        self.is_dead = False

    def write(self, data: Any) -> int:
        """Take bytes, unless the target has been aborted."""
        size = memoryview(data).nbytes
        if not self.is_dead:
            self._target.write(data)
        self._size += size
        return size

    def tell(self) -> int:
        """Return how many bytes there were."""
        return self._size

    def flush(self) -> None:
        """Do nothing: the target is complete when it ends."""

    def close(self) -> None:
        """Do nothing: whoever has opened the target ends it."""
