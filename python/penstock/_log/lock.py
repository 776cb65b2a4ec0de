"""The lock that makes somebody the only writer of a log."""

from __future__ import annotations

import errno
import fcntl
import os

import penstock.json as json

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# What names the holder, with spaces behind it.
_LENGTH = 512


class Lock:
    """A lock on a file that names the holder. The kernel gives it up with the process."""

    __slots__ = ("_descriptor",)

    def __init__(self, path: str, name: str) -> None:
        """Take the lock. `name` is what messages call the log.

        Raises:
            BlockingIOError: Somebody has it. The message names the process.
            OSError: The file cannot be made.
        """
        self._descriptor = -1
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = {"process": os.getpid(), "host": os.uname().nodename}
            # Always of the same length: a file that is cut first may have to wait for the disk.
            os.pwrite(descriptor, json.encode(mine).ljust(_LENGTH), 0)
        except BlockingIOError:
            holder = _holder(os.pread(descriptor, _LENGTH, 0))
            os.close(descriptor)
            raise BlockingIOError(
                errno.EWOULDBLOCK,
                f"the log has one writer, and that is {holder}; writable=False reads it",
                name,
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    @property
    def held(self) -> bool:
        """Whether this process has it."""
        return self._descriptor >= 0

    def release(self) -> None:
        """Give the lock up. Doing it again does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            # A process that was forked off meanwhile may have the file, too.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def __del__(self) -> None:
        """Give the lock of a log up that nobody has closed."""
        self.release()

    def forget(self) -> None:
        """Close the file in a process that was forked off, which is no writer."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def _holder(text: bytes) -> str:
    """Return who has the lock, as a message says it."""
    try:
        said: dict[str, Any] = json.decode(text, dict)
        process, host = int(said["process"]), str(said["host"])
    except (ValueError, LookupError, TypeError):
        # It has just taken the lock.
        return "another process"
    if host != os.uname().nodename:
        return f"process {process} on {host}"
    return "this process" if process == os.getpid() else f"process {process}"
