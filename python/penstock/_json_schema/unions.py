"""Schemas of unions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock._json_schema import scalars
from penstock._json_schema.base import Base
from penstock._json_schema.tree import either

if TYPE_CHECKING:
    from penstock._json_schema.tree import Node, Schema


class Unions(Base):
    """The part of the renderer for unions."""

    def keyed_schema(self, number: int) -> Schema:
        """Return the schema of the objects of a class that are no arrays."""
        raise NotImplementedError

    def has_both(self, number: int) -> bool:
        """Return whether objects of a class may be arrays, and objects in a union."""
        raise NotImplementedError

    def union(self, node: Node) -> Schema:
        """Return the schema of a union."""
        kind = node["kind"]
        if kind == "tokens":
            return self._by_kind(node)
        if kind == "tagged":
            return self._tagged(node)
        if kind == "keyed":
            return self._keyed(node)
        return either([self.schema(member) for _, member in node["members"]])

    def _by_kind(self, node: Node) -> Schema:
        """Return the schema of a union of which the kind of the value selects the member."""
        nodes, kinds = self.tree["nodes"], node["kinds"]
        schemas = []
        # None is behind the others, as people write it.
        for member in sorted(node["members"], key=lambda member: nodes[member]["kind"] == "none"):
            of = nodes[member]
            if of["kind"] == "any" and not of.get("steps"):
                # It has what no other member takes.
                taken = [kind for kind, by in kinds.items() if by == member]
                if "number" in taken and "integer" in taken:
                    taken.remove("integer")
                schemas.append({"type": taken[0] if len(taken) == 1 else taken})
            elif member == kinds["array"]:
                schemas.append(self.schema(member))
            else:
                # Where arrays are another member, a named tuple is an object.
                schemas.append(self._member(member))
        return either(schemas)

    def _tagged(self, node: Node) -> Schema:
        """Return the schema of classes that the value of a key tells apart."""
        tag, nodes = node["tag"], self.tree["nodes"]
        values: dict[int, list[Any]] = {}
        for value, member in node["members"]:
            values.setdefault(member, []).append(value)
        members = {member: self._member(member, tag) for member in values}
        references = [schema for schema in members.values() if "$ref" in schema]
        schema: Schema = {}
        if all(self._says(nodes[member]["class_"], tag, said) for member, said in values.items()):
            schema["oneOf"] = list(members.values())
        else:
            schema["anyOf"] = list(members.values())
            schema["properties"] = {tag: scalars.of_values([it for it, _ in node["members"]])}
            schema["allOf"] = [
                {"if": {"properties": {tag: scalars.of_values(said)}}, "then": members[member]}
                for member, said in values.items()
            ]
        schema["required"] = [tag]
        if len(references) == len(members):
            mapping = {str(value): members[member]["$ref"] for value, member in node["members"]}
            schema["discriminator"] = {"propertyName": tag, "mapping": mapping}
        if node["other"] is None:
            return schema
        known = scalars.of_values([it for it, _ in node["members"]])
        told = {"properties": {tag: known}, "required": [tag]}
        return either([schema, self._other(node["other"], told)])

    def _keyed(self, node: Node) -> Schema:
        """Return the schema of classes that their own keys tell apart."""
        members = list(dict.fromkeys(member for _, member in node["members"]))
        schemas = [self._member(member) for member in members]
        if node["other"] is not None:
            told = {"anyOf": [{"required": [key]} for key, _ in node["members"]]}
            schemas.append(self._other(node["other"], told))
        return {"anyOf": schemas} if len(schemas) > 1 else schemas[0]

    def _other(self, other: int, told: Schema) -> Schema:
        """Return the schema of an object that is not told to be of one of the classes."""
        schema = self._member(other)
        if schema.keys() <= {"type", "additionalProperties", "propertyNames"}:
            return {"type": "object", **schema, "not": told}
        return {"type": "object", "allOf": [schema], "not": told}

    def _member(self, member: int, tag: str | None = None) -> Schema:
        """Return the schema of a member of a union as an object, which may have a tag."""
        number = self.tree["nodes"][member].get("class_")
        if number is None:
            return self.schema(member)
        of = self.tree["classes"][number]
        knows_tag = tag is None or any(name == tag for name, _ in of["states"][0]["keys"])
        if self.has_both(number):
            schema = self.keyed_schema(number)
        elif not of["forbids"] or knows_tag:
            return self.schema(member)
        else:
            schema = self.keyed_schema(number)
        if not knows_tag and schema.get("additionalProperties") is False:
            schema["properties"] = {**schema.get("properties", {}), tag: {}}
        return schema

    def _says(self, number: int, tag: str, values: list[Any]) -> bool:
        """Return whether the field of a class for the tag has these values and no others."""
        of = self.tree["classes"][number]
        for name, (what, aim) in of["states"][0]["keys"]:
            if name == tag and what == "aim":
                node = self.tree["nodes"][of["aims"][aim][1]]
                is_closed = node["kind"] == "choice" and not node["open"] and not node["nullable"]
                said = [value for value, _ in node.get("values", ())]
                return is_closed and sorted(map(repr, said)) == sorted(map(repr, values))
        return False
