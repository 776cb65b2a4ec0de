"""`default=`: what is written in place of objects that cannot be."""

from __future__ import annotations

import gc
import io
import json
import weakref
from dataclasses import dataclass
from typing import Any

import pytest

import penstock


class Thing:
    """Nothing says what its objects are made of."""

    def __init__(self, *names: Any) -> None:
        self.name = names[0]


@dataclass
class Held:
    thing: Any
    n: int = 1


def named(value: object) -> object:
    if isinstance(value, Thing):
        return {"name": value.name}
    raise TypeError(f"{type(value).__name__} is not known")


VALUE = [Held(Thing("a")), {"b": Thing("c")}, Thing("d"), 5]
TEXT = b'[{"thing":{"name":"a"},"n":1},{"b":{"name":"c"}},{"name":"d"},5]'


def test_it_is_called_where_nothing_else_is_known() -> None:
    assert penstock.json.encode(VALUE, default=named) == TEXT
    assert penstock.json.Encoder(default=named).encode(VALUE) == TEXT
    assert json.loads(TEXT) == json.loads(penstock.json.encode(VALUE, default=named, indent=2))
    assert (
        penstock.ndjson.encode(VALUE[1:3], default=named) == b'{"b":{"name":"c"}}\n{"name":"d"}\n'
    )
    assert b"<b><name>c</name></b>" in penstock.xml.encode(VALUE[1], root="r", default=named)


def test_files_too() -> None:
    out = io.BytesIO()
    penstock.json.dump(VALUE, out, default=named)
    assert out.getvalue() == TEXT
    out = io.BytesIO()
    with penstock.ndjson.write(out, default=named) as writer:
        writer.write(Thing("a"))
        writer.write({"x": Thing("b")})
    assert out.getvalue() == b'{"name":"a"}\n{"x":{"name":"b"}}\n'


def test_it_is_not_called_for_what_can_be_written() -> None:
    def never(value: object) -> object:
        raise AssertionError(value)

    value = [Held(1), (1, 2), {3}, None, 1.5]
    assert penstock.json.encode(value, default=never) == penstock.json.encode(value)


def test_what_it_raises_is_the_reason() -> None:
    with pytest.raises(
        penstock.EncodeError, match=r"default= raises TypeError: range_iterator is not"
    ) as caught:
        penstock.json.encode({"a": [iter(range(3))]}, default=named)
    assert caught.value.path == "['a'][0]"
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(penstock.EncodeError, match="without end"):
        penstock.json.encode(Thing("a"), default=lambda value: value)
    with pytest.raises(KeyboardInterrupt):
        penstock.json.encode(Thing("a"), default=interrupted)


def interrupted(_: object) -> object:
    raise KeyboardInterrupt


def test_it_is_a_function() -> None:
    with pytest.raises(TypeError, match="default must be a function or None, not int"):
        penstock.json.encode(1, default=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="it is one of the functions of"):
        penstock.plist.dump({"a": 1}, io.BytesIO(), default=str)  # type: ignore[call-arg]


class Owner:
    """What it writes with holds it."""

    def __init__(self) -> None:
        self.encoder = penstock.json.Encoder(default=self.named)
        self.encoder.encode([1])
        self.writer = penstock.ndjson.write(io.BytesIO(), default=self.named)

    def named(self, value: object) -> object:
        return repr(value)


def test_a_cycle_through_it_is_collected() -> None:
    owner = Owner()
    owner.writer.close()
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
