"""Where the values of the fields of a class stand, and which of them must be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from penstock._json_schema.tree import Class, Schema, Target, Tree

# A key of an object, or an index of an array, which is also a key of an object.
PathStep: TypeAlias = tuple[Literal["key", "index"], Any]
Path: TypeAlias = tuple[PathStep, ...]
# What an object must have: steps, each with what must be there behind it.
Needs: TypeAlias = dict[PathStep, "Needs"]


def paths(of: Class) -> dict[int, list[Path]]:
    """Return the paths to each field, without the fields to which a `*` leads."""
    found: dict[int, list[Path]] = {}
    vague = set[int]()
    waiting: list[tuple[int, Path, frozenset[int]]] = [(0, (), frozenset())]
    while waiting:
        number, path, seen = waiting.pop()
        state = of["states"][number]
        # An index is also a key.
        indexes = {str(index) for index, _ in state["indexes"]}
        steps: list[tuple[PathStep, Target]] = [
            (("key", name), to) for name, to in state["keys"] if name not in indexes
        ]
        steps += [(("index", index), to) for index, to in state["indexes"]]
        if state["other"] is not None:
            vague |= _reached(of, state["other"])
        for step, (what, to) in steps:
            if what == "aim":
                found.setdefault(of["aims"][to][0], []).append((*path, step))
            elif to in seen or to == number:
                vague |= _reached(of, (what, to))
            else:
                waiting.append((to, (*path, step), seen | {number}))
    return {field: several for field, several in found.items() if field not in vague}


def _reached(of: Class, target: Target) -> set[int]:
    """Return the fields that can be reached from there."""
    fields, seen, waiting = set[int](), set[int](), [target]
    while waiting:
        what, to = waiting.pop()
        if what == "aim":
            fields.add(of["aims"][to][0])
        elif to not in seen:
            seen.add(to)
            state = of["states"][to]
            waiting += [target for _, target in state["keys"]]
            waiting += [target for _, target in state["indexes"]]
            waiting += [] if state["other"] is None else [state["other"]]
    return fields


def must_have(known: dict[int, list[Path]], groups: list[list[int]]) -> tuple[Needs, list[Schema]]:
    """Return what an object must have, if it must have a value for a field of each group.

    The first part is what has one path each, and the second one are conditions for the others.
    """
    needs: Needs = {}
    conditions: list[Schema] = []
    for group in groups:
        if not all(field in known for field in group):
            continue
        several = [path for field in group for path in known[field]]
        if len(several) == 1:
            _add(needs, several[0])
        elif several:
            conditions.append({"anyOf": [_condition(path) for path in several]})
    return needs, conditions


def _add(needs: Needs, path: Path) -> None:
    for step in path:
        needs = needs.setdefault(step, {})


def _condition(path: Path) -> Schema:
    needs: Needs = {}
    _add(needs, path)
    return required(needs) | _inside(needs)


def _inside(needs: Needs) -> Schema:
    inner = {str(name): needed(after) | _inside(after) for (_, name), after in needs.items()}
    return {"properties": inner} if any(inner.values()) else {}


def required(needs: Needs) -> Schema:
    """Return the keywords by which an object has these keys."""
    return {"required": [str(name) for _, name in needs]} if needs else {}


def needed(needs: Needs) -> Schema:
    """Return the keywords by which a value on the way has these keys, or these indexes."""
    indexes = [name for what, name in needs if what == "index"]
    if not needs:
        return {}
    if len(indexes) < len(needs):
        return {"type": "object", **required(needs)}
    return {"type": ["object", "array"], **required(needs), "minItems": max(indexes) + 1}


def together(tree: Tree, of: Class, known: dict[int, list[Path]]) -> Schema:
    """Return the keywords by which a part that may be absent is there as a whole or not at all."""
    dependent: dict[str, list[str]] = {}

    def key(field: int) -> str | None:
        match known.get(field):
            case [(("key", name),)]:
                return str(name)
        return None

    waiting = [(of, 0)]
    while waiting:
        around, first = waiting.pop()
        for field, number, offset in around["parts"]:
            inner, begin = tree["classes"][number], first + offset
            waiting.append((inner, begin))
            if around["fields"][field]["required"]:
                continue
            keys = [key(it) for it in range(begin, begin + len(inner["fields"]))]
            musts = [name for it in _required_of(tree, inner, begin) if (name := key(it))]
            for name in filter(None, keys):
                others = [must for must in musts if must != name]
                if others:
                    dependent.setdefault(name, []).extend(others)
    return {"dependentRequired": dependent} if dependent else {}


def _required_of(tree: Tree, of: Class, first: int) -> list[int]:
    """Return the fields that an object of a part must have."""
    parts = {field: (number, offset) for field, number, offset in of["parts"]}
    found: list[int] = []
    for number, field in enumerate(of["fields"][: of["own"]]):
        if field["required"] and number in parts:
            inner, offset = parts[number]
            found += _required_of(tree, tree["classes"][inner], first + offset)
        elif field["required"]:
            found.append(first + number)
    return found
