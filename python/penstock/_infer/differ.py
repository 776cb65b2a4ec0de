"""What differs between a class and the file that it is to read.

The file is read into the class, with all problems of all records, so what is said here is what a
reader would do. What was seen at the place of a problem says which type would take the values.
Which keys the class has, its plan says.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from penstock._infer import comments as _comments

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._base.errors import DecodeError
    from penstock._infer.evidence import Place

# A field as a plan shows it: its name, its type, and its path if that is another one.
_FIELD = re.compile(
    r"^    (\w+): (.*?)(?: at ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))?(?: = .*)?$"
)
_CLASS = re.compile(r"^(\w[\w.\[\], ]*?), (?:fast|called|checked|made|filled)\b.*$")
_ESCAPES = (("~4", ""), ("~3", "@"), ("~2", "*"), ("~1", "/"), ("~0", "~"))


@dataclass(slots=True)
class _Refused:
    """Values at one place that a class refuses for one reason."""

    reason: str
    place: Place | None
    line: int | None
    count: int = 0


@dataclass(slots=True)
class Differences:
    """Collects what differs, and says it."""

    record: Place
    plan: str
    """How the plan of the class is shown."""
    _refused: dict[tuple[str, str], _Refused] = field(
        default_factory=dict[tuple[str, str], _Refused]
    )

    def add(self, error: DecodeError) -> None:
        """Add the problems of a record."""
        for problem in error.problems:
            steps = (problem.path or "").split("/") if problem.path else []
            path, place = self._place(steps)
            reason = re.sub(r"\bgot .*", lambda found: _kind(found[0]), problem.reason)
            known = self._refused.get((path, reason))
            if known is None:
                known = _Refused(reason, place, problem.line)
                self._refused[path, reason] = known
            known.count += 1

    def lines(self, unknown: dict[str, int]) -> Iterator[str]:
        """Iterate over what differs. `unknown` has the keys that no field takes."""
        for (path, _), refused in self._refused.items():
            where = f"{path}: " if path else ""
            at = "" if refused.line is None else f", first in line {refused.line:,}"
            yield f"{where}{refused.reason} ({_times(refused.count)}{at})"
            if refused.place is not None and (seen := _seen(refused.place)):
                yield f"    in the file: {seen}"
        for key, count in unknown.items():
            owner, _, name = key.rpartition(".")
            yield f"{name}: {owner or 'the class'} has no field for this key ({_times(count)})"
        yield from self._absent()

    def _absent(self) -> Iterator[str]:
        """Fields whose keys are nowhere in the file."""
        classes = _classes(self.plan)
        if not classes or not self.record.bodies:
            return
        waiting = [(next(iter(classes)), [self.record])]
        entered: set[str] = set()
        for name, places in waiting:
            if name in entered:
                continue
            entered.add(name)
            for field_name, of, path in classes[name]:
                found = [end for place in places for end in _at(place, path, field_name)]
                if not found and _is_plain(path):
                    yield f"{path}: the field {field_name} of {name} is nowhere in the file"
                waiting += [
                    (inner, [at for end in found for at in _objects(end)])
                    for inner in classes
                    if found and re.search(rf"\b{re.escape(inner)}\b", of)
                ]

    def _place(self, steps: list[str]) -> tuple[str, Place | None]:
        """The path in the record with `*` for positions and keys that are data, and what is there.

        The path of a problem begins at the root of the document, and nobody knows how deep the
        record is. So the longest path that was seen in records is the one.
        """
        for start in range(len(steps)):
            path, place = _walk(self.record, steps[start:])
            if place is not None:
                return path, place
        return "/".join(steps), None


def _walk(place: Place, steps: list[str]) -> tuple[str, Place | None]:
    shown: list[str] = []
    for step in steps:
        if step.isdigit() and place.item is not None:
            found = [place.item]
        else:
            found = [end for end in _children(place) if end.step == "any" or end.at == step]
        if not found:
            return "", None
        place = found[0]
        shown.append("*" if place.step in {"any", "item"} else step)
    return "/".join(shown), place


def _classes(plan: str) -> dict[str, list[tuple[str, str, str]]]:
    """The classes of a plan, each with names, types and paths of its fields."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    fields: list[tuple[str, str, str]] = []
    for line in plan.split("\n")[1:]:
        if known := _FIELD.match(line):
            name, of, path = known.groups()
            fields.append((name, of, name if path is None else ast.literal_eval(path)))
        elif known := _CLASS.match(line):
            fields = found.setdefault(known[1], [])
    return found


def _is_plain(path: str) -> bool:
    """Whether a path leads to one value by names alone."""
    return not path.startswith(("//", ".")) and not path.endswith(")") and "*" not in path


def _at(place: Place, path: str, name: str) -> list[Place]:
    """What is at a path below objects; below elements, also the attribute of a name."""
    places = [place]
    for step in path.split("/"):
        wanted = {step, f"@{step}"} if path == name else {step}
        places = [end for place in places for end in _children(place) if _name(end) in wanted]
    return places


def _name(place: Place) -> str:
    return "*" if place.step == "any" else place.at


def _children(place: Place) -> list[Place]:
    return [end for body in place.bodies.values() for end in body.places.values()]


def _objects(place: Place) -> list[Place]:
    """A place and what is in its arrays and dicts: one of them has the objects of a class."""
    found = [place]
    for end in found:
        if end.item is not None:
            found.append(end.item)
        found += [body.values() for body in end.bodies.values() if body.keys is not None]
    return found


def _kind(got: str) -> str:
    """What a value is, without the value."""
    return re.sub(r'^got (the (integer|number) .*|".*)$', _word, got, flags=re.DOTALL)


def _word(found: re.Match[str]) -> str:
    if found[2] is None:
        return "got other text"
    return "got an integer" if found[2] == "integer" else "got a number"


def _seen(place: Place) -> str:
    from penstock._infer import types as _types  # noqa: PLC0415 - only if something differs

    return _comments.of(place, _types.ANY, place.present, place.present)


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count:,} times"
