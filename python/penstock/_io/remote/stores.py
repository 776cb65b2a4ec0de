"""What gives ranges of bytes: stores of `obstore` and `fsspec`, and the caller's own.

An answer is checked against what was known before: it is of the same state of the file, or the
store raises `Changed`. Whoever asks tries again after errors that may pass.
"""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
import urllib.parse
from dataclasses import dataclass

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer

    from penstock._base.types import Ranged

    class Store(Protocol):
        """What a `Remote` asks."""

        def ask(self, start: int, end: int, known: State | None) -> Answer:
            """Ask for a range of bytes, of the state that is known."""

        def ask_for_all(self) -> Answer:
            """Ask for all bytes in one stream."""

    Options: TypeAlias = Mapping[str, Any]

FIRST = 64 << 10
"""How many bytes the first request asks for."""

_CHUNK = 256 << 10
_NO_RANGES = "the server gives no ranges of bytes"
# The stream of an answer gives what came as it comes, so that nothing of it is lost if it breaks.
_AS_IT_COMES = 1
_REFUSED = re.compile(r"status code: (4\d\d)")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_WEB = frozenset({"http", "https"})
_STORES = frozenset({"s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss"})

# What Penstock recognises by its first bytes, or what is not encoded.
_ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "zstd"})
# What else may tell one state of a file from another, in the words of the file systems of fsspec.
_VERSIONS = (
    *("ETag", "etag", "e_tag", "version_id", "generation", "md5", "content_md5"),
    *("mtime", "LastModified", "last_modified", "updated", "created"),
)


class Changed(OSError):
    """The file behind an address is another one than when it was opened."""


class EndsEarly(EOFError):
    """A stream ended before the file did, and cannot go on.

    A reader makes `TruncatedInput` of it.
    """

    ends_early = True


class NoRanges(Exception):
    """The server gives the whole file only."""


# What is no error of a store: it is raised as it is, and nobody asks again.
_OURS = (NoRanges, ValueError, TypeError, RuntimeError, ImportError, MemoryError, AssertionError)
# What is the same, however often somebody asks.
_OF_FILES = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, Changed)


@dataclass(frozen=True, slots=True)
class State:
    """Which state of a file an answer is of.

    Attributes:
        size: How many bytes the file has; None if the server does not say.
        version: A text that is another one once the bytes are others; None if nothing says so.
        match: What the server shall compare the file with, a strong entity tag; None if it cannot.
    """

    size: int | None
    version: str | None
    match: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of a range, as they come, and the state of the file."""

    state: State
    chunks: Iterable[Buffer]


def of_address(address: str, options: Options) -> Store:
    """Return the store of an address.

    Raises:
        ImportError: The package for it is not installed.
        ValueError: Nothing reads such addresses.
    """
    scheme, _, rest = address.partition("://")
    if scheme in _WEB:
        return _Web(address, options)
    if scheme == "memory":
        raise ValueError("an address in memory needs the store: pass store= and the key")
    if scheme not in _STORES:
        return _of_fsspec(address, options)
    bucket, _, key = rest.partition("/")
    if scheme in {"abfs", "abfss", "adl", "azure", "az"} and "@" in bucket:
        # The container stands before the account.
        container, _, account = bucket.partition("@")
        bucket, options = container, {"account_name": account.partition(".")[0], **options}
    ends = (options.get(name, "") for name in ("endpoint", "aws_endpoint", "endpoint_url"))
    is_plain = any(str(end).startswith("http://") for end in ends)
    store = _obstore().store.from_url(
        f"{scheme}://{bucket}", **_made_with(options, is_plain=is_plain)
    )
    return _Stored(store, key)


def _made_with(options: Options, *, is_plain: bool) -> dict[str, Any]:
    """Return the options of a store, which may have an address of plain HTTP.

    Penstock tries again itself, from the byte on that it has. If the store did, too, one number of
    tries would be multiplied by the other.
    """
    made = {"retry_config": {"max_retries": 0}, **options}
    if is_plain:
        made["client_options"] = {"allow_http": True, **options.get("client_options", {})}
    return made


def of_store(store: object, key: str) -> Store:
    """Return the store that the caller has made: one of `obstore`, or a file system of `fsspec`.

    Raises:
        TypeError: It is neither.
    """
    if hasattr(store, "cat_file") and hasattr(store, "info"):
        return _FileSystem(store, key)
    if hasattr(store, "get_range"):
        return _Stored(store, key)
    kind = type(store).__name__
    raise TypeError(f"store must be one of obstore or a file system of fsspec, not {kind}")


def of_ranged(file: Ranged) -> Store:
    """Return the store for a file object of the caller's, which gives ranges of its bytes."""
    return _OfCaller(file)


def _obstore() -> Any:
    try:
        import obstore  # noqa: PLC0415 - slow to import, and few need it
        import obstore.store  # noqa: PLC0415 - as above
    except ImportError as error:
        message = (
            "addresses of http, s3, gs and az need obstore: pip install 'penstock-data[remote]'"
        )
        raise ImportError(message, name="obstore") from error
    return obstore


# The process that has asked by `obstore`, whose threads a forked child does not have.
_ASKING: int | None = None


def _begin() -> None:
    """Make sure that `obstore` works in this process.

    Raises:
        RuntimeError: It is a child that was forked from one that has used it, and would wait for
            ever.
    """
    global _ASKING  # noqa: PLW0603 - it is one for the process, as the threads are
    if _ASKING is None:
        _ASKING = os.getpid()
    elif os.getpid() != _ASKING:
        raise RuntimeError(
            "this process was forked from one that has read an address, and obstore does not work "
            "in it: begin processes by 'spawn' or 'forkserver'"
        )


class _Stored:
    """A key in a store of `obstore`."""

    def __init__(self, store: Any, key: str) -> None:
        self._store = store
        self._key = key

    def ask(self, start: int, end: int, known: State | None) -> Answer:
        options: dict[str, Any] = {"range": (start, end)}
        if known is not None and known.match is not None:
            options["if_match"] = known.match
        exceptions = _obstore().exceptions
        try:
            answer = self._get(options)
        except exceptions.NotSupportedError as error:
            raise NoRanges(_NO_RANGES) from error
        except exceptions.GenericError as error:
            # No range is satisfied by a file without bytes.
            if known is not None or start > 0 or "416" not in str(error):
                raise
            answer = self._get({})
        state = _state_of(answer.meta)
        if known is not None and (state.size, state.version) != (known.size, known.version):
            raise _changed()
        if answer.range[0] != start:
            raise OSError(f"the server gave the bytes from {answer.range[0]} on, not from {start}")
        return Answer(state, answer.stream(min_chunk_size=_AS_IT_COMES))

    def ask_for_all(self) -> Answer:
        answer = self._get({})
        return Answer(_state_of(answer.meta), answer.stream(min_chunk_size=_AS_IT_COMES))

    def _get(self, options: dict[str, Any]) -> Any:
        obstore = _obstore()
        exceptions = obstore.exceptions
        _begin()
        try:
            answer = obstore.get(self._store, self._key, options=options or None)
        except exceptions.PreconditionError as error:
            raise _changed() from error
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as error:
            raise PermissionError(errno.EACCES, "The server refuses it") from error
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "The server has no such file") from error
        _check_encoding(str(answer.attributes.get("Content-Encoding", "")))
        return answer


class _Web(_Stored):
    """An address of HTTP, as one key: with its query, and as it is quoted."""

    def __init__(self, address: str, options: Options) -> None:
        made = _made_with(options, is_plain=True)
        super().__init__(_obstore().store.HTTPStore.from_url(address, **made), "")
        self._address = address
        self._headers: dict[str, str] = dict(made["client_options"].get("default_headers", {}))

    def ask_for_all(self) -> Answer:
        try:
            return super().ask_for_all()
        except _obstore().exceptions.GenericError:
            # A response in chunks declares no length, and obstore asks for one.
            return self._ask_by_chunks()

    def _ask_by_chunks(self) -> Answer:
        import urllib.request  # noqa: PLC0415 - slow to import, and few need it

        request = urllib.request.Request(self._address, headers=self._headers)  # noqa: S310 - the scheme was looked at
        response = urllib.request.urlopen(request, timeout=30)  # noqa: S310 - as above
        _check_encoding(response.headers.get("Content-Encoding", ""))
        tag = response.headers.get("ETag") or response.headers.get("Last-Modified")
        return Answer(State(response.length, tag), _all_of(response))


def _all_of(file: Any) -> Iterator[bytes]:
    """Give the chunks of a file, and close it."""
    read = getattr(file, "read1", file.read)
    with file:
        while chunk := read(_CHUNK):
            yield chunk


class _Compared:
    """A file whose state is asked for again after each range, because no range has it."""

    def ask(self, start: int, end: int, known: State | None) -> Answer:
        before = known or self._state()
        if before.size is None:
            raise NoRanges(_NO_RANGES)
        return Answer(before, self._bytes(start, min(end, before.size), before))

    def _bytes(self, start: int, end: int, before: State) -> Iterator[Buffer]:
        data = self._range(start, end) if end > start else b""
        if self._state() != before:
            raise _changed()
        yield data

    def _state(self) -> State:
        raise NotImplementedError

    def _range(self, start: int, end: int) -> Buffer:
        raise NotImplementedError


class _FileSystem(_Compared):
    """A path in a file system of `fsspec`."""

    def __init__(self, files: Any, path: str) -> None:
        self._files = files
        self._path = path

    def ask_for_all(self) -> Answer:
        file = self._files.open(self._path, "rb")
        return Answer(State(None, None), _all_of(file))

    def _range(self, start: int, end: int) -> Buffer:
        data: Buffer = self._files.cat_file(self._path, start=start, end=end)
        return data

    def _state(self) -> State:
        self._files.invalidate_cache()
        about = self._files.info(self._path)
        if about.get("type") == "directory":
            raise IsADirectoryError(self._path)
        said = (about[name] for name in _VERSIONS if about.get(name) is not None)
        version = next(said, None)
        return State(about.get("size"), None if version is None else str(version))


class _OfCaller(_Compared):
    """A file object that gives ranges of its bytes."""

    def __init__(self, file: Ranged) -> None:
        self._file = file

    def ask_for_all(self) -> Answer:
        # Its size is known, so it is always read by ranges.
        raise AssertionError

    def _range(self, start: int, end: int) -> Buffer:
        return self._file.read_range(start, end)

    def _state(self) -> State:
        size, version = self._file.size, self._file.version
        if not isinstance(size, int):
            raise TypeError(f"size must be an int, not {size!r}")
        return State(size, None if version is None else str(version))


def _of_fsspec(address: str, options: Options) -> Store:
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to import
    except ImportError as error:
        scheme = address.partition("://")[0]
        message = f"addresses of {scheme} need fsspec, and its package for {scheme}"
        raise ImportError(message, name="fsspec") from error
    files, path = url_to_fs(address, **options)
    return _FileSystem(files, path)


def _state_of(about: Mapping[str, Any]) -> State:
    """Return the state that the answer of a store says."""
    tag, at = about.get("e_tag"), about.get("last_modified")
    if tag is not None:
        is_strong = not tag.startswith("W/")
        return State(about["size"], tag, tag if is_strong else None)
    # A server that says nothing is told to have changed the file in 1970.
    version = None if at is None or at == _EPOCH else at.isoformat()
    return State(about["size"], version)


def _check_encoding(encoding: str) -> None:
    if encoding.strip().lower() not in _ENCODINGS:
        raise ValueError(
            f"the server encodes the content ({encoding}), and Penstock cannot undo that"
        )


def _changed() -> Changed:
    return Changed("it has changed since it was opened")


def shown(address: str) -> str:
    """Return an address for messages: without a password, and without a signature in its query."""
    parts = urllib.parse.urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, parts.path, "", ""))


def as_os_error(error: Exception, name: str) -> Exception:
    """Return the error of a store as one of the system's, in one line, with the file's name."""
    if isinstance(error, OSError):
        if error.errno is not None and error.filename is None:
            error.filename = name
        return error
    if isinstance(error, _OURS):
        return error
    # obstore names the address, with what may be secret in its query, and then says what is wrong.
    reason = str(error).partition("\n")[0].rpartition(" - ")[2]
    return ConnectionError(f"{name}: {reason}")


def is_passing(error: BaseException) -> bool:
    """Whether an error may be another one, or none, if somebody asks again."""
    if not isinstance(error, Exception) or isinstance(error, (*_OURS, *_OF_FILES)):
        return False
    # A server that refuses a request refuses it again, but for a time-out and for too many.
    refused = _REFUSED.search(str(error))
    return refused is None or refused[1] in {"408", "429"}


def beside(address: str, suffix: str) -> str:
    """Return the address of a file beside another one: its name with a suffix."""
    parts = urllib.parse.urlsplit(address)
    return urllib.parse.urlunsplit(parts._replace(path=parts.path + suffix))


def suffixed(address: str) -> str:
    """Return the last name of an address, which may have the suffix of a format."""
    return os.path.basename(urllib.parse.urlsplit(address).path)  # noqa: PTH119 - it is no path
