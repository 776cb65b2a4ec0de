"""The recipes and the journeys of ARCHITECTURE.md are true.

A recipe lists the files to touch, and has an example: `plist` is the example for a format. Each file
exists, and each file of the product whose code names the example is listed. Each function of a
journey is in the file that is named for it.
"""

import re
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SHORT = {
    "core": "crates/penstock-core/src",
    "arrow": "crates/penstock-arrow/src",
    "extension": "crates/penstock-python/src",
    "penstock": "python/penstock",
}


class Law(NamedTuple):
    """What names the example of a recipe, and which files do that for another reason."""

    names: str
    besides: dict[str, str] = {}  # noqa: RUF012 - it is a constant


LAWS = {
    "A format": Law(
        r'\b(Reader|AnyWriter)::Plist\b|\bplist::|::plist\b|\bmod plist\b|"plist"|penstock\.plist as',
        {
            "crates/penstock-core/src/split/threads/members.rs": "parts of the binary form",
            "crates/penstock-python/src/edge/errors.rs": "archives are property lists",
            "crates/penstock-python/src/verbs/graph.rs": "`open` of the binary form",
            "python/penstock/_archives/graph.py": "what `open` shows",
            "python/penstock/_archives/keyed.py": "archives are property lists",
        },
    ),
    "A destination": Law(
        r"\boutline\b|\bOutline\b",
        {
            "python/penstock/cli/flat.py": "a message of errors",
            "python/penstock/cli/paths.py": "a message of errors",
        },
    ),
    "A verb": Law(
        r"\b[Rr]ecompress(ion|ed)?\b",
        {
            "crates/penstock-core/src/source/frames/mod.rs": "a message of errors",
            "python/penstock/_log/log.py": "`Log.seal` calls it",
        },
    ),
    "An annotation": Law(r'\btypecode\(|class typecode|"typecode"|import .*\btypecode\b|TYPECODE'),
    "A command-line flag": Law(
        r"--canonical\b|\.canonical\b", {"python/penstock/cli/usage.py": "a message of errors"}
    ),
    "A repair": Law(r"StrayQuote|\bstray_quotes\b"),
}


def expanded(path: str) -> list[str]:
    """The paths that a path with braces stands for."""
    before, brace, rest = path.partition("{")
    if not brace:
        return [path]
    words, _, after = rest.partition("}")
    return [name for word in words.split(",") for name in expanded(before + word + after)]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def recipes() -> dict[str, list[str]]:
    """The paths of each recipe, which may be globs."""
    section = PAGE.partition("\n## Recipes\n")[2].partition("\n## ")[0]
    found = {}
    for bullet in re.split(r"^- \*\*", section, flags=re.MULTILINE)[1:]:
        name, _, text = bullet.partition("**")
        words = re.findall(r"`([^`\s]*[./][^`\s]*)`", text)
        found[name] = list(chain.from_iterable(map(expanded, words)))
    return found


def code(path: Path) -> str:
    """A file without comments, docstrings and tests."""
    text = path.read_text("utf-8")
    if path.suffix == ".rs":
        return re.sub(r"//.*", "", text.partition("\n#[cfg(test)]\nmod ")[0])
    return re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)


def sources() -> dict[str, str]:
    """The code of each file of the product."""
    found = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("python/penstock/**/*.py")]
    found += ROOT.glob("python/penstock/*.pyi")
    return {named(path): code(path) for path in found if path.stem != "tests"}


def test_each_recipe_has_a_law() -> None:
    assert set(recipes()) == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
def test_files_of_a_recipe_exist(name: str) -> None:
    assert recipes()[name]
    assert [path for path in recipes()[name] if not any(ROOT.glob(path))] == []


@pytest.mark.parametrize("name", LAWS)
def test_a_recipe_names_every_file_that_names_its_example(name: str) -> None:
    law = LAWS[name]
    naming = {path for path, text in sources().items() if re.search(law.names, text)}
    listed = {named(file) for path in recipes()[name] for file in ROOT.glob(path)}
    assert sorted(naming - listed - set(law.besides)) == []
    assert sorted(set(law.besides) - naming) == [], "an exception is gone"


def test_functions_of_the_journeys_are_in_their_files() -> None:
    steps = re.findall(r"`(\w+)/([\w/]+\.(?:rs|py)):(\w+)`", PAGE)
    assert len(steps) > 20
    for room, path, function in steps:
        text = (ROOT / SHORT[room] / path).read_text("utf-8")
        assert re.search(rf"\b(fn|def|class) {function}\b", text), f"{path}:{function}"
