"""`Log.follow`: each event once, in order, or an error."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
from events import Event, Put, opened

import penstock

EVENTS = [Put(f"k{n}", n) for n in range(20)]


def test_news_only(tmp_path: Path) -> None:
    with opened(tmp_path / "state.ndjson") as log:
        log.append_all(EVENTS[:3])
        with log.follow(wait=None) as news:
            assert list(news) == []
            log.append_all(EVENTS[3:5])
            assert next(news) == EVENTS[3]
            assert news.place.events == 4
            assert list(news) == [EVENTS[4]]
            log.append(EVENTS[5])
            assert list(news.ready()) == [EVENTS[5]]
            assert (news.wait, news.place.events) == (None, 6)
        assert list(log.follow(penstock.LogPlace(), wait=None)) == EVENTS[:6]


def test_a_line_without_an_end_waits(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        news = log.follow(wait=None)
        line = penstock.ndjson.encode(EVENTS[:1], Event)
        for n in range(1, len(line)):
            path.write_bytes(line[:n])
            assert list(news) == []
        path.write_bytes(line)
        assert list(news) == EVENTS[:1]


@pytest.mark.parametrize("stop", range(12))
def test_any_place_is_kept_as_json(tmp_path: Path, stop: int) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        for n, event in enumerate(EVENTS[:12]):
            log.append(event)
            if n in {3, 4, 8}:
                log.seal()
        first = log.follow(penstock.LogPlace(), wait=None)
        assert [next(first) for _ in range(stop)] == EVENTS[:stop]
        kept = json.loads(json.dumps(first.place.as_dict()))
        place = penstock.LogPlace.from_dict(kept)
        assert place == first.place == pickle.loads(pickle.dumps(place))
        assert place.events == stop
        assert str(place) == f"generation 1, behind event {stop}"
        assert list(log.follow(place, wait=None)) == EVENTS[stop:12]
        # Also if it was sealed meanwhile.
        log.seal()
        log.append(EVENTS[12])
        assert list(log.follow(place, wait=None)) == EVENTS[stop:13]
        assert list(first) == EVENTS[stop:13]


def test_a_place_that_is_damaged() -> None:
    good = penstock.LogPlace(1, 2, 0, 2, None).as_dict()
    assert penstock.LogPlace.from_dict(good) == penstock.LogPlace(1, 2, 0, 2)
    for values in ({}, good | {"x": 1}, good | {"events": -1}, good | {"sealed": "1"}, [1]):
        with pytest.raises(ValueError, match=r"these are not the values of a penstock\.LogPlace"):
            penstock.LogPlace.from_dict(values)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"penstock\.Checkpoint"):
        penstock.LogPlace.from_dict(good | {"checkpoint": {"path": 1}})


@pytest.mark.parametrize("seal", [False, True])
@pytest.mark.parametrize("taken", [0, 1, 3])
def test_a_reader_of_what_was_compacted_gets_an_error(
    tmp_path: Path, seal: bool, taken: int
) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        log.append_all(EVENTS[:3])
        news = log.follow(penstock.LogPlace(), wait=None)
        got = [next(news) for _ in range(taken)]
        place = news.place
        # The same events: nothing but the generation tells the two logs apart.
        log.compact(EVENTS[:3])
        log.append_all(EVENTS[3:5])
        if seal:
            log.seal()
        with pytest.raises(ValueError, match="was compacted: the place is one of generation 1"):
            got.extend(iter(news.__next__, None))
        # What it had opened before is that of the old generation.
        assert got in (EVENTS[:taken], EVENTS[:3])
        for other in (log.follow(place, wait=None), log.follow(penstock.LogPlace(), wait=None)):
            with pytest.raises(ValueError, match="and this is generation 2"):
                list(other)
        assert list(log.follow(penstock.LogPlace(2), wait=None)) == EVENTS[:5]


def test_a_place_of_another_log(tmp_path: Path) -> None:
    with opened(tmp_path / "a.ndjson") as log:
        log.append_all(EVENTS[:5])
        place = log.place
    with opened(tmp_path / "b.ndjson") as log:
        log.append_all(EVENTS[5:7])
        with pytest.raises(ValueError, match="is not the file of the checkpoint"):
            list(log.follow(place, wait=None))
        log.seal()
        with pytest.raises(ValueError, match="it has fewer events"):
            list(log.follow(place, wait=None))


def test_damage_is_an_error_behind_what_is_good(tmp_path: Path) -> None:
    path = tmp_path / "state.ndjson"
    with opened(path) as log:
        news = log.follow(wait=None)
        log.append(EVENTS[0])
        with path.open("ab") as file:
            file.write(b"x\n")
        assert next(news) == EVENTS[0]
        for _ in range(2):
            with pytest.raises(penstock.MalformedInput, match=":2:1: expected a value"):
                next(news)
            assert news.place.events == 1
        # Mended, it goes on.
        text = path.read_bytes()
        path.write_bytes(text.replace(b"x\n", text.splitlines(keepends=True)[0]))
        assert list(news) == EVENTS[:1]


def test_waiting_in_a_thread(tmp_path: Path) -> None:
    got: list[Any] = []
    with opened(tmp_path / "state.ndjson") as log:

        def listen() -> None:
            for event in log.follow(penstock.LogPlace(), wait=0.001):
                got.append(event)
                if event == EVENTS[-1]:
                    return

        thread = threading.Thread(target=listen)
        thread.start()
        for n, event in enumerate(EVENTS):
            log.append(event)
            if n % 7 == 3:
                log.seal()
        thread.join()
    assert got == EVENTS


def test_asynchronously(tmp_path: Path) -> None:
    async def listen(news: penstock.Follower[Any], count: int) -> list[Any]:
        got = []
        async for event in penstock.aio.follow(news):
            got.append(event)
            if len(got) == count:
                break
        return got

    async def main() -> tuple[list[Any], list[Any]]:
        with opened(tmp_path / "state.ndjson") as log:
            tasks = [asyncio.create_task(listen(log.follow(wait=0.001), n)) for n in (5, 12)]
            for event in EVENTS:
                log.append(event)
                await asyncio.sleep(0.001)
            return await tasks[0], await tasks[1]

    first, second = asyncio.run(main())
    assert first == EVENTS[:5]
    assert second == EVENTS[:12]


def test_asynchronously_to_the_end(tmp_path: Path) -> None:
    async def main() -> list[Any]:
        with opened(tmp_path / "state.ndjson") as log:
            log.append_all(EVENTS)
            events = penstock.aio.follow(log.follow(penstock.LogPlace(), wait=None))
            return [event async for event in events]

    assert asyncio.run(main()) == EVENTS


@pytest.mark.thread_unsafe(reason="it forks")
def test_another_process_follows(tmp_path: Path) -> None:
    """A reader beside a writer that seals and compacts all the time sees no mixture."""
    path = tmp_path / "state.ndjson"
    opened(path).close()
    child = os.fork()
    if child == 0:
        try:
            with opened(path, event=Put) as log:
                for n in range(600):
                    log.append(Put(f"k{n % 5}", n))
                    if n % 40 == 11:
                        log.seal()
                    if n % 90 == 77:
                        log.compact([Put(k, v) for k, v in log.state.values.items()])
        finally:
            os._exit(0)
    compacted, generations, last = "was compacted", 0, -1
    with opened(path, event=Put, writable=False) as log:
        while last < 599:
            seen = log.state.values
            last = max(seen.values(), default=-1)
            assert seen == {f"k{n % 5}": n for n in range(last + 1)}
            before = seen | {}
            news = log.follow(wait=None)
            try:
                for event in news:
                    assert event.value == max(before.values(), default=-1) + 1
                    before[event.key] = event.value
            except ValueError as error:
                compacted = str(error)
                generations += 1
            assert "was compacted" in compacted
    assert os.waitpid(child, 0)[1] == 0
