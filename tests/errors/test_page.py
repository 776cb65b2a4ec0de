"""`docs/errors.md` and the code say the same. That its examples print what it shows is tested by running them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import penstock
from penstock._base import errors as _errors

PAGE = Path(__file__).parents[2].joinpath("docs", "errors.md").read_text(encoding="utf-8")

CLASSES = [
    each
    for each in vars(_errors).values()
    if isinstance(each, type) and issubclass(each, BaseException)
]

SECTIONS = dict(
    re.findall(
        r"^### (\w+)\n\n(.*?)(?=^##|\Z)",
        PAGE[PAGE.index("\n## Each class\n") :],
        re.MULTILINE | re.DOTALL,
    )
)


def test_every_class_has_its_section_and_every_section_its_class() -> None:
    assert set(SECTIONS) == {each.__name__ for each in CLASSES}
    # A base comes before its subclasses.
    order = [getattr(_errors, name) for name in SECTIONS]
    for index, each in enumerate(order):
        assert not any(issubclass(earlier, each) for earlier in order[:index])


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_section_has_an_example_and_a_cure(kind: type[BaseException]) -> None:
    section = SECTIONS[kind.__name__]
    prose, *rest = section.split("```python\n")
    assert prose.strip()
    assert rest, "an example"
    example = "".join(part.split("```")[0] for part in rest)
    assert example.startswith(">>> ")
    assert kind.__name__ in example
    assert re.search(r"^\*\*Cure:\*\* \w", section, re.MULTILINE)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_is_public_and_says_what_it_is(kind: type[BaseException]) -> None:
    assert getattr(penstock, kind.__name__) is kind
    assert kind.__name__ in penstock.__all__
    assert kind.__module__ == "penstock"
    assert inspect.getdoc(kind)


def tree(text: str) -> list[tuple[int, str, str]]:
    """The lines of a drawn tree: the column of a class's name, the name, and its description."""
    lines = re.findall(r"^([^A-Z\n]*)([A-Z]\w+)(.*)$", text, re.MULTILINE)
    return [(len(before), name, " ".join(said.split())) for before, name, said in lines]


def test_the_tree_of_the_page_is_that_of_the_module_and_of_the_classes() -> None:
    page = tree(PAGE.split("```\n")[1])
    module = tree((_errors.__doc__ or "").split("\n\n")[1].replace("the `Limits`", "the limits"))
    assert [line[1:] for line in page] == [line[1:] for line in module]
    assert {name for _, name, _ in page} == {kind.__name__ for kind in CLASSES}
    # The base of a class is the last one above it that is less indented.
    around: list[tuple[int, type[BaseException]]] = []
    for place, name, said in page:
        kind = getattr(_errors, name)
        around = [(far, base) for far, base in around if far < place]
        bases = {base.__name__ for _, base in around[-1:]} | set(re.findall(r"\((\w+)\)", said))
        assert {base.__name__ for base in kind.__bases__} == (bases or {"Exception"})
        around.append((place, kind))


def test_every_attribute_is_told() -> None:
    known = set(vars(penstock.ValidationError("no"))) | {"problems"}
    told = set(re.findall(r"`(\w+)`", PAGE))
    assert known - told - {"others"} == set()
    for name in known:
        doc = (penstock.DecodeError.__doc__ or "") + (penstock.ValidationError.__doc__ or "")
        assert name in doc
