"""What the author of a library tries first: types, kinds of classes, errors, processes."""

from __future__ import annotations

import asyncio
import logging
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

import penstock
from penstock import Plan

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

T = TypeVar("T")


@dataclass
class Data:
    name: str


class Tuple(NamedTuple):
    name: str


class Typed(TypedDict):
    name: str


@attrs.define
class Attrs:
    name: str


class Struct(msgspec.Struct):
    name: str


class Model(pydantic.BaseModel):
    name: str


class Plain:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize("kind", [Data, Tuple, Typed, Attrs, Struct, Model, Plain])
def test_every_kind_of_class_has_the_same_errors_and_is_written_as_it_is_read(kind: Any) -> None:
    value = penstock.decode('{"name": "Bern"}', kind)
    text = penstock.json.encode(value, kind)
    # A named tuple is read from an object too, and written as an array.
    assert text == (b'["Bern"]' if kind is Tuple else b'{"name":"Bern"}')
    again = penstock.decode(text, kind)
    assert penstock.json.encode(again, kind) == text
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.decode('{"name": 7}', kind)
    assert (caught.value.path, caught.value.reason) == ("name", "expected str, got the integer 7")


class Repository(Generic[T]):
    """A repository of any class, with a plan that is made once."""

    def __init__(self, path: Path, cls: type[T]) -> None:
        self.path = path
        self.plan: Any = Plan(cls, rename="upper")

    def save(self, *values: T) -> None:
        with penstock.write(self.path, self.plan) as writer:
            writer.write_all(values)

    def __iter__(self) -> Iterator[T]:
        with penstock.read(self.path, self.plan) as values:
            yield from values


def test_a_repository_keeps_a_plan(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "data.ndjson", Data)
    repository.save(Data("Bern"), Data("Chur"))
    assert (tmp_path / "data.ndjson").read_text() == '{"NAME":"Bern"}\n{"NAME":"Chur"}\n'
    assert list(repository) == [Data("Bern"), Data("Chur")]
    assert str(Plan[Data]) == f"penstock.Plan[{__name__}.Data]"


def test_plans_encoders_and_errors_go_to_other_processes() -> None:
    plan: Any = pickle.loads(pickle.dumps(Plan(Data, rename="upper")))
    assert penstock.decode('{"NAME": "Bern"}', plan) == Data("Bern")
    encoder = pickle.loads(pickle.dumps(penstock.json.Encoder(plan)))
    assert encoder.encode(Data("Bern")) == b'{"NAME":"Bern"}'
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.decode('{"NAME": 7}', plan)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.to_dict() == caught.value.to_dict()


@pytest.mark.thread_unsafe(reason="the log is the process's")
def test_an_error_is_logged_under_one_name(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(penstock.MalformedInput) as caught:
        penstock.decode("[1, }", list[int])
    logging.getLogger("reader").warning("bad", extra={"penstock": caught.value.to_dict()})
    assert caplog.records[0].penstock["column"] == 5  # type: ignore[attr-defined]


def test_chunks_that_are_awaited_become_objects() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in (b'{"name": "Be', b'rn"}\n{"na', b'me": "Chur"}\n'):
            yield chunk

    async def names() -> list[str]:
        values = penstock.aio.read(chunks(), Data, format="ndjson")
        return [value.name async for value in values]

    assert asyncio.run(names()) == ["Bern", "Chur"]


def test_a_wrong_guess_says_where_an_option_is() -> None:
    for call, message in [
        (lambda: penstock.decode("{}", into=Data), "a type is the second argument"),  # type: ignore[call-overload]
        (lambda: penstock.json.Decoder(Data, rename="upper"), "it is one of penstock.Plan"),  # type: ignore[call-arg]
        (lambda: penstock.json.encode(1, ensure_ascii=True), "it is ascii= of the functions"),  # type: ignore[call-arg]
    ]:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(
        AttributeError, match=r"penstock\.json_schema makes the JSON Schema of a type"
    ):
        _ = penstock.model_json_schema  # type: ignore[attr-defined]
