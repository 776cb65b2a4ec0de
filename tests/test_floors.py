"""The rooms of the package stand on floors, and a room imports only what is below it.

A room is a module or a package directly in `python/penstock`. ARCHITECTURE.md has the table of rooms
and their floors; here it is compared with the imports of every file. An import inside a function is
run later, or never: it is lazy, and still an arrow. What only type checkers read is none.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python/penstock"
CRATES = ROOT / "crates"
MODULES = CRATES / "penstock-python/src/edge/modules.rs"
FACE = "penstock"

# Lazy arrows upward, and why there is no other way. At most five; an arrow that is gone goes from
# here, too.
ALLOWED = {
    ("penstock", "ray"): "`penstock.ray` is imported when somebody names it; it uses the face",
    ("penstock", "spark"): "`penstock.spark` likewise",
    ("_parts", "_any_format"): "`Split.read` takes the options of `penstock.read`, and calls it",
}


class Arrow(NamedTuple):
    """One room imports another."""

    source: str
    target: str
    is_lazy: bool
    place: str


@cache
def floors() -> dict[str, int]:
    """Return the floor of each room, as the table says."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    section = text.partition("## Rooms by floor\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", section, re.MULTILINE)
    return {room: int(floor) for floor, named in rows for room in re.findall(r"`([\w.]+)`", named)}


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return FACE if first == "__init__" else first


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def rooms() -> set[str]:
    return {room_of(path) for path in files()} | {"_rust"}


def targets(node: ast.AST) -> Iterator[str]:
    """Yield the rooms that a statement imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            package, _, rest = alias.name.partition(".")
            if package == FACE:
                yield rest.partition(".")[0] or FACE
    elif isinstance(node, ast.ImportFrom):
        package, _, rest = (node.module or "").partition(".")
        assert node.level == 0, "imports are absolute"
        if package == FACE and rest:
            yield rest.partition(".")[0]
        elif package == FACE:
            # Whatever is taken out of the face, the face is asked for it.
            yield FACE
            known = rooms()
            yield from (alias.name for alias in node.names if alias.name in known)


def imports(tree: ast.Module) -> Iterator[tuple[str, bool, int]]:
    """Yield the rooms that a file imports: whether lazily, and in which line."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_lazy = waiting.pop()
        for target in targets(node):
            yield target, is_lazy, getattr(node, "lineno", 0)
        inside: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
            inside = node.orelse if node.test.id == "TYPE_CHECKING" else inside
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        waiting += [(each, is_lazy or is_function) for each in inside]


@cache
def arrows() -> list[Arrow]:
    found = []
    for path in files():
        source = room_of(path)
        for target, is_lazy, line in imports(ast.parse(path.read_text("utf-8"))):
            if target != source:
                place = f"{path.relative_to(ROOT)}:{line}"
                found.append(Arrow(source, target, is_lazy, place))
    return found


def upward() -> list[Arrow]:
    level = floors()
    return [each for each in arrows() if level[each.target] >= level[each.source]]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of rooms that reach each other."""

    def reached(room: str) -> set[str]:
        seen: set[str] = set()
        waiting = [room]
        while waiting:
            for target in graph.get(waiting.pop(), set()) - seen:
                seen.add(target)
                waiting.append(target)
        return seen

    far = {room: reached(room) for room in graph}
    knots = {
        tuple(sorted({room, *(other for other in far[room] if room in far.get(other, ()))}))
        for room in graph
        if room in far[room]
    }
    return [list(knot) for knot in sorted(knots)]


def test_the_table_has_every_room() -> None:
    assert set(floors()) == rooms()


def test_private_modules_are_in_packages() -> None:
    private = {path.name for path in PACKAGE.glob("_*.py")}
    assert private == {"__init__.py", "__main__.py"}


def test_no_room_imports_what_is_not_below_it() -> None:
    eager = [each for each in upward() if not each.is_lazy]
    assert not eager
    lazy = {(each.source, each.target): each.place for each in upward()}
    unknown = {pair: place for pair, place in lazy.items() if pair not in ALLOWED}
    assert not unknown


def test_the_list_of_what_is_allowed_only_shrinks() -> None:
    assert set(ALLOWED) == {(each.source, each.target) for each in upward()}
    assert len(ALLOWED) <= 5


def test_no_rooms_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for each in arrows():
        if (each.source, each.target) not in ALLOWED:
            graph.setdefault(each.source, set()).add(each.target)
    assert not circles(graph)


@pytest.mark.parametrize("name", ["archives", "engines"])
def test_what_few_programs_need_has_one_door(name: str) -> None:
    doors = {"archives": {"plist"}, "engines": {"spark", "ray", "_pickled"}}
    assert {each.source for each in arrows() if each.target == f"_{name}"} <= doors[name]


def test_the_extension_names_modules_in_one_place() -> None:
    named = re.findall(r'"(penstock\._[\w.]+)"', MODULES.read_text("utf-8"))
    assert named
    for name in named:
        path = PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        assert path.is_file(), name
    elsewhere = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(CRATES.rglob("*.rs"))
        if path != MODULES
        for name in re.findall(r'"(penstock\._[\w.]+)"', path.read_text("utf-8"))
        if name != "penstock._rust"
    ]
    assert not elsewhere
