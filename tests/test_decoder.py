"""`Decoder` as a class: subclasses, pickling, and the asynchronous loop over it.

The tests of the formats check that its records are those of `read`, for any cut of the input.
"""

import asyncio
import pickle
from collections.abc import AsyncIterator

import pytest

import penstock


def test_family() -> None:
    assert type(penstock.json.Decoder(int)) is penstock.json.Decoder
    assert isinstance(penstock.json.Decoder(int), penstock.Decoder)
    assert isinstance(penstock.ndjson.Decoder(int), penstock.Decoder)
    assert not isinstance(penstock.Decoder(int, format="ndjson"), penstock.ndjson.Decoder)
    assert penstock.Decoder[int].__origin__ is penstock.Decoder  # type: ignore[attr-defined]


@pytest.mark.thread_unsafe(reason="all threads have one decoder")
@pytest.mark.parametrize(
    ("decoder", "data", "records"),
    [
        (penstock.Decoder(int, format="ndjson"), b"1\n2\n", [1, 2]),
        (penstock.json.Decoder(int, at="a/*"), b'{"a": [1, 2]}', [1, 2]),
        (penstock.ndjson.Decoder(int, framing="concatenated"), b"1 2 ", [1, 2]),
        (penstock.json.Decoder(list[int], errors="skip"), b"[[1], [true], [2]]", [[1], [2]]),
    ],
)
def test_one_that_is_unused_can_be_pickled(
    decoder: penstock.Decoder[object], data: bytes, records: list[object]
) -> None:
    copy = pickle.loads(pickle.dumps(decoder))
    assert type(copy) is type(decoder)
    assert repr(copy) == repr(decoder)
    assert copy.feed(data) + copy.finish() == records
    assert decoder.feed(data) + decoder.finish() == records


async def body(data: bytes) -> AsyncIterator[bytes]:
    for byte in data:
        await asyncio.sleep(0)
        yield bytes([byte])


def test_aio_reads_what_read_reads() -> None:
    async def main() -> list[dict[str, int]]:
        chunks = body(b'{"n": 2, "rows": [{"a": 1}, {"a": true}, {"a": 3}]}')
        rows = penstock.aio.read(chunks, dict[str, int], format="json", at="rows/*", errors="skip")
        return [row async for row in rows]

    assert asyncio.run(main()) == [{"a": 1}, {"a": 3}]


def test_aio_raises_in_the_loop_that_awaits() -> None:
    got = []

    async def main() -> None:
        async for number in penstock.aio.read(body(b"[1, 2, x]"), int, format="json"):
            got.append(number)  # noqa: PERF401 - those before the error count

    with pytest.raises(penstock.MalformedInput):
        asyncio.run(main())
    assert got == [1, 2]
