"""The rooms of core and of the extension stand on floors: the code of a room names lower floors only.

ARCHITECTURE.md has a table of the rooms of each. A room is a folder or a file of the crate's sources.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Arrows that go up, and why. The lists may only shrink.
ALLOWED = {
    "core": {
        ("writer", "json"): "`Writer::direct` and `Writer::orderly` give types of the JSON writer",
        ("writer", "csv"): "`Writer::cells` gives a type of the CSV writer",
    },
    "the extension": {},
}
SOURCES = {
    "core": ROOT / "crates/penstock-core/src",
    "the extension": ROOT / "crates/penstock-python/src",
}

USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])(\$?crate|super)((?:::\w+)+)")

each_crate = pytest.mark.parametrize("crate", list(SOURCES))


def floors(crate: str) -> dict[str, int]:
    """The floor of each room, by the table of ARCHITECTURE.md."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    page = page.split(f"## The rooms of {crate} by floor")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    return {room: int(floor) for floor, room in rows}


def code(text: str) -> str:
    """A file without comments and without what is compiled for tests only."""
    lines = iter(text.splitlines())
    kept = []
    for line in lines:
        if line.strip() != "#[cfg(test)]":
            kept.append(re.sub(r"//.*", "", line))
            continue
        item = next(lines)
        while item.lstrip().startswith("#["):
            item = next(lines)
        if item.endswith("{"):
            end = item[: len(item) - len(item.lstrip())] + "}"
            while next(lines) != end:
                pass
    return "\n".join(kept)


def leaves(tree: str, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of a `use`, also those in braces."""
    tree = tree.strip()
    if not tree.endswith("}"):
        yield (*before, *tree.split(" as ")[0].split("::"))
        return
    head, inner = tree[:-1].split("{", 1)
    before = (*before, *(step for step in head.split("::") if step))
    depth, start = 0, 0
    for at, char in enumerate(inner + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if inner[start:at].strip():
                yield from leaves(inner[start:at], before)
            start = at + 1


def arrows(text: str, module: tuple[str, ...]) -> Iterator[str]:
    """The rooms that the text of a module names."""
    text = code(text)
    paths = [path for use in USE.findall(text) for path in leaves(use)]
    rest = USE.sub("", text)
    paths += [(head, *tail[2:].split("::")) for head, tail in PATH.findall(rest)]
    for path in paths:
        ups = 0
        while ups < len(path) and path[ups] == "super":
            ups += 1
        if path[0] in ("crate", "$crate"):
            yield from path[1:2]
        elif ups:
            yield from (module[: max(len(module) - ups, 0)] + path[ups:])[:1]


def modules(crate: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """All modules but the root and those for tests, with their text."""
    sources = SOURCES[crate]
    for file in sorted(sources.rglob("*.rs")):
        module = file.relative_to(sources).with_suffix("").parts
        if module[-1] == "mod":
            module = module[:-1]
        if module != ("lib",) and "tests" not in module:
            yield module, file.read_text("utf-8")


@each_crate
def test_each_room_has_a_floor(crate: str) -> None:
    assert set(floors(crate)) == {module[0] for module, _ in modules(crate)}


@each_crate
def test_the_root_lists_rooms_by_floor(crate: str) -> None:
    root = (SOURCES[crate] / "lib.rs").read_text("utf-8")
    listed = re.findall(r"^(?:pub )?mod (\w+);", root, re.MULTILINE)
    floor = floors(crate)
    assert sorted(listed) == sorted(floor)
    assert [floor[room] for room in listed] == sorted(floor[room] for room in listed)


@each_crate
def test_rooms_name_lower_floors_only(crate: str) -> None:
    # A circle has an arrow that does not go down, so there is none either.
    floor = floors(crate)
    up = set()
    for module, text in modules(crate):
        room = module[0]
        for other in arrows(text, module):
            if other in floor and other != room and floor[other] >= floor[room]:
                up.add((room, other))
    assert up == set(ALLOWED[crate]), "an arrow goes up, or one that is allowed is gone"


def test_paths_are_found() -> None:
    text = """
use crate::{a::{self, B as C}, b};
//! use crate::comment;
impl crate::c::D for super::E {}
$crate::d::F
#[cfg(test)]
mod tests {
    use crate::for_tests;
}
use super::super::e;
"""
    assert list(arrows(text, ("room", "file"))) == ["a", "a", "b", "e", "c", "room", "d"]
