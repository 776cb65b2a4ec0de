"""Compares `send` with a naive evaluation over a tree, on random documents and handlers."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

import penstock
import penstock.xml
from penstock import Element, on

# A chain of names from the root to an element: namespace and local part.
Chain = tuple[tuple[str, str], ...]

NAMES = st.sampled_from("abc")
STEPS = st.sampled_from(["a", "b", "c", "*", "{u}a", "{u}b", "{}a", "{u}*", "*:c"])
PATHS = st.builds(
    lambda anywhere, steps: ("//" if anywhere and len(steps) > 1 else "") + "/".join(steps),
    st.booleans(),
    st.lists(STEPS, min_size=1, max_size=3),
)
TEXTS = st.sampled_from(
    ["", "", " ", "\n  ", "x", "y ", " é", "&amp;", "<![CDATA[<]]>", "<!-- -->"]
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 4) -> str:
    name = draw(NAMES)
    space = draw(st.sampled_from(["", "", "", ' xmlns="u"', ' xmlns=""']))
    names = draw(st.lists(st.sampled_from(["k", "l"]), unique=True, max_size=2))
    attributes = "".join(f' {key}="{draw(TEXTS.filter(lambda t: "<" not in t))}"' for key in names)
    content = draw(TEXTS)
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        content += draw(elements(depth - 1)) + draw(TEXTS)
    if not content and draw(st.booleans()):
        return f"<{name}{space}{attributes}/>"
    return f"<{name}{space}{attributes}>{content}</{name}>"


def admits(step: str, name: tuple[str, str]) -> int:
    """Say how exactly a step names an element; 0 if it does not."""
    namespace, local = name
    if step == "*":
        return 1
    if step.startswith("*:"):
        return 4 if local == step[2:] else 0
    if step.startswith("{"):
        uri, wanted = step[1:].split("}")
        if uri != namespace:
            return 0
        return 3 if wanted == "*" else 6 * (local == wanted)
    return 5 if local == step else 0


def rank(path: str, chain: Chain) -> tuple[int, bool, list[int]] | None:
    """How good a path is for an element, if it matches."""
    steps = path.removeprefix("//").split("/")
    anywhere = path.startswith("//") or len(steps) == 1
    if len(steps) > len(chain) or (not anywhere and len(steps) != len(chain)):
        return None
    exact = [admits(step, name) for step, name in zip(steps[::-1], chain[::-1], strict=False)]
    return (len(steps), not anywhere, exact) if all(exact) else None


Sent = tuple[str, str, dict[str, str], list[tuple[str, Any]]]


def naive(element: ET.Element, paths: list[str], outer: Chain, calls: list[Sent]) -> Any:
    """Evaluate an element: return its text and results, or if a path matches, record the call."""
    namespace, _, local = element.tag.rpartition("}")
    chain = (*outer, (namespace.removeprefix("{"), local))
    text = element.text or ""
    results: list[tuple[str, Any]] = []
    for child in element:
        its_text, its_results = naive(child, paths, chain, calls)
        text += its_text + (child.tail or "")
        results += its_results
    ranked = [(found, path) for path in paths if (found := rank(path, chain)) is not None]
    if not ranked:
        return text, results
    if len(element) and not text.strip(" \t\r\n"):
        text = ""
    sent = (max(ranked)[1], text, dict(element.attrib), results)
    calls.append(sent)
    return "", [(local, sent)]


def handler(paths: list[str], calls: list[Any]) -> object:
    """An object with a method for each path."""

    def method(path: str) -> Any:
        def call(_self: object, element: Element) -> object:
            attributes = dict(element.attributes.items())
            sent = (path, element.text, attributes, element.children.items())
            calls.append(sent)
            return sent

        return on(path)(call)

    body = {f"_{number}": method(path) for number, path in enumerate(paths)}
    return type("Handler", (), body)()


@given(elements(), st.lists(PATHS, min_size=1, max_size=4, unique=True), st.integers(1, 40))
def test_xml(document: str, paths: list[str], size: int) -> None:
    expected: list[Sent] = []
    _, results = naive(ET.fromstring(document), paths, (), expected)
    data = document.encode()
    calls: list[Sent] = []
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    result = penstock.xml.send(chunks, handler(paths, calls))
    assert calls == expected
    root = ET.fromstring(document).tag.rpartition("}")[2]
    claimed = len(results) == 1 and expected[-1] is results[0][1] and results[0][0] == root
    if claimed and any(rank(path, tuple_of(document)) for path in paths):
        assert result == results[0][1]
    else:
        assert result is None


def tuple_of(document: str) -> Chain:
    """The chain of the root."""
    namespace, _, local = ET.fromstring(document).tag.rpartition("}")
    return ((namespace.removeprefix("{"), local),)


# JSON.

VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, -12, 2.5, "", "x", "é"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=20,
)
KEYS = st.sampled_from(["a", "b", "c", "*", "{u}a", "*:c"])
JSON_PATHS = st.builds(
    lambda anywhere, steps: ("//" if anywhere and len(steps) > 1 else "") + "/".join(steps),
    st.booleans(),
    st.lists(KEYS, min_size=1, max_size=3),
)


def key_rank(path: str, chain: tuple[str, ...]) -> tuple[int, bool, list[int]] | None:
    """As `rank`, for plain keys."""
    if not chain:
        return None
    steps = path.removeprefix("//").split("/")
    anywhere = path.startswith("//") or len(steps) == 1
    if len(steps) > len(chain) or (not anywhere and len(steps) != len(chain)):
        return None
    pairs = zip(steps[::-1], chain[::-1], strict=False)
    exact = [1 if step == "*" else 2 * (step == key) for step, key in pairs]
    return (len(steps), not anywhere, exact) if all(exact) else None


def naive_json(
    value: Any, paths: list[str], chain: tuple[str, ...], calls: list[Any]
) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Evaluate a value: return the scalars that are attributes, and the results."""
    if isinstance(value, list):
        parts = [naive_json(item, paths, chain, calls) for item in value]
        return [x for part, _ in parts for x in part], [x for _, part in parts for x in part]
    ranked = [(found, path) for path in paths if (found := key_rank(path, chain)) is not None]
    attributes: list[tuple[str, Any]] = []
    results: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        for key, member in value.items():
            scalars, below = naive_json(member, paths, (*chain, key), calls)
            attributes += [(key, scalar) for scalar in scalars]
            results += below
        if not ranked:
            return [], results
    elif not ranked:
        return [value], []
    scalar = None if isinstance(value, dict) else value
    sent = (max(ranked)[1], scalar, attributes, results)
    calls.append(sent)
    return [], [(chain[-1], sent)]


@given(VALUES, st.lists(JSON_PATHS, min_size=1, max_size=4, unique=True), st.integers(1, 40))
def test_json(value: Any, paths: list[str], size: int) -> None:
    expected: list[Any] = []
    naive_json(value, paths, (), expected)
    data = json.dumps(value).encode()
    calls: list[Any] = []

    def method(path: str) -> Any:
        def call(_self: object, element: Element) -> object:
            sent = (path, element.value, element.attributes.items(), element.children.items())
            calls.append(sent)
            return sent

        return on(path)(call)

    body = {f"_{number}": method(path) for number, path in enumerate(paths)}
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert penstock.json.send(chunks, type("Handler", (), body)()) is None
    assert repr(calls) == repr(expected), "types count"
