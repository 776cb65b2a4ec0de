"""Stores of files: in a folder, and behind an address."""

from __future__ import annotations

import errno
import os

from penstock._any_format import verbs as _verbs
from penstock._base.types import PLAIN
from penstock._io import formats as _formats
from penstock._io.remote.make import remote
from penstock._stores.base import Store
from penstock._stores.refs import within

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, NoReturn

    from typing_extensions import TypeForm

    from penstock._base.types import Path
    from penstock._io.remote.source import Remote as Address


class Folder(Store):
    """A file for each value, in any format.

    A file is replaced at once or not at all. Nothing is pickled. The reference `task/7` is the file
    `task/7.json`. In a folder's name, a dot of the suffix is `%2E`, so that a folder never has the
    name of a file, and a percent sign is `%25`.

    Args:
        path: The folder. It is made when it is needed.
        into: The type of the values; by default they are plain.
        suffix: What files end in. It says the format, and the compression, as in `.json.gz`.
        sync: Whether a value is on the disk when `Store.put` returns.

    Raises:
        TypeError: `path` is not a path.
        ValueError: The suffix names no format.

    Example:
        >>> from dataclasses import dataclass
        >>> import pathlib
        >>> from penstock.stores import Folder
        >>> @dataclass
        ... class Task:
        ...     title: str
        >>> store = Folder("tasks", Task)
        >>> store.put("list/7", Task("milk"))
        >>> store.get("list/7"), pathlib.Path("tasks/list/7.json").read_text()
        (Task(title='milk'), '{"title":"milk"}')
    """

    __module__ = "penstock.stores"
    __slots__ = ("_into", "_path", "_suffix", "_sync")

    def __init__(
        self,
        path: Path,
        into: TypeForm[Any] = PLAIN,
        /,
        *,
        suffix: str = ".json",
        sync: bool = False,
    ) -> None:
        """Check the suffix."""
        super().__init__()
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"Folder() takes a path, not {type(path).__name__}")
        self._path, self._suffix, self._sync = os.fsdecode(path), _suffix(suffix), sync
        self._into = into

    def _file(self, ref: str) -> str:
        """Return the path of the file of a reference."""
        *folders, last = ref.replace("%", "%25").split("/")
        suffix = self._suffix
        steps = (
            step.removesuffix(suffix) + suffix.replace(".", "%2E", 1)
            if step.endswith(suffix)
            else step
            for step in folders
        )
        return os.path.join(self._path, *steps, last + suffix)  # noqa: PTH118 - pathlib is slow to import

    def _ref(self, path: str) -> str:
        """Return the reference of a file."""
        ref = path.removesuffix(self._suffix).replace(os.sep, "/")
        return ref.replace("%2E", ".").replace("%25", "%")

    def _get(self, ref: str, into: Any) -> Any:
        path = self._file(ref)
        try:
            return _verbs.load(path, self._into if into is PLAIN else into)
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(ref) from None

    def _put(self, ref: str, value: object) -> None:
        path = self._file(ref)
        into = None if self._into is PLAIN else self._into
        try:
            _verbs.dump(value, path, into, sync=self._sync)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - as above
            _verbs.dump(value, path, into, sync=self._sync)

    def _delete(self, ref: str) -> None:
        try:
            os.remove(self._file(ref))  # noqa: PTH107 - as above
        except (FileNotFoundError, NotADirectoryError):
            return

    def _list(self, prefix: str) -> Sequence[str]:
        return within(self._refs(), prefix)

    def _refs(self) -> Iterator[str]:
        for folder, _, files in os.walk(self._path):
            for name in files:
                if name.endswith(self._suffix):
                    path = os.path.join(folder, name)  # noqa: PTH118 - as above
                    yield self._ref(os.path.relpath(path, self._path))

    def _version(self, ref: str) -> str:
        try:
            about = os.stat(self._file(ref))  # noqa: PTH116 - as above
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(ref) from None
        return f"{about.st_ino}-{about.st_size}-{about.st_mtime_ns}"

    def __repr__(self) -> str:
        """Return the path."""
        return f"<Folder {self._path!r} of *{self._suffix}>"


class Remote(Store):
    """Reads a file for each value behind an address, by `penstock.remote`.

    It has `Store.get` and `Store.version` only: no server is asked for a list of its files, and
    nothing is written there. So put it behind a `Cached`, or below an `Overlay`.

    Args:
        address: What the addresses begin with. The reference `task/7` is `address/task/7.json`,
            with its characters escaped as in URLs.
        into: The type of the values; by default they are plain.
        suffix: What the addresses end in. It says the format.
        options: Those of `penstock.remote`.

    Raises:
        ValueError: The suffix names no format.
    """

    __module__ = "penstock.stores"
    __slots__ = ("_address", "_into", "_options", "_suffix")

    def __init__(
        self,
        address: str,
        into: TypeForm[Any] = PLAIN,
        /,
        *,
        suffix: str = ".json",
        **options: Any,
    ) -> None:
        """Check the suffix."""
        super().__init__()
        self._address, self._suffix = address.rstrip("/"), _suffix(suffix)
        self._into, self._options = into, options

    def _source(self, ref: str) -> Address:
        # The keys of a store are no URLs.
        if self._options.get("store") is None:
            from urllib.parse import quote  # noqa: PLC0415 - slow to import

            ref = quote(ref)
        parts = (part for part in (self._address, ref + self._suffix) if part)
        return remote("/".join(parts), **self._options)

    def _get(self, ref: str, into: Any) -> Any:
        try:
            return _verbs.load(self._source(ref), self._into if into is PLAIN else into)
        except FileNotFoundError:
            raise KeyError(ref) from None

    def _version(self, ref: str) -> str:
        source = self._source(ref)
        try:
            source.stat()
        except FileNotFoundError:
            raise KeyError(ref) from None
        if source.version is None:
            raise OSError(errno.ENOTSUP, "the server names no version", source.name)
        return source.version

    def _put(self, ref: str, value: object) -> NoReturn:  # noqa: ARG002 - it is for all stores alike
        self._refuse("written to")

    def _delete(self, ref: str) -> NoReturn:  # noqa: ARG002 - as above
        self._refuse("written to")

    def _list(self, prefix: str) -> NoReturn:  # noqa: ARG002 - as above
        self._refuse("listed")

    def _refuse(self, what: str) -> NoReturn:
        raise OSError(errno.EROFS, f"what is behind an address cannot be {what}", self._address)

    def __repr__(self) -> str:
        """Return the address."""
        return f"<Remote {self._address!r} of *{self._suffix}>"


def _suffix(suffix: str) -> str:
    """Return a suffix that names a format."""
    if not suffix.startswith(".") or "/" in suffix or _formats.of_name("x" + suffix) is None:
        raise ValueError(f"{suffix!r} is the suffix of no format: '.json', for example, is of one")
    return suffix
