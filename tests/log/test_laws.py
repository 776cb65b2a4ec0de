"""Any work on a log, by its writer and by a naive twin: a list of events."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from events import Drop, Event, Put, apply, fold, opened
from hypothesis import given
from hypothesis import strategies as st

import penstock

KEYS = st.sampled_from("abc")
EVENT = st.one_of(st.builds(Put, KEYS, st.integers(-5, 5)), st.builds(Drop, KEYS))
STEPS = st.lists(
    st.one_of(
        EVENT,
        st.lists(EVENT, max_size=4),
        st.sampled_from(["open", "tear", "snapshot", "seal", "compact"]),
    ),
    max_size=25,
)


def accepted(known: list[Any], events: list[Any]) -> tuple[list[Any], bool]:
    """Return the events that a log takes, and whether it refuses the one behind them."""
    taken: list[Any] = []
    for event in events:
        try:
            fold([*known, *taken, event])
        except KeyError:
            return taken, True
        taken.append(event)
    return taken, False


@given(STEPS)
def test_it_is_a_list_of_events(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state.ndjson")
        log, known = opened(path), list[Any]()
        reader = opened(path, writable=False)
        everything = log.follow(wait=None)
        followed: list[Any] = []
        for step in steps:
            if isinstance(step, str):
                if step == "open":
                    log.close()
                    log = opened(path)
                elif step == "tear":
                    log.close()
                    with path.open("ab") as file:
                        file.write(b'{"kind":"Put"')
                    try:
                        opened(path)
                    except penstock.LogWarning:
                        log = opened(path)
                elif step == "compact":
                    known = [Put(k, v) for k, v in sorted(log.state.values.items())]
                    log.compact(known)
                    everything, followed = (
                        log.follow(penstock.LogPlace(log.place.generation), wait=None),
                        [],
                    )
                else:
                    getattr(log, step)()
            else:
                events = step if isinstance(step, list) else [step]
                taken, is_refused = accepted(known, events)
                try:
                    log.append_all(events) if isinstance(step, list) else log.append(step)
                except KeyError:
                    assert is_refused
                else:
                    assert not is_refused
                known = known + taken
            followed += everything
            assert followed == known
            assert log.state == reader.state == fold(known)
            assert log.place.events == len(known)
        log.close()
        assert opened(path, fold=apply).state == fold(known)
        assert list(penstock.read(log.paths, Event)) == known
