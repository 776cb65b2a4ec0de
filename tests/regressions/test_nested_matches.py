"""Matches inside matches, of a path with `//`: each by its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import penstock
from penstock import at, json, xml

DATA = (
    b'{"x": {"id": 1, "y": {"x": [{"id": 2}, {"x": 3}]}}, "z": [{"x": {"x": {"x": 4}}}], "x.": 5}'
)


def paths(path: str, **options: Any) -> list[str]:
    found: list[str] = []

    def walk(part: Any, above: str) -> None:
        """Find all the slow way."""
        if isinstance(part, dict):
            members = part.items()
        elif isinstance(part, list):
            members = enumerate(part)
        else:
            return
        for key, value in members:
            here = f"{above}/{key}".lstrip("/")
            steps = [step if step.isalpha() else "0" for step in here.split("/")]
            wanted = path[2:].split("/")
            if all(a in ("*", b) for a, b in zip(wanted, steps[-len(wanted) :], strict=False)) and (
                len(steps) >= len(wanted)
            ):
                found.append(here)
                if not options:
                    continue
            walk(value, here)

    walk(json.decode(DATA), "")
    return found


@pytest.mark.parametrize("path", ["//x", "//x/x", "//x/*", "//*/x", "//y/x", "//x/*/x", "//q"])
def test_257_an_open_document_finds_matches_inside_matches(path: str) -> None:
    """There was no way to ask for them."""
    document = penstock.open(DATA)

    def shown(found: Any) -> list[Any]:
        return [part.to() if isinstance(part, penstock.Document) else part for part in found]

    def at_paths(found: list[str]) -> list[Any]:
        return shown(next(document.at(path)) for path in found)

    assert shown(document.at(path)) == at_paths(paths(path))
    assert shown(document.at(path, nested=False)) == at_paths(paths(path))
    assert shown(document.at(path, nested=True)) == at_paths(paths(path, nested=True))


def test_257_how_many_there_are() -> None:
    """As above."""
    document = penstock.open(DATA)
    assert [part.path for part in document.at("//x") if part != 3] == ["x", "z/0/x"]
    assert len(list(document.at("//x", nested=True))) == 6
    assert len(list(document["x"].at("//x", nested=True))) == 2
    assert list(document.at("x/id", nested=True)) == list(document.at("x/id")) == [1]
    with pytest.raises(TypeError, match=r"^nested must be a bool, not int$"):
        document.at("//x", nested=1)  # type: ignore[arg-type]
    deep = penstock.open(b'{"x": ' * 900 + b"0" + b"}" * 900)
    assert len(list(deep.at("//x", nested=True))) == 900


@dataclass
class X:
    id: int
    inner: Annotated[list[X], at("//x")]


TREE = X(1, [X(2, []), X(3, [X(4, [])])])


def test_257_elsewhere_the_class_takes_them() -> None:
    """It was not said how to get at them."""
    data = b'{"x": {"id": 1, "y": [{"x": {"id": 2}}], "x": {"id": 3, "z": {"x": {"id": 4}}}}}'
    markup = b'<r><x id="1"><y><x id="2"/></y><x id="3"><z><x id="4"/></z></x></x></r>'
    assert list(json.read([data], X, at="//x")) == [TREE]
    assert list(penstock.open(data, X, at="//x")) == [TREE]
    assert list(xml.read([markup], X, at="//x")) == [TREE]

    @dataclass
    class Holder:
        all: Annotated[list[X], at("//x")]

    assert json.decode(data, Holder) == Holder([TREE])
    assert xml.decode(markup, Holder) == Holder([TREE])
