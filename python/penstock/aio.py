"""Records from and to asynchronous streams, with any event loop.

Decoding and encoding are work for the processor, so there is nothing in them to wait for. So `read`
is a loop over `penstock.Decoder` that awaits only the next chunk, and `write` awaits only whoever
takes a chunk.
"""

from __future__ import annotations

import os
from collections import deque

from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN
from penstock._io import formats as _formats
from penstock._io import targets as _targets
from penstock._verbs import write as _write
from penstock._verbs.decoder import Decoder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
    from types import TracebackType
    from typing import Any, Generic, Self, TypeVar

    from typing_extensions import Buffer, TypeForm

    import penstock._rust as _rust
    from penstock._base.limits import Limits
    from penstock._base.types import (
        AsyncTarget,
        At,
        Compression,
        CountedUnknown,
        Duplicates,
        Empty,
        Errors,
        Format,
        Omit,
        Packing,
        T,
        Target,
        Torn,
        Types,
        Where,
    )
    from penstock._log.follow import Follower

    Item = TypeVar("Item")
    R = TypeVar("R")

    class _Base(Generic[T]):
        """Something that may be written with the type of its records: `Writer[City]`."""

        __slots__ = ()
else:

    class _Base:
        """Makes `Writer[City]` possible at run time."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> object:
            from types import GenericAlias  # noqa: PLC0415 - few need it

            return GenericAlias(cls, item)


__all__ = ["Writer", "concurrent", "follow", "read", "write"]


async def read(
    chunks: AsyncIterable[Buffer],
    into: TypeForm[T] = PLAIN,
    /,
    *,
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
    limits: Limits | None = None,
    where: Where | None = None,
    limit: int | None = None,
) -> AsyncGenerator[T, None]:
    r"""Read the records of an asynchronous iterable of chunks one at a time, in constant memory.

    Args:
        chunks: The bytes, cut anywhere: a response's body, for example.
        into: The type of a record; by default plain values.
        format: `"json"`, `"ndjson"`, `"xml"` or `"csv"`. It is required: a stream has no name that
            tells.
        at: Where the records are; see `penstock.json.read`.
        errors: What to do with a record that does not fit; see `penstock.json.read`.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a document an error that has no record, or nothing at `at`; see
            `penstock.json.read`.
        all_errors: Whether an error reports all problems; see `penstock.json.read`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that the type does not name; see `penstock.json.read`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the chunks are compressed; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.
        where: Which records are wanted: a condition, or its text; see `penstock.field`.
        limit: How many records there are at most: behind the last of them, no chunk is awaited. An
            asynchronous generator of chunks is closed then.

    Yields:
        The records.

    Raises:
        DecodeError: As for `penstock.json.read`; a plain `DecodeError` if `chunks` raised.
        TypeError: `chunks` is not asynchronous, or gives something else than bytes.
        ValueError: There is no `format`, or an option is not valid.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> import asyncio, penstock
        >>> async def body():
        ...     yield b'{"a": 1}\n{"a"'
        ...     yield b': 2}\n'
        >>> async def main():
        ...     return [row async for row in penstock.aio.read(body(), format="ndjson")]
        >>> asyncio.run(main())
        [{'a': 1}, {'a': 2}]
    """
    if format is None:
        format = _formats.of_source(chunks, None)
    decoder = Decoder(
        into,
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
        limits=limits,
        where=where,
        limit=limit,
    )
    if not hasattr(chunks, "__aiter__"):
        kind = type(chunks).__name__
        raise TypeError(
            f"aio.read() takes an asynchronous iterable of chunks of bytes, not {kind}: for other "
            "sources use penstock.read()"
        )
    arriving = aiter(chunks)
    while True:
        try:
            chunk = await anext(arriving)
        except StopAsyncIteration:
            break
        except Exception as error:
            # The same exception as that of a reader whose source raises this one.
            decoder._fail(error)  # noqa: SLF001 - of the same package
            raise
        records = decoder.feed(chunk)
        if limit is not None:
            limit -= len(records)
            if limit == 0 and hasattr(arriving, "aclose"):
                await arriving.aclose()
        for record in records:
            yield record
        if limit == 0:
            return
    try:
        rest = decoder.finish()
    except Exception:
        # First yield the records that were completed before the error.
        for record in decoder.finish():
            yield record
        raise
    for record in rest:
        yield record


async def concurrent(
    items: AsyncIterable[Item] | Iterable[Item],
    function: Callable[[Item], Awaitable[R]],
    /,
    n: int = 4,
) -> AsyncGenerator[R, None]:
    """Await a function for `n` items at once, and give the results in the order of the items.

    It is for functions that wait, as for a server: records in, pages out. At most `n` items are
    held. If a call raises, the results before it come first, and the calls behind it are cancelled.

    Args:
        items: They may come from `read`, or from any other iterable.
        function: It is called with an item, and what it returns is awaited.
        n: How many calls are in flight at most.

    Raises:
        ValueError: `n` is less than 1.

    Example:
        >>> import asyncio, penstock
        >>> async def page(number):
        ...     await asyncio.sleep(0.01)
        ...     return f"page {number}"
        >>> async def main():
        ...     return [each async for each in penstock.aio.concurrent(range(4), page)]
        >>> asyncio.run(main())
        ['page 0', 'page 1', 'page 2', 'page 3']
    """
    import asyncio  # noqa: PLC0415 - slow to import, and who calls it has it mostly

    if n < 1:
        raise ValueError("concurrent() takes a number of calls from 1")
    flying: deque[asyncio.Future[R]] = deque()
    try:
        async for item in _each(items):
            if len(flying) >= n:
                yield await flying.popleft()
            flying.append(asyncio.ensure_future(function(item)))
        while flying:
            yield await flying.popleft()
    finally:
        for call in flying:
            call.cancel()
        await asyncio.gather(*flying, return_exceptions=True)


async def _each(items: AsyncIterable[Item] | Iterable[Item]) -> AsyncGenerator[Item, None]:
    if hasattr(items, "__aiter__"):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


async def follow(events: Follower[Item], /) -> AsyncGenerator[Item, None]:
    """Give the events of a log as they come, and let others run while it waits.

    The file is read in the thread of the event loop, as far as it is there.

    Args:
        events: What `Log.follow` returns. It says how long to wait in between; with `wait=None`
            this ends where the log ends now.

    Raises:
        DecodeError: A line is damaged, or no event.
        OSError: The file cannot be read.
        ValueError: The log was compacted.

    Example:
        >>> import asyncio, penstock
        >>> def total(state: list[int], event: int) -> list[int]:
        ...     return [*state, event]
        >>> log = penstock.Log("numbers.ndjson", int, fold=total, state=list[int])
        >>> async def first(n):
        ...     found = []
        ...     async for event in penstock.aio.follow(log.follow(wait=0.01)):
        ...         found.append(event)
        ...         if len(found) == n:
        ...             return found
        >>> async def main():
        ...     task = asyncio.create_task(first(2))
        ...     await asyncio.sleep(0)
        ...     log.append_all([1, 2, 3])
        ...     return await task
        >>> asyncio.run(main())
        [1, 2]
        >>> log.close()
    """
    import asyncio  # noqa: PLC0415 - slow to import, and who calls it has it mostly

    while True:
        for event in events.ready():
            yield event
        if events.wait is None:
            return
        await asyncio.sleep(events.wait)


@_suggest.advised
def write(
    target: Target | AsyncTarget,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    at: str | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
    append: bool = False,
    torn: Torn = "error",
) -> Writer[T]:
    r"""Write records one at a time to an asynchronous stream, or to a file.

    Args:
        target: An object with `write`, such as `asyncio.StreamWriter`, whose `drain` is awaited
            too; or a function that is called with chunks of bytes. Whatever they return is awaited
            if it can be. Or a path, as for `penstock.write`: a file is written in the thread of the
            event loop.
        into: The type of a record; see `penstock.json.encode`.
        format: `"json"`, `"ndjson"`, `"xml"` or `"csv"`. By default that of the suffix of a path.
        at: Where the records are; see `penstock.json.write`.
        omit: The fields to leave out; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.
        compression: How the target is compressed; see `penstock.json.dump`.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether a file is on the disk before it replaces the old one.
        append: For NDJSON, whether to write behind the lines of a file; see
            `penstock.ndjson.write`.
        torn: For NDJSON, what to do with a torn last line; see `penstock.ndjson.write`.

    Returns:
        A `Writer`, which is an asynchronous context manager.

    Raises:
        OSError: The path cannot be written to.
        TypeError: `target` is none of the three.
        PlanError: Penstock cannot plan `into`.
        ValueError: The format is not known, or an option is not valid.

    Example:
        >>> import asyncio, penstock
        >>> async def send(chunk):
        ...     print(chunk)
        >>> async def main():
        ...     async with penstock.aio.write(send, format="ndjson") as writer:
        ...         await writer.write({"a": 1})
        ...         await writer.write_all([{"a": 2}, {"a": 3}])
        >>> asyncio.run(main())
        b'{"a":1}\n{"a":2}\n{"a":3}\n'
    """
    return Writer._open(  # noqa: SLF001 - of the same module
        target, into, format, at, omit, types, default, compression, level, sync, append, torn
    )


class Writer(_Base["T"]):
    """Writes records to a stream that must be awaited. `penstock.aio.write` creates it.

    It is an asynchronous context manager, and otherwise as `penstock.Writer`. It awaits the stream
    when about 64 KiB of text are there, and so takes no more records than the stream does. An
    exception of the stream, or a task that is cancelled meanwhile, aborts the writer.
    """

    __module__ = "penstock.aio"
    __slots__ = ("_chunks", "_drain", "_is_sending", "_take", "_writer")

    _writer: _rust.Writer[Any]
    # The chunks that wait for the stream.
    _chunks: list[bytes]
    _take: Any
    _drain: Any
    _is_sending: bool

    @classmethod
    def _open(
        cls,
        target: Any,
        into: Any,
        format: Format | None,
        at: str | None,
        omit: Omit | None,
        types: Types | None,
        default: Callable[[Any], Any] | None,
        *options: Any,
    ) -> Self:
        """Check the arguments, and open a path."""
        self = cls.__new__(cls)
        self._chunks, self._take, self._drain, self._is_sending = [], None, None, False
        append, torn = options[-2:]
        given = target
        if not isinstance(target, (str, os.PathLike)):
            _targets.check("aio.write", target)
            self._take = getattr(target, "write", target)
            self._drain = getattr(target, "drain", None)
            given = self._chunks.append
        kind = _write.format_of(target, format)
        _write.no_lines(kind, append, torn)
        encoder = _write.encoder(
            "write", kind, _write.declared(into), omit, types, default, target, append, torn
        )
        self._writer = _write.write("aio.write", encoder, at, given, *options)
        return self

    @property
    def progress(self) -> _rust.WriterProgress:
        """How far the writer has come."""
        return self._writer.progress

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._writer.closed

    async def write(self, record: T, /) -> None:
        """Write one record; see `penstock.Writer.write`."""
        self._check()
        self._writer.write(record)
        if self._chunks:
            await self._send()

    async def write_all(self, records: Iterable[T] | AsyncIterable[T], /) -> None:
        """Write each record of an iterable, which may be asynchronous."""
        if hasattr(records, "__aiter__"):
            async for record in records:
                await self.write(record)
            return
        if self._take is None:
            self._writer.write_all(records)
            return
        for record in _write.iterate("write_all", records):
            await self.write(record)

    async def flush(self) -> None:
        """Hand on all text that was gathered; see `penstock.Writer.flush`."""
        self._check()
        self._writer.flush()
        await self._send()

    async def close(self) -> None:
        """Hand on the rest, and finish a file. Closing again does nothing.

        A stream is not closed: whoever opened it does that.
        """
        if not self._writer.closed:
            self._check()
            self._writer.close()
            await self._send()

    async def abort(self) -> None:
        """Abort; see `penstock.Writer.abort`."""
        self._chunks.clear()
        self._writer.abort()

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """Close, or abort if an exception leaves the block."""
        if kind is None:
            await self.close()
            return
        self._chunks.clear()
        self._writer.__exit__(kind, error, traceback)

    def __repr__(self) -> str:
        """As that of `penstock.Writer`."""
        return repr(self._writer)

    def _check(self) -> None:
        """Refuse a second task: its chunks would overtake those of the first one."""
        if self._is_sending:
            raise RuntimeError("this Writer is already awaiting its target, in another task")

    async def _send(self) -> None:
        """Have the stream take all chunks, in their order."""
        self._is_sending = True
        try:
            while self._chunks:
                await self._send_one(self._chunks.pop(0))
        except BaseException:
            # Nobody knows how much of the chunk was taken.
            self._chunks.clear()
            self._writer.abort()
            raise
        finally:
            self._is_sending = False

    async def _send_one(self, chunk: bytes) -> None:
        while chunk:
            taken = self._take(chunk)
            if hasattr(taken, "__await__"):
                taken = await taken
            if self._drain is not None:
                await self._drain()
            if taken is None:
                return
            if type(taken) is not int or not 0 < taken <= len(chunk):
                raise TypeError(
                    f"{self._take!r} returned {taken!r} for {len(chunk)} bytes: it must return how "
                    "many it took, or None for all"
                )
            chunk = chunk[taken:]
