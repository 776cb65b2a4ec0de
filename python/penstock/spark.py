r"""Exact parts of files as a data source of Spark, and folders that Spark writes.

Register the source once in a session. Its options are strings; `DataSource` lists them::

    import penstock.spark

    spark.dataSource.register(penstock.spark.DataSource)
    articles = (
        spark.read.format("penstock")
        .option("into", "articles:Article")
        .option("at", "PubmedArticleSet/PubmedArticle")
        .load("/data/pubmed/*.xml")
    )

The classes run unchanged on PySpark from 4.1 on, with a JVM, and on Sail, without one. They must be
importable where the workers are, and so must the class that `into` names.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

import penstock
from penstock._engines import tasks as _tasks
from penstock._engines.batches import (
    Batches,
    addressed,
    files_of,
    files_of_parts,
    schema_of,
    with_errors,
)
from penstock._engines.folder import Folder
from penstock._io import sources as _sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from penstock._base.types import Format

__all__ = ["DataSource", "plan", "schema"]

_PASSED = ("unions", "duplicates", "unknown")
_READING = {
    *("path", "paths", "splits", "format", "at", "into", "columns", "parts", "bytes", "rows"),
    *("errors", "error_column", "push_filters", *_PASSED),
}
_WRITING = {"path", "format", "compression", "at", "omit", "level", "sync"}

_NO_PART = "splits has no part, so there is nothing to find the schema in"

_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}


class DataSource(datasource.DataSource):
    """The source "penstock": records of NDJSON, JSON, XML, CSV and property lists as rows.

    The schema is that of the class `into`, or the one that you give to `spark.read.schema`, or else
    one pass over all files finds it on the driver: the function `schema` does that in a job, once.
    Columns that a schema or `columns` leaves out are not parsed. All columns may be null.

    Options for reading:
        path: A path, a pattern or a folder, as for `penstock.read`, in a file system that all
            workers share; or an address, as for `penstock.remote`. `load` takes a list, too.
        format: The format, if the names of the files do not say it.
        at: Where the records are, as for `penstock.read`.
        into: The class of a record, as `module:Class`.
        columns: The columns that are wanted, with commas between them, or as a list in JSON.
        parts: How many parts there shall be, at most.
        bytes: About how many bytes a part shall have; by default 64 MiB.
        splits: The parts, as the function `plan` returns them, instead of `path`, `format` and
            `at`.
        errors: What becomes of a record in error: `raise` ends the job, `skip` leaves it out, and
            `column` makes a row of it that has nothing but `error_column`.
        error_column: The column of places and reasons of errors; by default `_error`.
        push_filters: `true` lets the workers filter rows before they give them to Spark. It needs
            `spark.sql.python.filterPushdown.enabled`.
        rows: How many rows a batch has at most; by default 65,536.
        unions, duplicates, unknown: As for `penstock.columns`.

    Options for writing:
        path: A folder; the mode is `append` or `overwrite`. It has all files of the job, or none.
        format: By default `ndjson`.
        compression: `gzip`, `bgzf`, `zstd`, `bzip2` or `xz`; by default none.
        at, omit, level, sync: As for `penstock.write`.

    Example:
        >>> import pathlib, penstock.spark
        >>> from pyspark.sql import SparkSession
        >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
        >>> spark.dataSource.register(penstock.spark.DataSource)
        >>> path = pathlib.Path("cities.json").resolve()
        >>> _ = path.write_text('[{"name": "Bern"}, {"name": "Chur"}, {"name": "Arth"}]')
        >>> cities = spark.read.format("penstock").option("parts", 2).load(str(path))
        >>> cities.count()
        3
        >>> target = str(path.with_name("rows"))
        >>> cities.write.format("penstock").option("format", "csv").mode("append").save(target)
        >>> sorted(row["name"] for row in penstock.read("rows"))
        ['Arth', 'Bern', 'Chur']
    """

    @classmethod
    def name(cls) -> str:
        """Return the name by which Spark knows the source."""
        return "penstock"

    def schema(self) -> StructType:
        """Return the schema of the class `into`, or find that of the records.

        Raises:
            PlanError: A field has no column, or Spark has no type for it.
            ValueError: An option is not known or not valid.
        """
        options = _checked(self.options, _READING)
        errors = _errors(options)
        names = _listed(options.get("columns"))
        found = _found(options, "raise" if errors == "raise" else "skip", names)
        if errors == "column":
            found = with_errors(found, _error_column(options))
        return _spark_schema(found)

    def reader(self, schema: StructType) -> datasource.DataSourceReader:
        """Return what reads parts into rows of this schema."""
        options = _checked(self.options, _READING)
        kind = _FilteringReader if _flag(options, "push_filters") else _Reader
        return kind(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> datasource.DataSourceArrowWriter:  # noqa: ARG002 - batches have theirs
        """Return what writes the rows of tasks into a folder."""
        return _Writer(_checked(self.options, _WRITING), overwrite)


class _Reader(datasource.DataSourceReader):
    """Plans the parts on the driver, and reads each of them in a task."""

    def __init__(self, options: dict[str, str], schema: StructType | pa.Schema) -> None:
        self.options = options
        self.filters: list[Any] = []
        self.wanted: penstock.Condition | None = None
        # Sail gives its own schema of Arrow.
        is_arrow = isinstance(schema, pa.Schema)
        self.schema = from_arrow_schema(schema) if is_arrow else schema
        types = schema if is_arrow else to_arrow_schema(schema, timezone="UTC")
        errors, error_column = _errors(options), _error_column(options)
        names = [each for each in types.names if errors != "column" or each != error_column]
        if errors == "column" and error_column not in types.names:
            raise ValueError(f"errors=column needs the column {error_column!r} in the schema")
        chosen = _listed(options.get("columns"))
        if chosen is not None and set(chosen) != set(names):
            raise ValueError("the schema and the option columns name different columns")
        self.batches = Batches(
            into=_class(options) or pa.schema([types.field(each) for each in names]),
            schema=types,
            errors=errors,
            error_column=error_column,
            rows=int(options.get("rows", "65536")),
            options=_passed(options),
        )

    def partitions(self) -> Sequence[datasource.InputPartition]:
        """Return the parts. Spark asks once for each query, on the driver."""
        return [datasource.InputPartition(part) for part in _splits(self.options)]

    def read(self, partition: datasource.InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part, in batches."""
        batches = self.batches
        if self.wanted is not None:
            from penstock._engines.spark_filters import SKIPPING  # noqa: PLC0415 - few jobs push filters

            if partition.value.format in SKIPPING:
                batches = batches.where(self.wanted)
        for batch in batches.read(partition.value):
            rows = pa.Table.from_batches([batch])
            for each in self.filters:
                rows = rows.filter(each)
            yield from rows.to_batches()


class _FilteringReader(_Reader):
    """The same, which also leaves out rows that Spark does not want."""

    def pushFilters(self, filters: list[datasource.Filter]) -> Iterator[datasource.Filter]:  # noqa: N802 - Spark's name
        """Keep the filters that mean here what they mean in Spark, and yield the others."""
        from penstock._engines.spark_filters import condition, wanted  # noqa: PLC0415 - few jobs push filters

        kept = []
        for each in filters:
            found = condition(each, self.schema)
            if found is None:
                yield each
            else:
                self.filters.append(found)
                kept.append(each)
        # Where errors end the job, each record is checked. A class may have defaults for what a
        # record does not have, and its columns may be made of other values.
        if self.batches.errors != "raise" and "into" not in self.options:
            self.wanted = wanted(kept, self.schema)


class _Written(datasource.WriterCommitMessage):
    """The file that a task has written; None if it had no row."""

    def __init__(self, name: str | None) -> None:
        self.name = name


class _Writer(datasource.DataSourceArrowWriter):
    """Writes the rows of a task into a file, and commits the files of all tasks."""

    def __init__(self, options: dict[str, str], overwrite: bool) -> None:
        if "path" not in options:
            raise ValueError("save() needs the path of a folder")
        more: dict[str, Any] = {name: options[name] for name in ("at", "omit") if name in options}
        if "level" in options:
            more["level"] = int(options["level"])
        if "sync" in options:
            more["sync"] = _flag(options, "sync")
        self.folder = Folder(
            path=_local(options["path"]),
            format=options.get("format", "ndjson"),
            compression=options.get("compression"),
            replaces=overwrite,
            options=more,
        )
        self.folder.start()

    def write(self, iterator: Iterator[pa.RecordBatch]) -> _Written:
        """Write a file, which nobody sees before the commit."""
        return _Written(self.folder.write(iterator))

    def commit(self, messages: list[_Written | None]) -> None:
        """Show the files of all tasks, in their order."""
        self.folder.commit(None if each is None else each.name for each in messages)

    def abort(self, messages: list[_Written | None]) -> None:  # noqa: ARG002 - all files go
        """Remove the files of all tasks."""
        self.folder.abort()


class _Files(datasource.DataSource):
    """Does some work for each of several files or parts, in a task of its own."""

    @classmethod
    def name(cls) -> str:
        return "penstock_files"

    def schema(self) -> str:
        return "number int, found binary"

    def reader(self, schema: StructType) -> datasource.DataSourceReader:  # noqa: ARG002 - it is known
        return _FilesReader(json.loads(self.options["work"]))


class _FilesReader(datasource.DataSourceReader):
    def __init__(self, work: dict[str, Any]) -> None:
        self.work = work

    def partitions(self) -> Sequence[datasource.InputPartition]:
        return [datasource.InputPartition(each) for each in enumerate(self.work["files"])]

    def read(self, partition: datasource.InputPartition) -> Iterator[tuple[int, bytes]]:
        number, of = partition.value
        options = self.work["options"]
        if self.work["verb"] == "plan":
            yield number, json.dumps(_tasks.work(of)).encode()
        elif "file" in of:
            yield number, pickle.dumps(penstock.schema(_tasks.file_of(of["file"]), **options))
        else:
            yield number, pickle.dumps(penstock.Split.from_dict(of).schema(**options))


def plan(
    spark: SparkSession,
    source: str | list[str],
    /,
    *,
    parts: int | None = None,
    bytes: int | None = None,
    format: Format | None = None,
    at: str | None = None,
) -> str:
    """Find the parts of files in a job, with a task for each file, and many for a large one.

    Without it, the driver scans the files one after the other when a query is planned, and again
    for each query. A file of more than 1 GiB has a task for each GiB of its text, which begins
    where a record seems to begin. The driver knows from the task before it whether that is right.
    If not, another round of tasks begins there. If guesses stay wrong, as with records in many
    short lists, one task passes over the rest. The parts are always those that one task would find.

    Args:
        spark: The session.
        source: A path, a list of paths, a pattern or a folder, as for `penstock.split`.
        parts: As for `penstock.split`, and so are all that follow.
        bytes: As for `penstock.split`.
        format: As for `penstock.split`.
        at: As for `penstock.split`.

    Returns:
        The parts as JSON, for the option `splits`. It can be stored. A part of a file that has
        changed since is refused when it is read.

    Raises:
        OSError: There is no such file.
        ValueError: As for `penstock.split`.
        PySparkException: A file cannot be split; its text says why.

    Example:
        >>> import pathlib, penstock.spark
        >>> from pyspark.sql import SparkSession
        >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
        >>> spark.dataSource.register(penstock.spark.DataSource)
        >>> path = pathlib.Path("cities.json").resolve()
        >>> _ = path.write_text('[{"name": "Bern"}, {"name": "Chur"}, {"name": "Arth"}]')
        >>> splits = penstock.spark.plan(spark, str(path), parts=2)
        >>> spark.read.format("penstock").option("splits", splits).load().count()
        3
    """
    if parts is not None and bytes is not None:
        raise TypeError("plan() takes parts or bytes, not both")
    files = files_of(source, format)

    def run(work: list[dict[str, Any]]) -> list[Any]:
        return [json.loads(each) for each in _of_files(spark, "plan", work, {})]

    found = _tasks.plan(files, run, parts, bytes, format, at)
    return json.dumps([part.as_dict() for part in found])


def schema(
    spark: SparkSession,
    source: str | list[str] | None = None,
    /,
    *,
    splits: str | None = None,
    format: Format | None = None,
    at: str | None = None,
    errors: Literal["raise", "skip"] = "raise",
) -> StructType:
    """Find the schema of files in a job, with a task for each file, or for each part.

    What the tasks find is merged into what one pass over all of the files finds: see
    `penstock.Schema.merge`.

    Args:
        spark: The session.
        source: A path, a list of paths, a pattern or a folder, as for `penstock.schema`.
        splits: The parts of files, as `plan` returns them, instead of `source`, `format` and `at`.
        format: As for `penstock.schema`, and so are all that follow.
        at: As for `penstock.schema`.
        errors: As for `penstock.schema`. If tasks find values of two kinds in one place, `"skip"`
            needs one pass on the driver: only that knows which of the records to leave out.

    Returns:
        The schema, for `spark.read.schema`.

    Raises:
        OSError: There is no such file.
        PlanError: Spark has no type for a column.
        TypeError: Both `source` and `splits` are given, or none; or `splits` and what it says.
        ValueError: `splits` has no part.
        ValidationError: Two tasks have found values of different kinds in one place.
        PySparkException: The schema of a file cannot be found; its text says why.

    Example:
        >>> import pathlib, penstock.spark
        >>> from pyspark.sql import SparkSession
        >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
        >>> path = pathlib.Path("cities.json").resolve()
        >>> _ = path.write_text('[{"name": "Bern"}, {"name": "Chur"}, {"name": "Arth"}]')
        >>> penstock.spark.schema(spark, str(path)).simpleString()
        'struct<name:string>'
        >>> parts = penstock.spark.plan(spark, str(path), parts=3)
        >>> penstock.spark.schema(spark, splits=parts).simpleString()
        'struct<name:string>'
    """
    options: dict[str, Any] = {"errors": errors}
    of: list[Any]
    if splits is None:
        if source is None:
            raise TypeError("schema() takes a source, or splits")
        files = files_of(source, format)
        of = [{"file": _tasks.told(file)} for file in files]
        options |= {"format": format, "at": at}
    else:
        if source is not None or format is not None or at is not None:
            raise TypeError("schema() takes splits without source, format and at: they say these")
        of = json.loads(splits)
        if not of:
            raise ValueError(_NO_PART)
        files = files_of_parts(penstock.Split.from_dict(part) for part in of)
        format, at = of[0]["format"], of[0]["at"]
    # What the tasks of this job have pickled.
    first, *others = map(pickle.loads, _of_files(spark, "schema", of, options))
    try:
        found = first.merge(*others)
    except penstock.ValidationError:
        if errors == "raise":
            raise
        found = penstock.schema(files, format=format, at=at, errors=errors)
    return _spark_schema(pa.schema(found))


def _of_files(
    spark: SparkSession, verb: str, files: list[Any], options: dict[str, Any]
) -> list[bytes]:
    """Return what a task has found for each file or part, in their order."""
    spark.dataSource.register(_Files)
    work = json.dumps({"verb": verb, "files": files, "options": options})
    rows = spark.read.format(_Files.name()).option("work", work).load().collect()
    return [row.found for row in sorted(rows, key=lambda row: row.number)]


# --- Options


def _checked(options: Mapping[str, str], known: set[str]) -> dict[str, str]:
    """Return the options as they are called here. Spark may change their case.

    Raises:
        ValueError: One of them is not known.
    """
    found = {name.lower(): value for name, value in options.items()}
    for name in found:
        if name not in known:
            raise ValueError(f"there is no option {name!r}: there are {', '.join(sorted(known))}")
    return found


def _flag(options: Mapping[str, str], name: str) -> bool:
    value = options.get(name, "false").lower()
    if value not in {"true", "false"}:
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value == "true"


def _errors(options: Mapping[str, str]) -> Any:
    errors = options.get("errors", "raise")
    if errors not in {"raise", "skip", "column"}:
        raise ValueError(f"errors must be raise, skip or column, not {errors!r}")
    return errors


def _error_column(options: Mapping[str, str]) -> str:
    return options.get("error_column", "_error")


def _passed(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that `penstock.columns` has as well."""
    return {name: options[name] for name in _PASSED if name in options}


def _listed(names: str | None) -> list[str] | None:
    """Return the names of a list in JSON, or between commas."""
    if names is None:
        return None
    if names.startswith("["):
        return [str(name) for name in json.loads(names)]
    return [name.strip() for name in names.split(",")]


def _local(path: str) -> str:
    """Return a path without the scheme of files. It is absolute, because workers are elsewhere.

    Raises:
        ValueError: It has another scheme.
    """
    path = (
        path.removeprefix("file://") if path.startswith("file:///") else path.removeprefix("file:")
    )
    if "://" in path:
        raise ValueError(f"penstock opens files by their paths, and this is an address: {path}")
    return os.path.abspath(path)  # noqa: PTH100 - links stay


def _file(path: str) -> Any:
    """Return what `load` was given as a file: by its path, or behind its address."""
    file = addressed(path)
    return file if _sources.is_remote(file) else _local(path)


def _source(options: Mapping[str, str]) -> Any:
    """Return the files that `load` was given.

    Raises:
        ValueError: There is none.
    """
    if "paths" in options:
        return [_file(path) for path in json.loads(options["paths"])]
    if "path" not in options:
        raise ValueError("load() needs a path, or the option splits")
    return _file(options["path"])


def _splits(options: Mapping[str, str]) -> Sequence[penstock.Split]:
    """Return the parts that the options name, or find them."""
    if "splits" in options:
        for name in ("path", "paths", "format", "at", "parts", "bytes"):
            if name in options:
                raise ValueError(f"the option {name} is known of the parts in splits")
        return [penstock.Split.from_dict(each) for each in json.loads(options["splits"])]
    sizes: dict[str, Any] = {
        name: int(options[name]) for name in ("parts", "bytes") if name in options
    }
    format: Any = options.get("format")
    return penstock.split(_source(options), format=format, at=options.get("at"), **sizes)


def _class(options: Mapping[str, str]) -> Any:
    """Return the class of a record; None if the options name none.

    Raises:
        ValueError: The name has no module, or there is no such class.
    """
    if "into" not in options:
        return None
    module, colon, name = options["into"].partition(":")
    if not colon:
        raise ValueError(f"into must be module:Class, not {options['into']!r}")
    found: Any = importlib.import_module(module)
    for each in name.split("."):
        if not hasattr(found, each):
            raise ValueError(f"into: {module} has no {name}")
        found = getattr(found, each)
    return found


# --- Types


def _found(options: Mapping[str, str], errors: Any, names: list[str] | None) -> pa.Schema:
    """Return the columns of the class, or those of the records."""
    format: Any
    at: Any
    source: Any
    if "splits" in options:
        parts = _splits(options)
        if not parts:
            raise ValueError(_NO_PART)
        source = files_of_parts(parts)
        format, at = parts[0].format, parts[0].at
    else:
        source, format, at = _source(options), options.get("format"), options.get("at")
    into = _class(options)
    if into is not None:
        return schema_of(into, files_of(source, format), format, at, names, _passed(options))
    found = pa.schema(penstock.schema(source, format=format, at=at, errors=errors))
    if names is None:
        return found
    for name in names:
        if name not in found.names:
            raise ValueError(f"columns: the records have no {name!r}")
    return pa.schema([each for each in found if each.name in names])


def _spark_schema(schema: pa.Schema) -> StructType:
    """Return the schema as Spark has it. All columns may be null.

    Raises:
        PlanError: Spark has no type for a column.
    """
    return from_arrow_schema(
        pa.schema([(each.name, _spark_type(each.type, each.name)) for each in schema])
    )


def _spark_type(kind: pa.DataType, path: str) -> pa.DataType:
    """Return the type of Spark, as Arrow has it, that holds all values of a type.

    | Arrow | Spark |
    |---|---|
    | uint8, uint16, uint32 | the next wider integer |
    | uint64 | decimal(20, 0) |
    | dictionary | that of its values |
    | an extension, such as arrow.json | that of its storage |
    | list, fixed_size_list | array |
    """
    if isinstance(kind, pa.BaseExtensionType):
        return _spark_type(kind.storage_type, path)
    if pa.types.is_dictionary(kind):
        return _spark_type(kind.value_type, path)
    if pa.types.is_unsigned_integer(kind):
        return _WIDER[kind]
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_decimal256(kind):
        raise penstock.PlanError(f"{path}: Spark has no decimal of {kind.precision} digits")
    if pa.types.is_struct(kind):
        return pa.struct(
            [(each.name, _spark_type(each.type, f"{path}/{each.name}")) for each in kind]
        )
    if pa.types.is_map(kind):
        return pa.map_(*(_spark_type(each, path) for each in (kind.key_type, kind.item_type)))
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(_spark_type(kind.value_type, path))
    return kind
