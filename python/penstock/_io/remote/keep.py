"""Files that were fetched, and are kept in a folder: `penstock.remote(..., keep=)`.

A file is there whole or not at all. It is found by its address and by what its server calls its
state. Several processes may have the same folder: one of them fetches, and the others wait.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile

from penstock._io.remote import stores as _stores

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._io.remote.source import Remote

SIZE = 10 << 30
"""How many bytes a folder keeps, if nobody says."""

_CHUNK = 1 << 20
_LOCK = ".lock"
_PART = ".part"


def kept(remote: Remote, folder: str, size: int) -> str:
    """Return the path of the file that is kept of an address, and fetch it if there is none.

    Raises:
        OSError: The file cannot be fetched, or not be written.
    """
    from penstock._io.remote.source import warn  # noqa: PLC0415 - it imports this module

    mine = os.path.join(folder, _digest(remote.address))  # noqa: PTH118 - pathlib is slow to import
    try:
        remote.connect()
    except Exception as error:
        newest = _newest(mine) if _stores.is_passing(error) else None
        if newest is None:
            raise
        warn(f"{remote.name} cannot be reached, so the file is read that was kept of it")
        return newest
    os.makedirs(mine, exist_ok=True)  # noqa: PTH103 - as above
    name = _stores.suffixed(remote.address) or "file"
    state = _digest(f"{remote.size} {remote.version}")
    path = os.path.join(mine, f"{state}.{name}")  # noqa: PTH118 - as above
    with _locked(mine):
        # Without a version, nobody knows whether it is the same file.
        if remote.version is None or not os.path.exists(path):  # noqa: PTH110 - as above
            _fetch(remote, path)
    os.utime(path)
    _make_room(folder, size, path)
    return path


def _fetch(remote: Remote, path: str) -> None:
    """Fetch a file: whole, or not at all."""
    descriptor, part = tempfile.mkstemp(_PART, dir=os.path.dirname(path))  # noqa: PTH120 - as above
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - as above
            stream = remote.open()
            while chunk := stream.read(_CHUNK):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)  # noqa: PTH105 - as above
    except BaseException:
        os.unlink(part)  # noqa: PTH108 - as above
        raise


def _newest(mine: str) -> str | None:
    found = [(os.stat(path).st_mtime_ns, path) for path in _files(mine)]  # noqa: PTH116 - as above
    return max(found)[1] if found else None


def _files(folder: str) -> Iterator[str]:
    """Give the files that are kept in a folder, and in the folders of it."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif not entry.name.endswith((_LOCK, _PART)):
                yield entry.path


def _make_room(folder: str, size: int, wanted: str) -> None:
    """Remove those files that nobody has asked for the longest, but not the one that is wanted."""
    found = []
    for path in _files(folder):
        # Another process may have removed it.
        with contextlib.suppress(FileNotFoundError):
            about = os.stat(path)  # noqa: PTH116 - as above
            found.append((about.st_mtime_ns, about.st_size, path))
    total = sum(each for _, each, _ in found)
    for _, each, path in sorted(found):
        if total <= size:
            return
        if path != wanted:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108 - as above
            total -= each


@contextlib.contextmanager
def _locked(mine: str) -> Iterator[None]:
    """Let one process after the other fetch what is behind an address."""
    import fcntl  # noqa: PLC0415 - few need it

    path = os.path.join(mine, _LOCK)  # noqa: PTH118 - as above
    with open(path, "wb") as file:  # noqa: PTH123 - as above
        # The system gives the lock back when the file is closed, or the process ends.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
