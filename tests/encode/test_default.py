"""`default=`: what is written in place of objects that cannot be."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import pickle
import weakref
from dataclasses import dataclass
from pathlib import Path
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
    with pytest.raises(TypeError, match="it is one of the functions that write"):
        penstock.plist.load(io.BytesIO(), default=str)  # type: ignore[call-arg]
    with pytest.raises(
        ValueError, match="an archive has no type, omit=, types= or default=: class"
    ):
        penstock.plist.encode({"a": 1}, archive=True, default=str)


def test_rows_and_property_lists() -> None:
    rows = [{"a": Thing("x"), "n": 1}, Held(Thing("y"))]
    assert penstock.csv.encode(rows[:1], default=lambda value: value.name) == b"a,n\nx,1\n"
    assert penstock.csv.encode(rows[1:], default=lambda value: value.name) == b"thing,n\ny,1\n"
    # A row itself may be such an object.
    assert penstock.csv.encode([Thing("z")], default=named) == b"name\nz\n"
    with pytest.raises(penstock.EncodeError, match='the column "a" has an object, which a cell'):
        penstock.csv.encode(rows[:1], default=named)
    forms: tuple[Any, ...] = ("xml", "binary", "openstep")
    for form in forms:
        text = penstock.plist.encode({"a": [Thing("x")]}, default=named, form=form)
        assert penstock.plist.decode(text) == {"a": [{"name": "x"}]}
    encoders: list[Any] = [penstock.csv.Encoder, penstock.plist.Encoder]
    for encoder in (each(default=named) for each in encoders):
        again = pickle.loads(pickle.dumps(encoder))
        assert again.encode([Thing("z")]) == encoder.encode([Thing("z")])


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", b'[{"name":"a"}]'),
        ("ndjson", b'{"name":"a"}\n'),
        ("csv", b"name\na\n"),
        ("xml", b"<root><name>a</name></root>"),
        ("plist", b"<string>a</string>"),
    ],
)
def test_every_format(format: Any, text: bytes, tmp_path: Path) -> None:
    value = [Thing("a")]
    whole: Any = {"root": value[0]} if format == "xml" else value
    assert text in penstock.encode(whole, format=format, default=named)
    out = io.BytesIO()
    penstock.dump(whole, out, format=format, default=named)
    assert text in out.getvalue()
    path = tmp_path / f"file.{format}"
    with penstock.write(path, default=named) as writer:
        writer.write_all(value)
    assert list(penstock.read(path)) == [{"name": "a"}]


def test_a_stream_that_is_awaited() -> None:
    chunks: list[bytes] = []

    async def main() -> None:
        async with penstock.aio.write(chunks.append, format="ndjson", default=named) as writer:
            await writer.write(Thing("a"))

    asyncio.run(main())
    assert b"".join(chunks) == b'{"name":"a"}\n'


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
