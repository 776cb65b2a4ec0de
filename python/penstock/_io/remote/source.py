"""`Remote`: a file behind an address, as a source of every verb."""

from __future__ import annotations

import hashlib
import io
import os
import random
import threading
import time
from dataclasses import dataclass

from penstock._io.remote import stores as _stores
from penstock._io.remote.stream import Pieces, Task, Whole
from penstock._io.remote.warned import warn

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from typing_extensions import Buffer

    from penstock._base.types import Ranged
    from penstock._io.remote.stores import Answer, State, Store

TRIES = 5
"""How often a request that brings no byte is tried."""

SEEKING = 256 << 10
"""How many bytes a file that can seek asks for at least."""

HEAD = 4096
"""How many bytes come with the state of the file."""

PAUSE = 0.1
"""How many seconds pass before the second try. Before each other one it is twice as long."""

# The suffixes of files beside which `bgzip` writes an index, and the suffix of that.
_GZIPPED = (".gz", ".bgz", ".bgzf")
_GZI = ".gzi"
_CHUNK = 1 << 20

# Which options are written into a pickle: where a store is, and never who asks.
_PLACES = frozenset(
    {
        *("region", "aws_region", "endpoint", "aws_endpoint", "aws_endpoint_url", "endpoint_url"),
        *("skip_signature", "aws_skip_signature", "request_payer", "aws_request_payer"),
        *("virtual_hosted_style_request", "aws_virtual_hosted_style_request"),
        *("account_name", "azure_storage_account_name", "anon", "allow_http"),
    }
)


@dataclass(frozen=True, slots=True)
class Stat:
    """What tells one state of a file from another, in the words of `os.stat`.

    In place of the time there is a digest of the version, or 0 if nobody knows that.
    """

    st_dev: int
    st_ino: int
    st_size: int | None
    st_mtime_ns: int


class Remote:
    """A file behind an address: a source of every verb. `penstock.remote` makes it.

    It is pinned to the state of the file that it meets first. If the file changes, whoever reads it
    gets an error, and never a mixture. It can be pickled with that state, but without credentials:
    other processes take theirs from their environment.

    Attributes:
        address: The address.
        requests: How many requests are in flight at most.
    """

    __module__ = "penstock"
    __slots__ = (
        *("__weakref__", "_given", "_has_ranges", "_head", "_keep", "_options", "_processes"),
        *("_state",),
        *("address", "requests"),
    )

    def __init__(
        self,
        address: str | Ranged,
        store: object,
        requests: int,
        keep: tuple[str, int] | None,
        options: Mapping[str, Any],
        state: State | None = None,
        *,
        has_ranges: bool = True,
    ) -> None:
        """As `penstock.remote` says. Nothing is asked for yet."""
        self._given = (address, store)
        self.address: str = address if isinstance(address, str) else repr(address)
        self.requests = requests
        self._keep = keep
        self._options = dict(options)
        self._state = state
        # A child that was forked asks by itself, so each process has its own.
        self._processes: dict[int, tuple[Store, Any]] = {}
        self._has_ranges = has_ranges
        # The first bytes, if they came with the state: many look at them next.
        self._head = b""

    @property
    def name(self) -> str:
        """The address, without a password and without a query, as messages have it."""
        return _stores.shown(self.address) if "://" in self.address else self.address

    @property
    def size(self) -> int | None:
        """How many bytes the file has, as far as is known yet; None if the server does not say."""
        return None if self._state is None else self._state.size

    @property
    def version(self) -> str | None:
        """What the server calls this state of the file, such as its entity tag.

        None if the server does not say, or was not asked yet.
        """
        return None if self._state is None else self._state.version

    def __repr__(self) -> str:
        """Show the address."""
        return f"penstock.remote({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same address in the same state."""
        if not isinstance(other, Remote):
            return NotImplemented
        return (self._given, self._state) == (other._given, other._state)

    def __hash__(self) -> int:
        """As `__eq__`."""
        return hash(self.address)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the address and the state, and no credentials."""
        address, store = self._given
        given = (address, store, self.requests, self._keep, self._places())
        return _again, (*given, self._state, self._has_ranges)

    def as_dict(self) -> dict[str, Any]:
        """Return what a pickle has of it, for JSON. `from_dict` takes it back.

        Raises:
            TypeError: It is made of an object, which JSON cannot have.
        """
        address, store = self._given
        if store is not None or not isinstance(address, str):
            raise TypeError(
                f"{self!r} is made of an object, so that JSON cannot have it: pickle it"
            )
        state = self._state
        return {
            "address": address,
            "requests": self.requests,
            "keep": self._keep,
            "options": self._places(),
            "state": None if state is None else (state.size, state.version, state.match),
            "has_ranges": self._has_ranges,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], /) -> Remote:
        """Return the address of which `as_dict` has made these values, also through JSON.

        Raises:
            ValueError: They are damaged.
        """
        try:
            keep, state = values["keep"], values["state"]
            return cls(
                str(values["address"]),
                None,
                int(values["requests"]),
                None if keep is None else (str(keep[0]), int(keep[1])),
                dict(values["options"]),
                None if state is None else _stores.State(*state),
                has_ranges=bool(values["has_ranges"]),
            )
        except (LookupError, TypeError) as error:
            raise ValueError("these are not the values of a penstock.Remote") from error

    def _places(self) -> dict[str, Any]:
        return {name: each for name, each in self._options.items() if name in _PLACES}

    def kept(self) -> str | None:
        """Return the path of the file that `keep=` has kept, and fetch it first if need be.

        None without `keep`.
        """
        if self._keep is None:
            return None
        from penstock._io.remote.keep import kept  # noqa: PLC0415 - few need it

        return kept(self, *self._keep)

    def stat(self) -> Stat:
        """Return the state of the file, for those who compare it. Asks if it is not known."""
        self.connect()
        state = self._state
        size = state.size if state is not None and self._has_ranges else None
        is_named = state is not None and state.version is not None
        changed = _digest(f"{self.size} {self.version}") if is_named else 0
        return Stat(1, _digest(self.address), size, changed)

    def check(self) -> None:
        """Make sure that there is what reads such addresses. Nothing is asked for.

        Raises:
            ImportError: The package for it is not installed.
            ValueError: Nothing reads them, or an option is wrong.
        """
        self._of_process()

    def connect(self) -> None:
        """Ask for the state of the file, if it is not known yet."""
        self.check()
        if self._state is None and self._has_ranges:
            first = Task(self.fetch, 0, HEAD)
            if self._connected(first):
                self._head = b"".join(first.result())

    def _connected(self, first: Task) -> bool:
        """Wait until the state of the file is known. False if its server gives no ranges."""
        try:
            first.result()
        except _stores.NoRanges:
            self._has_ranges = False
            message = f"{self.name} is read as one stream: its server gives no ranges of bytes"
            warn(message)
        return self._has_ranges

    def read_range(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` up to `end`."""
        if start < end <= len(self._head):
            return self._head[start:end]
        self.check()
        chunks = Task(self.fetch, start, end).result()
        return bytes(chunks[0]) if len(chunks) == 1 else b"".join(chunks)

    def open(self, start: int = 0, until: int | None = None) -> Pieces | Whole:
        """Return a stream of the bytes from an offset on.

        Behind `until`, it asks only for what is read.
        """
        self.check()
        if self._has_ranges:
            pieces = Pieces(self, start, until)
            if self._state is not None or self._connected(pieces.first):
                return pieces
        return Whole(self, start)

    def as_file(self) -> io.BufferedReader:
        """Return a binary file that can seek, for those who need one, as for a zip archive.

        Raises:
            OSError: The server gives no ranges, or cannot be reached.
        """
        self.connect()
        return io.BufferedReader(Seekable(self), SEEKING)

    def gzi(self) -> bytes | None:
        """Return the index that `bgzip` writes beside a file; None if there is none.

        Nobody asks for one unless the name of the file is that of a gzip file.
        """
        address, store = self._given
        if not isinstance(address, str) or not _stores.suffixed(address).endswith(_GZIPPED):
            return None
        beside = _stores.beside(address, _GZI) if store is None else address + _GZI
        try:
            stream = Remote(beside, store, self.requests, None, self._options).open()
            data = b"".join(iter(lambda: stream.read(_CHUNK), b""))
        except (FileNotFoundError, PermissionError):
            # A store says so, too, if there is no such file and nobody may list its files.
            return None
        # A server may have a page for any address that it does not know.
        count = int.from_bytes(data[:8], "little")
        return data if len(data) == 8 + 16 * count else None

    def fetch(self, start: int, end: int) -> list[Buffer]:
        """Ask for a range of bytes, as often as it takes, and each time for what is missing.

        The range may end behind the file.
        """
        chunks: list[memoryview] = []
        at, tries = start, 0
        while True:
            try:
                with self._slot():
                    self._receive(at, end, chunks)
            except Exception as error:
                before, at = at, start + sum(chunk.nbytes for chunk in chunks)
                tries = 1 if at > before else tries + 1
                if tries >= TRIES or not _stores.is_passing(error):
                    raise _stores.as_os_error(error, self.name) from error
            else:
                return [*chunks]
            time.sleep(PAUSE * 2 ** (tries - 1) * random.uniform(0.5, 1))  # noqa: S311 - no secret

    def _receive(self, at: int, end: int, chunks: list[memoryview]) -> None:
        """Ask for a range once, and add what comes of it."""
        answer = self._of_process().ask(at, end, self._state)
        self._pin(answer.state)
        end = min(end, answer.state.size or 0)
        for chunk in answer.chunks:
            view = memoryview(chunk)
            if at + view.nbytes > end:
                raise OSError("the server gave more bytes than it was asked for")
            chunks.append(view)
            at += view.nbytes
        if at < end:
            raise ConnectionError(f"{end - at} of the bytes did not come")

    def fetch_all(self) -> Iterable[Buffer]:
        """Ask for the whole file, in one stream.

        It is not among the requests that are counted: it lasts as long as its reader, so that
        another reader of the same thread would wait for it for ever.
        """
        try:
            answer = self._of_process().ask_for_all()
        except Exception as error:
            raise _stores.as_os_error(error, self.name) from error
        self._pin(answer.state)
        yield from _checked(answer)

    def _pin(self, state: State) -> None:
        """Remember the state of the first answer, to which all others must belong."""
        if self._state is None:
            self._state = state
        elif state != self._state:
            raise _stores.Changed("it has changed since it was opened")

    def _slot(self) -> Any:
        return self._here()[1]

    def _of_process(self) -> Store:
        """Return the store of this process."""
        return self._here()[0]

    def _here(self) -> tuple[Store, Any]:
        """Return the store of this process, and its slots for requests."""
        process = os.getpid()
        here = self._processes.get(process)
        if here is None:
            address, store = self._given
            if not isinstance(address, str):
                found = _stores.of_ranged(address)
            elif store is not None:
                found = _stores.of_store(store, address)
            else:
                found = _stores.of_address(address, self._options)
            slots = threading.BoundedSemaphore(self.requests)
            # If two threads are here at once, both get what was first.
            here = self._processes.setdefault(process, (found, slots))
        return here


class Seekable(io.RawIOBase):
    """A binary file over ranges of bytes, which has a position."""

    def __init__(self, remote: Remote) -> None:
        """Begin at the first byte."""
        size = remote.stat().st_size
        if size is None:
            raise OSError(f"{remote.name} cannot be read at random: its server gives no ranges")
        self._remote, self._size, self._at = remote, size, 0

    def readable(self) -> bool:
        """As a file."""
        return True

    def seekable(self) -> bool:
        """As a file."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a position."""
        origins = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}
        at = origins[whence] + offset
        if at < 0:
            raise ValueError("there is nothing before the beginning of a file")
        self._at = at
        return at

    def readinto(self, buffer: Buffer, /) -> int:
        """Read from the position on."""
        room = memoryview(buffer).cast("B")
        end = min(self._at + len(room), self._size)
        if end <= self._at:
            return 0
        data = self._remote.read_range(self._at, end)
        room[: len(data)] = data
        self._at = end
        return len(data)


def _again(
    address: str | Ranged,
    store: object,
    requests: int,
    keep: tuple[str, int] | None,
    options: Mapping[str, Any],
    state: State | None,
    has_ranges: bool,
) -> Remote:
    return Remote(address, store, requests, keep, options, state, has_ranges=has_ranges)


def _checked(answer: Answer) -> Iterable[Buffer]:
    """Give the chunks of a stream, which cannot be asked for again from the middle."""
    count = 0
    try:
        for chunk in answer.chunks:
            count += memoryview(chunk).nbytes
            yield chunk
    except Exception as error:
        if not _stores.is_passing(error):
            raise
        reason = f"the connection ended after {count:,} bytes, and the server cannot go on there"
        raise _stores.EndsEarly(reason) from error
    if answer.state.size is not None and count < answer.state.size:
        missing = answer.state.size - count
        reason = f"{missing:,} bytes of the length that the server declares are missing"
        raise _stores.EndsEarly(reason)


def _digest(text: str) -> int:
    """Return 62 bits of a digest, which fit into any field of a file's state."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 2
