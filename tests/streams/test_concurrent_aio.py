"""`aio.concurrent`: several awaitables at once, and the results in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import penstock


class Busy:
    """A function that counts how many calls of it there are at once."""

    def __init__(self, bad: int | None = None) -> None:
        self.bad, self.now, self.most, self.cancelled = bad, 0, 0, 0

    async def __call__(self, item: int) -> int:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.001 * (4 - item % 4))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        if item == self.bad:
            raise ValueError(f"no {item}")
        return item * item


@pytest.mark.parametrize("n", [1, 3, 8])
def test_order_and_number(n: int) -> None:
    busy = Busy()

    async def main() -> list[int]:
        return [each async for each in penstock.aio.concurrent(range(40), busy, n)]

    assert asyncio.run(main()) == [item * item for item in range(40)]
    assert busy.most == n


def test_records_of_a_stream() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for n in range(20):
            yield b"%d\n" % n

    async def main() -> list[int]:
        rows = penstock.aio.read(chunks(), int, format="ndjson")
        return [each async for each in penstock.aio.concurrent(rows, Busy(), 4)]

    assert asyncio.run(main()) == [item * item for item in range(20)]


def test_an_error_comes_behind_the_results_before_it() -> None:
    busy, seen = Busy(bad=9), list[int]()

    async def main() -> None:
        async for each in penstock.aio.concurrent(range(40), busy, 4):
            seen.append(each)

    with pytest.raises(ValueError, match="no 9"):
        asyncio.run(main())
    assert seen == [item * item for item in range(9)]
    assert busy.now == 0


def test_leaving_early_cancels() -> None:
    busy = Busy()

    async def main() -> None:
        results = penstock.aio.concurrent(range(1_000_000), busy, 4)
        async for each in results:
            if each == 4:
                break
        await results.aclose()

    asyncio.run(main())
    assert busy.now == 0
    assert busy.cancelled <= 4
