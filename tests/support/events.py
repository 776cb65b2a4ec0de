"""The events and the state of the tests of logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, Any, TypeAlias

import penstock


@dataclass(frozen=True, slots=True)
class Put:
    key: str
    value: int


@dataclass(frozen=True, slots=True)
class Drop:
    key: str


Event: TypeAlias = Annotated[Put | Drop, penstock.tag("kind")]


@dataclass(slots=True)
class State:
    values: dict[str, int] = field(default_factory=dict)
    events: int = 0


def apply(state: State, event: Put | Drop) -> State:
    match event:
        case Put(key, value):
            state.values[key] = value
        case Drop(key):
            del state.values[key]
    state.events += 1
    return state


def fold(events: list[Put | Drop]) -> State:
    return reduce(apply, events, State())


def opened(path: Any, **options: Any) -> penstock.Log[Any, State]:
    how: dict[str, Any] = {"fold": apply, "state": State} | options
    event: Callable[..., Any] = how.pop("event", Event)
    return penstock.Log(path, event, **how)
