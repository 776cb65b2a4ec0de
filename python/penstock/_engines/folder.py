"""A folder whose files several tasks write, and that has all of them at once, or none."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
import penstock._rust as _rust
from penstock._io import formats as _formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

_SUFFIXES: dict[str, str] = {**dict(_rust.COMPRESSIONS), "bgzf": ".bgz"}


@dataclass(frozen=True)
class Folder:
    """What a job writes, and where. It can be pickled, so that each task has it.

    `start` makes a hidden folder beside the target, into which the tasks write. `commit` takes the
    files of the tasks that are said to have succeeded, and removes whatever others have left, such
    as a task that was killed, or one that was run twice. It and `abort` first rename the hidden
    folder: a task that still runs fails then, because it does not make the folder itself.

    Attributes:
        path: The folder.
        format: The format of the files.
        compression: How they are compressed: `"gzip"`, `"bgzf"`, `"zstd"`, `"bzip2"`, `"xz"`, or
            None.
        replaces: Whether the job's files replace the folder, or are added to it.
        options: Further options of `penstock.write`.
        job: What tells this job from others.
    """

    path: str
    format: Any = "ndjson"
    compression: str | None = None
    replaces: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    job: str = field(default_factory=lambda: uuid.uuid4().hex[:16])

    def __post_init__(self) -> None:
        """Check what can be wrong before a task is started.

        Raises:
            NotADirectoryError: The path is that of a file.
            ValueError: There is no such format or compression.
        """
        _formats.checked(self.format)
        # Tasks have working directories of their own.
        object.__setattr__(self, "path", os.path.abspath(self.path))  # noqa: PTH100 - links stay
        if self.compression is not None and self.compression not in _SUFFIXES:
            known = ", ".join(_SUFFIXES)
            raise ValueError(f"compression must be one of {known}, not {self.compression!r}")
        if self.target.exists() and not self.target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path)

    @property
    def target(self) -> Path:
        """The folder, without links."""
        return Path(self.path).resolve()

    @property
    def hidden(self) -> Path:
        """The folder that the tasks write into."""
        return self.target.with_name(f".{self.target.name}.{self.job}")

    @property
    def suffix(self) -> str:
        """The suffix of the files."""
        return f".{self.format}{_SUFFIXES.get(self.compression or '', '')}"

    def start(self) -> None:
        """Make the folder that the tasks write into."""
        self.hidden.mkdir(parents=True)

    def write(self, batches: Iterable[pa.RecordBatch]) -> str | None:
        """Write the rows of a task, and return the name of their file; None without a row.

        Raises:
            OSError: The file cannot be written.
            EncodeError: A row has no form in the format.
        """
        writer: penstock.Writer[Any] | None = None
        name = uuid.uuid4().hex + self.suffix
        try:
            for batch in batches:
                if batch.num_rows == 0:
                    continue
                if writer is None:
                    writer = penstock.write(self.hidden / name, format=self.format, **self.options)
                writer.columns(batch)
            if writer is None:
                return None
            writer.close()
        except BaseException:
            if writer is not None:
                writer.abort()
            raise
        return name

    def commit(self, names: Iterable[str | None]) -> None:
        """Put the files of tasks into the folder, in this order, and remove all others.

        A folder that is new or replaced appears with all of its files. Files that are added get
        their names one after the other.

        Raises:
            OSError: A file cannot be renamed.
        """
        target, done = self.target, self._closed()
        kept = {}
        for number, name in enumerate(name for name in names if name is not None):
            kept[name] = f"part-{number:05}-{self.job}{self.suffix}"
        for left in done.iterdir():
            if left.name not in kept:
                left.unlink()
        for name, final in kept.items():
            (done / name).rename(done / final)
        if target.exists() and not self.replaces:
            for final in kept.values():
                (done / final).rename(target / final)
            done.rmdir()
            return
        old = self.hidden.with_name(f"{self.hidden.name}.old")
        if target.exists():
            target.rename(old)
        done.rename(target)
        if old.exists():
            shutil.rmtree(old)

    def abort(self) -> None:
        """Remove what the tasks have written. The folder stays as it was."""
        if self.hidden.exists():
            self._closed()
        shutil.rmtree(self._done, ignore_errors=True)

    @property
    def _done(self) -> Path:
        return self.hidden.with_name(f"{self.hidden.name}.done")

    def _closed(self) -> Path:
        """Rename the hidden folder, so that no task finds it any more, and return it."""
        return self.hidden.rename(self._done)
