"""`penstock.aio.write`: records to whoever takes chunks, in any event loop."""

import asyncio
import gzip
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from folders import names

import penstock
from penstock import EncodeError, aio


def by_hand(coroutine: Any) -> Any:
    """Run without an event loop: the code must not need a certain one."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value


class Pause:
    """Something to wait for in any loop."""

    def __await__(self) -> Any:
        yield


class Stream:
    """A stream like asyncio's: `write` gathers, `drain` waits."""

    def __init__(self) -> None:
        self.taken = b""
        self.drained = 0

    def write(self, data: bytes) -> None:
        self.taken += data

    async def drain(self) -> None:
        await Pause()
        self.drained += 1


@pytest.mark.parametrize("run", [asyncio.run, by_hand])
@pytest.mark.parametrize("format", ["json", "ndjson"])
def test_records(run: Any, format: Any) -> None:
    records = [{"n": n, "text": "x" * 100} for n in range(2_000)]

    async def arriving() -> AsyncIterator[Any]:
        for record in records[1_000:]:
            await Pause()
            yield record

    async def main(target: Any) -> None:
        async with aio.write(target, format=format) as writer:
            await writer.write(records[0])
            await writer.write_all(records[1:1_000])
            await writer.write_all(arriving())
            assert writer.progress.records == 2_000
        assert writer.closed
        await writer.close()
        with pytest.raises(ValueError, match=r"^this Writer is closed$"):
            await writer.write(1)

    expected = penstock.encode(records, format=format)
    stream = Stream()
    run(main(stream))
    assert stream.taken == expected
    assert stream.drained == 4
    chunks: list[bytes] = []

    async def send(chunk: bytes) -> None:
        await Pause()
        chunks.append(chunk)

    run(main(send))
    assert b"".join(chunks) == expected
    assert len(chunks) == 4
    plain: list[bytes] = []
    run(main(plain.append))
    assert plain == chunks
    file = io.BytesIO()
    run(main(file))
    assert file.getvalue() == expected


def test_a_path(tmp_path: Path) -> None:
    path = tmp_path / "n.json.gz"

    async def main(error: type[Exception] | None) -> None:
        async with aio.write(path, int, at="a/*") as writer:
            assert repr(writer) == f"Writer(int -> {path}, 0 records, 0 bytes)"
            await writer.write_all(range(3))
            await writer.flush()
            if error:
                raise error

    asyncio.run(main(None))
    assert gzip.decompress(path.read_bytes()) == b'{"a":[0,1,2]}'
    path.write_bytes(b"old")
    with pytest.raises(KeyError):
        asyncio.run(main(KeyError))
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["n.json.gz"]


def test_short_writes_and_compression() -> None:
    taken = bytearray()

    async def send(chunk: bytes) -> int:
        count = len(chunk) // 2 + 1
        taken.extend(chunk[:count])
        return count

    async def main() -> None:
        async with aio.write(send, format="ndjson", compression="gzip") as writer:
            await writer.write_all(range(1_000))
            await writer.flush()
            assert len(taken) > 100

    asyncio.run(main())
    assert gzip.decompress(taken) == penstock.ndjson.encode(range(1_000))


def test_a_record_in_error_leaves_nothing() -> None:
    chunks: list[bytes] = []

    async def main() -> None:
        async with aio.write(chunks.append, int, format="json") as writer:
            await writer.write(1)
            with pytest.raises(EncodeError, match=r"^expected int, got str \(record 2\)$"):
                await writer.write("x")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="takes an iterable of records, not str"):
                await writer.write_all("xyz")  # type: ignore[arg-type]
            await writer.write(2)

    asyncio.run(main())
    assert chunks == [b"[1,2]"]


def test_a_stream_that_raises() -> None:
    chunks: list[bytes] = []

    async def send(chunk: bytes) -> None:
        if chunks:
            raise LookupError("mine")
        chunks.append(chunk)

    async def main() -> None:
        async with aio.write(send, format="ndjson") as writer:
            try:
                await writer.write_all("x" * 100 for _ in range(3_000))
            finally:
                assert writer.closed

    with pytest.raises(LookupError, match="mine"):
        asyncio.run(main())
    assert len(chunks) == 1


def test_a_stream_that_says_nonsense() -> None:
    async def send(_: bytes) -> Any:
        return answer

    async def main() -> None:
        async with aio.write(send, format="ndjson") as writer:
            await writer.write(1)

    for answer in (True, 3, 0, -1, "x"):
        with pytest.raises(TypeError) as raised:
            asyncio.run(main())
        assert str(raised.value) == (
            f"{send!r} returned {answer!r} for 2 bytes: it must return how many it took, "
            "or None for all"
        )


def test_a_task_that_is_cancelled() -> None:
    waits = asyncio.Event()

    async def send(_: bytes) -> None:
        waits.set()
        await asyncio.sleep(100)

    async def main() -> None:
        async with aio.write(send, format="ndjson") as writer:
            task = asyncio.create_task(writer.write_all(["x" * 100_000]))
            await waits.wait()
            with pytest.raises(RuntimeError) as raised:
                await writer.write(1)
            assert str(raised.value) == (
                "this Writer is already awaiting its target, in another task"
            )
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert writer.closed

    asyncio.run(main())


def test_what_is_no_target() -> None:
    for target, what in [(7, "int"), (None, "NoneType")]:
        with pytest.raises(TypeError) as raised:
            aio.write(target, format="json")  # type: ignore[call-overload]
        assert str(raised.value) == (
            f"aio.write() takes a path, a binary file or a function that takes bytes, not {what}"
        )
    with pytest.raises(ValueError, match=r"^append= needs a path: aio\.write\(\) does not open"):
        aio.write(io.BytesIO(), format="ndjson", append=True)


def test_a_writer_may_be_written_with_its_type() -> None:
    assert repr(aio.Writer[int]) == "penstock.aio.Writer[int]"
    assert repr(penstock.Writer[int]) == "penstock.Writer[int]"
