"""The functions `columns` and `schema`: records of any format as Arrow columns."""

from __future__ import annotations

from penstock._any_format import verbs as _verbs
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

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
        Sources,
        T,
        Types,
        Where,
    )
    from penstock._parts.checkpoint import Checkpoint
    from penstock._rust import Columns, Schema


@_suggest.advised
def columns(
    source: Sources,
    into: TypeForm[T] | HasSchema = PLAIN,
    /,
    *,
    rows: int = 65_536,
    columns: Sequence[str] | None = None,
    unions: Literal["error", "text", "json"] = "error",
    threads: int = 1,
    flatten: bool = False,
    key_column: str | None = None,
    file_column: str | None = None,
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
    resume: Checkpoint | Literal["start"] | None = None,
    where: Where | None = None,
    limit: int | None = None,
) -> Columns:
    """Read the records of a file or a stream into Arrow columns.

    It is short for `read(source, into, ...).columns(rows, columns, ...)`: see `penstock.read` and
    `Reader.columns`. The `read` functions of `penstock.csv` and the other
    formats have the options of their format.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, or several files.
        into: The class of a record. Its fields are the columns. Or anything with
            `__arrow_c_schema__`: its fields are the keys. Without it, the source is read twice:
            the first time finds the columns. So it is a path, a list of chunks, or a binary file
            that can go back, such as `io.BytesIO`.
        rows: How many rows a batch has at most.
        columns: The names of the fields that are wanted, or their paths: see `Reader.columns`. The
            others are not parsed.
        unions: What becomes of values of several types at one place: see `Reader.columns`.
        threads: How many threads parse at once: see `Reader.columns`.
        flatten: Whether each field of an object is a column of its own, as `"place/latitude"`.
        key_column: Without a class, the name of one more column, with the key of each record, as
            with `at="*"`.
        file_column: The name of one more column, with the path of each record's file.
        format: As for `read`, and so are all that follow.
        at: As for `read`.
        errors: As for `read`. Of several files, `"skip"` and a function also leave out the rest of
            a file that is broken, such as a truncated `.gz`: with a `BrokenFileWarning`, or a call
            with the error.
        max_errors: As for `read`.
        empty: As for `read`.
        all_errors: As for `read`.
        duplicates: As for `read`.
        unknown: As for `read`.
        types: As for `read`.
        encoding: As for `read`.
        compression: As for `read`.
        member: As for `read`.
        limits: As for `read`.
        resume: Where to go on: what `Columns.checkpoint` or `Reader.checkpoint` has returned. The
            columns are then those of `into`, which must be a class or a schema.
        where: Which records are wanted: a condition, or its text; see `penstock.field`. It may ask
            for fields that are no columns.
        limit: How many rows there are at most. Without a class, the columns are those of so many
            records.

    Returns:
        An object that polars, pyarrow, DuckDB and pandas take, and an iterator over batches.

    Raises:
        OSError: The file cannot be opened, or changes while its columns are found.
        PlanError: The type of a field has no column; or there is no class, and the source can be
            read only once, or `resume` is given.
        ValueError: As for `read` and `Reader.columns`.
        TypeError: There is a `file_column`, and the source has no path.
        DecodeError: While the columns are read.

    Example:
        >>> import pathlib, penstock, polars
        >>> from typing import NamedTuple
        >>> class City(NamedTuple):
        ...     name: str
        ...     size: int
        >>> path = pathlib.Path("cities.ndjson")
        >>> _ = path.write_text('{"name": "Bern", "size": 134591}')
        >>> polars.DataFrame(penstock.columns(path, City)).rows()
        [('Bern', 134591)]
    """
    _sources.check("columns", source)
    reader = _verbs.read(
        source,
        into,  # type: ignore[arg-type]  # a schema is no type
        format=format,
        at=at,
        errors=errors,
        max_errors=max_errors,
        empty=empty,
        all_errors=all_errors,
        duplicates=duplicates,
        unknown=unknown,
        types=types,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
        resume=resume,
        where=where,
        limit=limit,
    )
    chosen = None if columns is None else list(columns)
    return reader.columns(
        rows,
        chosen,
        unions,
        threads,
        flatten=flatten,
        key_column=key_column,
        file_column=file_column,
    )


@_suggest.advised
def schema(
    source: Sources,
    /,
    *,
    threads: int = 1,
    format: Format | None = None,
    at: At[Any] | None = None,
    errors: Literal["raise", "skip"] = "raise",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    where: Where | None = None,
    limit: int | None = None,
) -> Schema:
    r"""Find the columns of records: their names and types.

    All of the source is read, so a key that comes late is found, too. Nothing of it is kept, and
    the interpreter's lock is released.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, or several files.
        threads: How many threads parse at once. The schema and the errors are the same for any
            number: see `Reader.columns`.
        format: As for `read`, and so are all that follow.
        at: As for `read`.
        errors: With `"skip"`, records in error do not count. Of several files, one that is broken
            counts up to there: with a `BrokenFileWarning`.
        encoding: As for `read`.
        compression: As for `read`.
        member: As for `read`.
        limits: As for `read`.
        where: Which records count: a condition, or its text; see `penstock.field`.
        limit: How many records count at most: the first ones. What follows is not read.

    Returns:
        A schema. Pass it to `read` or `columns` in place of a class.

    Raises:
        OSError: The file cannot be opened.
        PlanError: No column holds all numbers of a place exactly; or a key has a NUL character.
        DecodeError: A record is in error, or has a value of another kind than an earlier one.
        ValueError: `threads` is less than 1; or as for `penstock.read`.

    Example:
        >>> import io, penstock
        >>> lines = io.BytesIO(b'{"name": "Bern", "size": 134591}\n{"name": "Chur"}\n')
        >>> penstock.schema(lines, format="ndjson")
        Schema(name: Utf8, size: Int64 | null)
    """
    return found(
        "schema",
        source,
        threads=threads,
        format=format,
        at=at,
        errors=errors,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
        where=where,
        limit=limit,
    )


def found(
    verb: str,
    source: Sources,
    *,
    threads: int = 1,
    reports: bool = True,
    unions: Literal["error", "text", "json"] = "error",
    **options: Any,
) -> Schema:
    """Find a schema in the name of another verb. `reports` is whether broken files are reported."""
    _sources.check(verb, source)
    reader: Any = _verbs.read(source, **options)
    schema: Schema = reader._schema(threads, reports, unions)  # noqa: SLF001 - it is ours
    return schema


for _public in (columns, schema):
    _public.__module__ = "penstock"
