"""The reference has every public name, and the examples of the extension's docstrings are right."""

import doctest
import re
from pathlib import Path

import pytest

import penstock
from penstock import _rust

PAGES = Path(__file__).parent.parent / "docs/reference"
MODULES = (
    "penstock",
    "penstock.aio",
    "penstock.clock",
    "penstock.csv",
    "penstock.duckdb",
    "penstock.json",
    "penstock.ndjson",
    "penstock.plist",
    "penstock.polars",
    "penstock.stores",
    "penstock.streams",
    "penstock.xml",
)
NATIVE = [
    example
    for name in sorted(_rust.__all__)
    if isinstance(class_ := getattr(_rust, name), type)
    for example in doctest.DocTestFinder(recurse=False).find(class_, name)
    + [
        found
        for method, value in sorted(vars(class_).items())
        for found in doctest.DocTestFinder(recurse=False).find(value, f"{name}.{method}")
        if not method.startswith("_")
    ]
    if example.examples
]


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_has_every_public_name(module: str) -> None:
    page = (PAGES / f"{module.rpartition('.')[2]}.md").read_text("utf-8")
    shown = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", page, re.MULTILINE))
    public = penstock if module == "penstock" else getattr(penstock, module.rpartition(".")[2])
    assert shown == set(public.__all__) - {
        "aio",
        "clock",
        "csv",
        "json",
        "ndjson",
        "plist",
        "stores",
        "streams",
        "xml",
    }


@pytest.mark.thread_unsafe(reason="all threads have one example")
@pytest.mark.parametrize("example", NATIVE, ids=lambda example: example.name)
def test_examples_of_the_extension(
    example: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some write files.
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    # Classes of an example look up the names of their annotations in its module.
    example.globs = {"__name__": __name__}
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_the_extension_has_examples() -> None:
    names = {example.name for example in NATIVE}
    assert {"Element", "Events", "Items", "Plan", "Progress", "Reader", "Reader.batches"} <= names
