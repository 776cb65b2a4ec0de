"""Makes schemas of the plan of types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock._base.errors import PlanError
from penstock._json_schema import checks, remarks, scalars
from penstock._json_schema.names import legal, named
from penstock._json_schema.objects import Objects
from penstock._json_schema.tree import children, either
from penstock._json_schema.unions import Unions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock._json_schema.tree import Mode, Node, Schema, Step, Tree

# What many places share has a definition of its own if it has more nodes than that.
_LARGE = 50
# Sets of these have no two items that are written alike.
_DISTINCT = frozenset({"base64", "bool", "date", "int", "str", "uuid"})


class Renderer(Objects, Unions):
    """Makes the schema of each node of a tree, and the definitions that these refer to."""

    def __init__(self, tree: Tree, mode: Mode, ref: str) -> None:
        """Find what needs a definition, and name it."""
        self.tree, self.mode, self.ref = tree, mode, ref
        self.definitions: dict[str, Schema] = {}
        self._knots = _knots(tree)
        self._enums = _enums(tree)
        self._names = named(_wanted(tree, self._knots, self._enums))
        self._waiting: list[tuple[str, Any]] = []
        self._asked = set[tuple[str, Any]]()

    def schema(self, number: int, steps: Iterable[Step] = ()) -> Schema:
        """Return the schema of a node, with more checks of its values."""
        if number in self._knots:
            return self._reference(("node", number))
        return self.inline(number, steps)

    def inline(self, number: int, steps: Iterable[Step] = ()) -> Schema:
        """Return the schema of a node, without a definition of its own."""
        node = self.tree["nodes"][number]
        if self.mode == "encode" and not node.get("undone", True):
            reason = "nothing says how the value is written: give via(..., encode=...)"
            raise PlanError(f"{node['written']}: {reason}")
        schema = self._bare(node)
        checks.add(schema, self.tree, node, [*node.get("steps", ()), *steps], self.mode)
        if node["nullable"]:
            schema = either([schema, {"type": "null"}])
        return schema | remarks.of_words(node["words"])

    def finish(self, roots: list[Schema]) -> dict[str, int]:
        """Make the definitions that the roots need, and return how often each is referred to."""
        while self._waiting:
            what, which = self._waiting.pop()
            name = self._names[what, which]
            if what == "node":
                self.definitions[name] = self.inline(which)
            elif what == "class":
                self.definitions[name] = self.class_schema(which)
            else:
                node = self.tree["nodes"][which]
                cls = scalars.enumeration(node)
                said = remarks.of_class(cls, cls.__name__) if cls is not None else {}
                self.definitions[name] = said | scalars.choice(node, self.mode)
        names = {self._reference_to(name): name for name in self.definitions}
        uses: dict[str, int] = {}
        waiting: list[Any] = list(roots)
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                refers = part.get("$ref")
                if isinstance(refers, str) and refers in names:
                    name = names[refers]
                    uses[name] = uses.get(name, 0) + 1
                    waiting += [self.definitions[name]] if uses[name] == 1 else []
                waiting += part.values()
            elif isinstance(part, list):
                waiting += part
        # One to which only a schema referred that says nothing is not needed.
        self.definitions = {name: self.definitions[name] for name in sorted(uses)}
        return uses

    def of_class(self, number: int) -> Schema:
        """Return a reference to the definition of a class."""
        return self._reference(("class", number))

    def _reference(self, of: tuple[str, Any]) -> Schema:
        if of not in self._asked:
            self._asked.add(of)
            self._waiting.append(of)
        return {"$ref": self._reference_to(self._names[of])}

    def _reference_to(self, name: str) -> str:
        return self.ref.replace("{name}", name)

    def _bare(self, node: Node) -> Schema:
        """Return the schema of the values of a node that are not null, without its checks."""
        kind = node["kind"]
        cls = scalars.enumeration(node)
        if cls is not None:
            return self._reference(("enum", self._enums[cls]))
        scalar = scalars.scalar(self.tree, node, self.mode)
        if scalar is not None:
            return scalar
        if kind == "class":
            return self.of_class(node["class_"])
        if kind in {"list", "set"}:
            return self._list(node)
        if kind == "tuple":
            items = [self.schema(item) for item in node["items"]]
            many: Schema = {"prefixItems": items, "minItems": len(items)} if items else {}
            return {"type": "array", **many, "maxItems": len(items)}
        if kind == "dict":
            return self._dict(node)
        return self.union(node)

    def _list(self, node: Node) -> Schema:
        item = self.tree["nodes"][node["item"]]
        schema: Schema = {"type": "array"}
        items = self.schema(node["item"])
        if items:
            schema["items"] = items
        is_distinct = item["kind"] in _DISTINCT and not item.get("steps")
        if node["kind"] == "set" and self.mode == "encode" and is_distinct:
            schema["uniqueItems"] = True
        return schema

    def _dict(self, node: Node) -> Schema:
        schema: Schema = {"type": "object"}
        names = scalars.key(self.tree, self.tree["nodes"][node["key"]], self.mode)
        if names:
            schema["propertyNames"] = names
        values = self.schema(node["item"])
        if values:
            schema["additionalProperties"] = values
        return schema


def _enums(tree: Tree) -> dict[type, int]:
    """Return the first node of each `Enum`: it may stand in many places."""
    found: dict[type, int] = {}
    for number, node in enumerate(tree["nodes"]):
        cls = scalars.enumeration(node)
        if cls is not None:
            found.setdefault(cls, number)
    return found


def _wanted(
    tree: Tree, knots: set[int], enums: dict[type, int]
) -> Iterable[tuple[tuple[str, Any], str, str]]:
    for number, of in enumerate(tree["classes"]):
        cls, name = of["class_"], of["name"]
        arguments = name.removeprefix(cls.__name__)
        long = f"{cls.__module__}.{cls.__qualname__}{arguments}"
        yield ("class", number), legal(name), legal(long)
    for cls, number in enums.items():
        long = f"{cls.__module__}.{cls.__qualname__}"
        yield ("enum", number), legal(cls.__name__), legal(long)
    for number in sorted(knots):
        short = legal(tree["nodes"][number]["written"][:40])
        yield ("node", number), short, short


def _knots(tree: Tree) -> set[int]:
    """Return the nodes that need a definition: those that contain themselves, and large ones."""
    nodes = tree["nodes"]
    inside = [[] if node["kind"] == "class" else children(node) for node in nodes]
    uses = [0] * len(nodes)
    for found in inside:
        for number in found:
            uses[number] += 1
    knots, sizes, open_ = set[int](), dict[int, int](), set[int]()
    for start in range(len(nodes)):
        waiting = [(start, False)]
        while waiting:
            number, is_done = waiting.pop()
            if is_done:
                open_.discard(number)
                size = 1 + sum(1 if it in knots else sizes.get(it, 1) for it in inside[number])
                sizes[number] = size
                if size > _LARGE and uses[number] > 1:
                    knots.add(number)
            elif number in open_:
                knots.add(number)
            elif number not in sizes:
                open_.add(number)
                waiting.append((number, True))
                waiting += [(it, False) for it in inside[number]]
    return knots
