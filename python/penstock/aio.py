"""Records from an asynchronous stream, with any event loop.

Decoding is work for the processor, so there is nothing in it to wait for. So this is a loop over
`penstock.Decoder` that awaits only the next chunk.
"""

from __future__ import annotations

from penstock import _format
from penstock._decoder import Decoder
from penstock._types import PLAIN

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable

    from typing_extensions import Buffer, TypeForm

    from penstock._limits import Limits
    from penstock._types import (
        At,
        Compression,
        CountedUnknown,
        Duplicates,
        Empty,
        Errors,
        Format,
        T,
        Types,
    )

__all__ = ["read"]


async def read(
    chunks: AsyncIterable[Buffer],
    into: TypeForm[T] = PLAIN,
    /,
    *,
    format: Format | None = None,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "allow",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    limits: Limits | None = None,
) -> AsyncGenerator[T, None]:
    r"""Read the records of an asynchronous iterable of chunks one at a time, in constant memory.

    Args:
        chunks: The bytes, cut anywhere: a response's body, for example.
        into: The type of a record; by default plain values.
        format: `"json"`, `"ndjson"` or `"xml"`. It is required: a stream has no name that tells.
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
        format = _format.of_source(chunks, None)
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
        for record in decoder.feed(chunk):
            yield record
    try:
        rest = decoder.finish()
    except Exception:
        # First yield the records that were completed before the error.
        for record in decoder.finish():
            yield record
        raise
    for record in rest:
        yield record
