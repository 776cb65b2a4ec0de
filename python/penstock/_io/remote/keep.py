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
from penstock._io.remote.warned import warn

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._io.remote.source import Remote

SIZE = 10 << 30
"""How many bytes a folder keeps, if nobody says."""

_CHUNK = 1 << 20
_LOCK = ".lock"
_PART = ".part"
# How folders and files begin that are ours. The caller may keep other files beside them.
_DIGEST = 32
_HEX = frozenset("0123456789abcdef")


class Kept(str):
    """The path of a file that is kept, with the name of its address and its state there.

    Attributes:
        name: What messages call it.
        state: Its size, and a digest of its version or 0, as `Remote.stat` says them.
    """

    name: str
    state: tuple[int, int]
    __slots__ = ("name", "state")


def kept(remote: Remote, folder: str, size: int) -> Kept:
    """Return the path of the file that is kept of an address, and fetch it if there is none.

    Raises:
        OSError: The file cannot be fetched, or not be written.
    """
    mine = os.path.join(folder, _digest(remote.address))  # noqa: PTH118 - pathlib is slow to import
    try:
        remote.connect()
    except Exception as error:
        newest = _newest(mine) if _stores.is_passing(error) else None
        if newest is None:
            raise
        warn(f"{remote.name} cannot be reached, so the file is read that was kept of it")
        return _named_so(newest, remote.name)
    os.makedirs(mine, exist_ok=True)  # noqa: PTH103 - as above
    name = _stores.suffixed(remote.address) or "file"
    state = _digest(f"{remote.size} {remote.version}")
    path = os.path.join(mine, f"{state}.{name}")  # noqa: PTH118 - as above
    with _locked(mine):
        # Without a version, nobody knows whether it is the same file.
        if remote.version is None or not _is_wanted_again(path):
            _fetch(remote, path)
    _make_room(folder, size, path)
    return _named_so(path, remote.name)


def _named_so(path: str, name: str) -> Kept:
    """Return the path of a kept file with its state, which its own name tells."""
    made = Kept(path)
    made.name = name
    size = os.stat(path).st_size  # noqa: PTH116 - as above
    digest = os.path.basename(path)[:_DIGEST]  # noqa: PTH119 - as above
    is_named = digest not in {_digest(f"{size} {None}"), _digest(f"{None} {None}")}
    # The first bytes of the same digest are those of `Remote.stat`.
    made.state = (size, int(digest[:16], 16) >> 2 if is_named else 0)
    return made


def _is_wanted_again(path: str) -> bool:
    """Whether a file is there; then it is the last one that goes."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _fetch(remote: Remote, path: str) -> None:
    """Fetch a file: whole, or not at all."""
    for left in _named(os.path.dirname(path), _PART):  # noqa: PTH120 - as above
        # Nobody else fetches while this process has the lock: the process that did was killed.
        os.unlink(left)  # noqa: PTH108 - as above
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


def _files(mine: str) -> list[str]:
    """Return the files that are kept of an address."""
    return [path for path in _named(mine) if _is_ours(os.path.basename(path))]  # noqa: PTH119 - as above


def _named(folder: str, suffix: str = "") -> list[str]:
    """Return the files of a folder whose names end like that; none if there is no folder."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        return [
            entry.path
            for entry in entries
            if entry.name.endswith(suffix) and entry.is_file(follow_symlinks=False)
        ]
    return []


def _is_ours(name: str) -> bool:
    """Whether a name begins with a digest, and with a dot behind it if there is more."""
    return (
        _HEX.issuperset(name[:_DIGEST]) and name[_DIGEST:][:1] in {"", "."} and len(name) >= _DIGEST
    )


def _all_files(folder: str) -> list[str]:
    """Return the files that are kept in a folder, of any address."""
    with os.scandir(folder) as entries:
        folders = [
            entry.path
            for entry in entries
            if len(entry.name) == _DIGEST
            and _is_ours(entry.name)
            and entry.is_dir(follow_symlinks=False)
        ]
    return [path for each in folders for path in _files(each)]


def _make_room(folder: str, size: int, wanted: str) -> None:
    """Remove those files that nobody has asked for the longest, but not the one that is wanted."""
    found = []
    for path in _all_files(folder):
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
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
