"""`penstock.aio.read`: the records of `read`, in any event loop, without losing an error."""

import asyncio
import gc
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest

import penstock
from penstock import LimitExceeded, Limits, MalformedInput, TruncatedInput, ValidationError, aio


@dataclass
class Row:
    n: int


async def body(*chunks: Any) -> AsyncIterator[Any]:
    for chunk in chunks:
        await asyncio.sleep(0)
        if isinstance(chunk, BaseException):
            raise chunk
        yield chunk


def by_hand(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run without an event loop: the code must not need a certain one."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value


def gathered(
    *chunks: Any, into: Any = Any, run: Any = asyncio.run, **options: Any
) -> tuple[list[Any], BaseException | None]:
    """The records before the error, and the error."""
    rows: list[Any] = []

    async def main() -> BaseException | None:
        try:
            async for row in aio.read(body(*chunks), into, **{"format": "json", **options}):
                rows.append(row)  # noqa: PERF401 - those before the error count
        except BaseException as error:  # noqa: BLE001 - it is handed back
            return error
        return None

    return rows, run(main())


@pytest.mark.parametrize("run", [asyncio.run, by_hand])
def test_records(run: Any) -> None:
    data = '[{"n": 1, "é": []}, {"n": 2}]'.encode()
    for chunks in ([data], [data[:7], b"", data[7:]], [data[i : i + 1] for i in range(len(data))]):
        assert gathered(*chunks, into=Row, run=run) == ([Row(1), Row(2)], None)
    views = [bytearray(data[:9]), memoryview(data[9:])]
    assert gathered(*views, into=Row, run=run) == ([Row(1), Row(2)], None)


def test_options() -> None:
    assert gathered(b'{"a": [1, 2], "b": [3]}', into=int, at="a/*") == ([1, 2], None)
    assert gathered(b"1\n\n2", format="ndjson") == ([1, 2], None)
    assert gathered(b'{"a": 1, "a": 2}', duplicates="first") == ([{"a": 1}], None)
    assert gathered(b'[1, "x", 3]', into=int, errors="skip") == ([1, 3], None)
    given: list[Any] = []
    assert gathered(b'[1, "x", 3]', into=int, errors=given.append) == ([1, 3], None)
    assert [(type(error), error.record) for error in given] == [(ValidationError, 2)]
    rows, error = gathered(b'[{"n": 1, "x": 2}]', into=Row, unknown="error")
    assert (rows, type(error)) == ([], ValidationError)
    assert type(gathered(b"[[[1]]]", limits=Limits(depth=2))[1]) is LimitExceeded
    assert type(gathered(b"1", format="yaml")[1]) is ValueError
    assert type(gathered(b"1", into=type)[1]) is penstock.PlanError


@pytest.mark.parametrize(
    ("chunks", "options", "came", "kind"),
    [
        ([b"[1, 2, x]"], {}, [1, 2], MalformedInput),
        ([b"[1, ", b"2, x", b"]"], {}, [1, 2], MalformedInput),
        ([b"[1, 2, 3"], {}, [1, 2, 3], TruncatedInput),
        ([b"[1, 2, "], {}, [1, 2], TruncatedInput),
        ([b"[1, 2"], {"at": "*"}, [1, 2], TruncatedInput),
        ([b"1\n2\n[3"], {"format": "ndjson"}, [1, 2], TruncatedInput),
        ([b"1\nx\n3"], {"format": "ndjson", "errors": "collect"}, [1, 3], ExceptionGroup),
        ([b'["x", 1, 2', b"]"], {"into": int, "errors": "collect"}, [1, 2], ExceptionGroup),
        ([], {}, [], TruncatedInput),
        ([b""], {}, [], TruncatedInput),
        ([b"[", "1]"], {}, [], TypeError),
    ],
)  # fmt: skip
def test_an_error_comes_behind_the_records_before_it(
    chunks: list[Any], options: dict[str, Any], came: list[int], kind: type[BaseException]
) -> None:
    rows, error = gathered(*chunks, **options)
    assert (rows, type(error)) == (came, kind)


def test_what_the_stream_raises_is_the_cause() -> None:
    raised = ConnectionError("gone")
    rows, error = gathered(b"[1, 2, ", raised, b"3]")
    assert rows == [1, 2]
    assert type(error) is penstock.DecodeError
    assert error.reason == "reading failed: ConnectionError: gone"
    assert error.__cause__ is raised


def test_a_record_does_not_wait_for_the_next_chunk() -> None:
    async def main() -> list[Any]:
        seen: list[Any] = []

        async def chunks() -> AsyncIterator[bytes]:
            for number in b"123":
                seen.append(f"asked for {chr(number)}")
                yield b'{"n": ' + bytes([number]) + b"}\n"

        async for row in aio.read(chunks(), Row, format="ndjson"):
            seen.append(row.n)  # noqa: PERF401 - in the order in which it happens
        return seen

    assert asyncio.run(main()) == ["asked for 1", 1, "asked for 2", 2, "asked for 3", 3]


def test_leaving_early() -> None:
    async def main() -> int:
        rows = aio.read(body(b"[1, 2, ", b"3]"), int, format="json")
        async for row in rows:
            await rows.aclose()
            return row
        return 0

    assert asyncio.run(main()) == 1
    gc.collect()


def test_many_at_once() -> None:
    async def one(start: int) -> list[int]:
        data = b"".join(b"%d\n" % n for n in range(start, start + 50))
        pieces = (data[i : i + 3] for i in range(0, len(data), 3))
        return [row async for row in aio.read(body(*pieces), int, format="ndjson")]

    async def main() -> list[list[int]]:
        return await asyncio.gather(*(one(start) for start in range(20)))

    assert asyncio.run(main()) == [list(range(start, start + 50)) for start in range(20)]


def test_other_encodings_are_read_by_read() -> None:
    error = gathered("[1]".encode("utf-16"), encoding="utf-16")[1]
    assert type(error) is ValueError
    assert str(error) == "a Decoder is fed UTF-8; for another encoding use read()"
