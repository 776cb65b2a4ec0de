"""Writing leaks nothing, however it ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from leaks import assert_nothing_left

import penstock
from penstock import EncodeError

pytestmark = [
    pytest.mark.thread_unsafe(reason="what it counts is the whole process's"),
    pytest.mark.alone(reason="the link to the process that shares tests out makes objects, too"),
]


@dataclass(slots=True)
class Row:
    number: int
    text: str = "some text" * 20


ROWS = [Row(number) for number in range(400)]
WRONG: Any = Row("x")  # type: ignore[arg-type]


def taken(_: bytes) -> None:
    pass


def refuses(_: bytes) -> None:
    raise LookupError


def breaks_off() -> Iterator[Row]:
    yield from ROWS
    raise LookupError


def written(path: Path) -> None:
    with penstock.write(path, Row) as writer:
        writer.write_all(ROWS)
        writer.flush()
        with pytest.raises(EncodeError):
            writer.write(WRONG)
        with pytest.raises(LookupError):
            writer.write_all(breaks_off())


def given_up(path: Path) -> None:
    with pytest.raises(LookupError), penstock.write(path, Row, compression="gzip") as writer:
        writer.write_all(breaks_off())


def refused(_: Path) -> None:
    with pytest.raises(LookupError):
        penstock.ndjson.dump(ROWS, refuses)
    with pytest.raises(LookupError):
        penstock.json.dump(ROWS, refuses, list[Row])
    with pytest.raises(EncodeError):
        penstock.json.dump([*ROWS, WRONG], taken)


def chunks(_: Path) -> None:
    encoder = penstock.json.Encoder(Row)
    assert len(list(encoder.chunks(ROWS, size=1_000))) > 5
    next(encoder.chunks(breaks_off(), size=1))
    failing = encoder.chunks(breaks_off())
    next(failing)
    del failing


def asynchronous(_: Path) -> None:
    async def main() -> None:
        async with penstock.aio.write(taken, Row, format="json") as writer:
            await writer.write_all(ROWS)

    # An event loop leaves blocks of its own behind.
    with pytest.raises(StopIteration):
        main().send(None)


@pytest.mark.parametrize("work", [written, given_up, refused, chunks, asynchronous])
def test_nothing_is_left_behind(work: Callable[[Path], None], tmp_path: Path) -> None:
    assert_nothing_left(lambda: work(tmp_path / "rows.json"), (ROWS[7],))
