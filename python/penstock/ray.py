r"""Exact parts of files as a data source of Ray Data, and folders that Ray writes.

Read and write with the two classes::

    import penstock.ray
    import ray

    articles = ray.data.read_datasource(
        penstock.ray.Datasource("pubmed/*.xml", Article, at="PubmedArticleSet/PubmedArticle")
    )
    articles.write_datasink(penstock.ray.Datasink("rows", compression="gzip"))

The classes may be defined in the program itself: Ray sends them to its workers.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from ray import get, remote
from ray.data import block, datasource

import penstock
from penstock._base import conditions as _conditions
from penstock._base.types import PLAIN
from penstock._engines import tasks as _tasks
from penstock._engines.batches import Batches, files_of, files_of_parts, schema_of, with_errors
from penstock._engines.folder import Folder
from penstock._io import sources as _sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from ray.data._internal.execution.interfaces import TaskContext
    from typing_extensions import TypeForm

    from penstock._base.types import At, Format, HasSchema, Sources, Where

__all__ = ["Datasink", "Datasource"]


class Datasource(datasource.Datasource):
    r"""Records of files as rows, for `ray.data.read_datasource`.

    Each part is a read task. If a dataset begins with `select_columns`, and errors end the job, the
    other columns are not parsed. Use `columns` if errors do not end it.

    Args:
        source: A path, a list of paths, a pattern or a folder, as for `penstock.split`, in a file
            system that all nodes share; or parts that `penstock.split` has made.
        into: The class of a record, or a schema. Without it, a first pass over all files finds the
            columns.
        at: Where the records are, as for `penstock.read`.
        format: The format, if the names of the files do not say it.
        bytes: About how many bytes a part shall have. By default there are as many parts as Ray
            asks for: see `override_num_blocks` of `read_datasource`.
        columns: The names of the fields that are wanted.
        errors: What becomes of a record in error: `"raise"` ends the job, `"skip"` leaves it out,
            and `"column"` makes a row of it that has nothing but `error_column`.
        error_column: The column of places and reasons of errors.
        rows: How many rows a batch has at most.
        where: Which records are wanted: a condition, or its text; see `penstock.field`. Tasks test
            a record while they parse it, and the others are not checked against the class. Without
            a class, the columns are those of the wanted records.
        options: `unions`, `duplicates`, `unknown` and `limits`, as for `penstock.columns`.

    Raises:
        OSError: There is no such file.
        PlanError: The type of a field has no column, or `where` cannot compare it.
        ValueError: As for `penstock.split`, or the text of `where` is no condition.

    Example:
        >>> import pathlib, penstock.ray, ray
        >>> path = pathlib.Path("primes.ndjson").resolve()
        >>> _ = path.write_text('{"n": 2}\n{"n": 3}\n{"n": 5}\n')
        >>> source = penstock.ray.Datasource(path)
        >>> ray.data.read_datasource(source, override_num_blocks=2).sum("n")
        10
        >>> odd = penstock.ray.Datasource(path, where=penstock.field("n") > 2)
        >>> ray.data.read_datasource(odd, override_num_blocks=2).sum("n")
        8
    """

    def __init__(
        self,
        source: Sources | penstock.Splits,
        into: TypeForm[Any] | HasSchema = PLAIN,
        /,
        *,
        at: At[Any] | None = None,
        format: Format | None = None,
        bytes: int | None = None,
        columns: Sequence[str] | None = None,
        errors: Literal["raise", "skip", "column"] = "raise",
        error_column: str = "_error",
        rows: int = 65_536,
        where: Where | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._projection_map: dict[str, str] | None = None  # Ray keeps the columns here.
        if errors not in {"raise", "skip", "column"}:
            raise ValueError(f"errors must be 'raise', 'skip' or 'column', not {errors!r}")
        if isinstance(source, penstock.Splits):
            if (at, format, bytes) != (None, None, None):
                raise TypeError("at=, format= and bytes= are known of parts: split() takes them")
            files = files_of_parts(source)
            at, format = source[0].at, source[0].format
        else:
            files = files_of(source, format)
        if where is not None:
            # Text that is no condition is an error here, and not in a task.
            options["where"] = _conditions.condition(where)
        if into is PLAIN:
            passing: Any = "raise" if errors == "raise" else "skip"
            into = pa.schema(
                penstock.schema(files, at=at, format=format, errors=passing, where=where)
            )
        self._source, self._files, self._bytes = source, files, bytes
        self._place: dict[str, Any] = {"at": at, "format": format}
        schema = schema_of(into, files, format, at, columns, options)
        if errors == "column":
            schema = with_errors(schema, error_column)
        self._planned: dict[int | None, Sequence[penstock.Split]] = {}
        self._batches = Batches(
            into=into,
            schema=schema,
            errors=errors,
            error_column=error_column,
            rows=rows,
            options=options,
        )

    def get_name(self) -> str:
        """Return the name that Ray shows."""
        return "Penstock"

    def estimate_inmemory_data_size(self) -> int:
        """Return the size of the files, in bytes."""
        return sum(_sources.stat(path).st_size or 0 for path in self._files)

    def supports_projection_pushdown(self) -> bool:
        """Say whether columns may be left out.

        Which records are in error depends on the columns that are parsed. So they are all parsed
        if errors do not end the job, because then the rows would depend on it, too.
        """
        return self._batches.errors == "raise"

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,  # noqa: ARG002 - Ray passes it by name
    ) -> list[datasource.ReadTask]:
        """Return a task for each part."""
        batches = self._batches
        wanted = self._get_data_columns()
        if wanted is not None:
            batches = batches.only(wanted)
        return [
            datasource.ReadTask(
                partial(_tables, batches, part),
                block.BlockMetadata(None, None, None, input_files=(part.path,)),
                per_task_row_limit=per_task_row_limit,
            )
            for part in self._parts(parallelism)
        ]

    def _parts(self, parallelism: int) -> Sequence[penstock.Split]:
        """Return the parts. Ray asks more than once, and finding them passes over the files."""
        if isinstance(self._source, penstock.Splits):
            return self._source
        parts = parallelism if self._bytes is None else None
        if parts not in self._planned:
            if self.estimate_inmemory_data_size() > _tasks.LARGE:
                found = _tasks.plan(self._files, _in_tasks, parts, self._bytes, **self._place)
            else:
                found = list(
                    penstock.split(self._files, parts=parts, bytes=self._bytes, **self._place)
                )
            self._planned[parts] = found
        return self._planned[parts]


def _in_tasks(work: list[dict[str, Any]]) -> list[Any]:
    """Find the parts of large files in tasks."""
    task = remote(_tasks.work)
    found: list[Any] = get([task.remote(each) for each in work])
    return found


def _tables(batches: Batches, part: penstock.Split) -> Iterator[pa.Table]:
    for batch in batches.read(part):
        yield pa.Table.from_batches([batch])


class Datasink(datasource.Datasink):
    """A folder that has all files of a job or none, for `Dataset.write_datasink`.

    Args:
        path: The folder, in a file system that all nodes share.
        format: The format of the files.
        compression: `"gzip"`, `"bgzf"`, `"zstd"`, `"bzip2"` or `"xz"`.
        mode: Whether the files replace those in the folder (`"overwrite"`) or are added to them.
        options: `at`, `omit`, `level` and `sync`, as for `penstock.write`.

    Raises:
        NotADirectoryError: The path is that of a file.
        ValueError: There is no such format, compression or mode.

    Example:
        >>> import penstock.ray, ray
        >>> rows = ray.data.from_items([{"name": "Bern"}, {"name": "Chur"}])
        >>> rows.write_datasink(penstock.ray.Datasink("names", format="csv"))
        >>> sorted(row["name"] for row in penstock.read("names"))
        ['Bern', 'Chur']
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        /,
        *,
        format: Format = "ndjson",
        compression: Literal["gzip", "bgzf", "zstd", "bzip2", "xz"] | None = None,
        mode: Literal["append", "overwrite"] = "append",
        **options: Any,
    ) -> None:
        if mode not in {"append", "overwrite"}:
            raise ValueError(f"mode must be 'append' or 'overwrite', not {mode!r}")
        is_new = mode == "overwrite"
        self.folder = Folder(os.fspath(path), format, compression, is_new, options)

    def on_write_start(self, schema: pa.Schema | None = None) -> None:  # noqa: ARG002 - blocks have theirs
        """Make the folder that the tasks write into."""
        self.folder.start()

    def write(self, blocks: Iterable[block.Block], ctx: TaskContext) -> str | None:  # noqa: ARG002 - Ray passes it
        """Write a file, which nobody sees before the commit."""
        tables = (block.BlockAccessor.for_block(each).to_arrow() for each in blocks)
        return self.folder.write(batch for table in tables for batch in table.to_batches())

    def on_write_complete(self, write_result: datasource.WriteResult[str | None]) -> None:
        """Show the files of all tasks."""
        self.folder.commit(write_result.write_returns)

    def on_write_failed(self, error: Exception) -> None:  # noqa: ARG002 - Ray raises it
        """Remove the files of all tasks."""
        self.folder.abort()
