"""Schemas of classes: objects, and arrays of the values of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock._base.errors import PlanError
from penstock._json_schema import checks, paths, remarks, values
from penstock._json_schema.base import Base
from penstock._json_schema.tree import either

if TYPE_CHECKING:
    from penstock._json_schema.paths import Needs
    from penstock._json_schema.tree import Class, Schema, Target

# Beyond this index, an array on the way to a field is left open.
_LAST_INDEX = 63


class Objects(Base):
    """The part of the renderer for classes."""

    def class_schema(self, number: int) -> Schema:
        """Return the schema of the objects of a class."""
        of = self.tree["classes"][number]
        if self._are_rows(of):
            body = self._rows(of)
            if self.mode == "decode" and not of["only_rows"]:
                body = either([self._object(of), body])
        else:
            body = self._object(of)
        return self._titled(of, body)

    def keyed_schema(self, number: int) -> Schema:
        """Return the schema of the objects of a class that are no arrays."""
        of = self.tree["classes"][number]
        return self._titled(of, self._object(of))

    def has_both(self, number: int) -> bool:
        """Return whether objects of a class may be arrays, and objects in a union."""
        of = self.tree["classes"][number]
        return of["rows"] and not of["only_rows"]

    @staticmethod
    def _titled(of: Class, body: Schema) -> Schema:
        said = remarks.of_class(of["class_"], of["name"])
        # The title comes first, and what a user says of a class comes before what is known of it.
        return said | body | said

    def _are_rows(self, of: Class) -> bool:
        if self.mode == "decode":
            return of["rows"]
        written = of["written"]
        if "refused" in written:
            raise PlanError(f"{of['name']} cannot be written: {written['refused']}")
        return written["rows"]

    def _rows(self, of: Class) -> Schema:
        """Return the schema of an array of the values of all fields."""
        items = [self._property(of, number, number) for number in range(len(of["fields"]))]
        count = len(items)
        least = count
        while self.mode == "decode" and least and not of["fields"][least - 1]["required"]:
            least -= 1
        schema: Schema = {"type": "array", "prefixItems": items, "minItems": least}
        # A Struct of msgspec takes longer arrays, unless it says otherwise.
        if self.mode == "encode" or not of["only_rows"] or of["forbids"]:
            schema["maxItems"] = count
        return schema

    def _object(self, of: Class) -> Schema:
        schema = self._written(of) if self.mode == "encode" else self._read(of)
        return {"type": "object", **schema}

    # What is read.

    def _read(self, of: Class) -> Schema:
        known = paths.paths(of)
        needs, conditions = paths.must_have(known, _groups(of))
        schema = self._state(of, 0, needs, ())
        schema |= paths.required(needs) | paths.together(self.tree, of, known)
        if len(conditions) == 1:
            schema |= conditions[0]
        elif conditions:
            schema["allOf"] = conditions
        return schema

    def _state(self, of: Class, number: int, needs: Needs, seen: tuple[int, ...]) -> Schema:
        """Return the keywords for the keys, and the indexes, of a value on the way to fields."""
        state = of["states"][number]
        seen = (*seen, number)
        properties: dict[str, Schema] = {}
        items: dict[int, Schema] = {}
        other = {} if state["other"] is None else self._target(of, state["other"], {}, seen)
        for name, to in state["keys"]:
            properties[name] = self._target(of, to, needs.get(("key", name), {}), seen)
        for index, to in state["indexes"]:
            items[index] = self._target(of, to, needs.get(("index", index), {}), seen)
            properties[str(index)] = items[index]
        schema: Schema = {"properties": properties} if properties else {}
        if other:
            schema["additionalProperties"] = other
        elif of["forbids"] and state["other"] is None:
            schema["additionalProperties"] = False
        if number and properties and not items and state["other"] is None and not needs:
            # An array is no place of keys, and any other value is skipped.
            schema["not"] = {"type": "array"}
        if number and all(index <= _LAST_INDEX for index in items):
            if items:
                first = range(max(items) + 1)
                schema["prefixItems"] = [items.get(index, other) for index in first]
            if other:
                schema["items"] = other
        return schema

    def _target(self, of: Class, to: Target, needs: Needs, seen: tuple[int, ...]) -> Schema:
        what, number = to
        if what == "aim":
            field, _, gathers = of["aims"][number]
            return self._gathered(of, number) if gathers else self._property(of, field, number)
        # A path with `//` comes back to where it was.
        if number in seen:
            return {}
        inner = self._state(of, number, needs, seen)
        # A value of another kind leads to no field, and is skipped if none is required.
        return paths.needed(needs) | inner

    def _gathered(self, of: Class, aim: int) -> Schema:
        """Return the schema of one of the values of a field, or of a list of them."""
        field, node, _ = of["aims"][aim]
        item = self.schema(node)
        kinds = [self.tree["nodes"][it]["kind"] for it in (of["fields"][field]["node"], node)]
        # Of an array, a list of anything but arrays takes the elements, however deep they are.
        takes_elements = kinds[0] in {"list", "set"} and kinds[1] not in {"list", "set", "tuple"}
        if not item or not takes_elements:
            schema = item
        else:
            deeper = either([item, {"type": "array"}])
            schema = either([item, {"type": "array", "items": deeper}])
        cls, attribute = self._owner(of, field)
        return schema | remarks.of_field(cls, attribute)

    # What is written.

    def _written(self, of: Class) -> Schema:
        outer: Schema = {}
        frames: list[tuple[str, Schema, list[str]]] = []
        properties: Schema = outer
        required: list[str] = []
        for what, key, field, may_lack in of["written"]["steps"]:
            if what == "open":
                frames.append((key, properties, required))
                properties, required = {}, []
            elif what == "close":
                inner: Schema = {"type": "object", **_members(of, properties, required)}
                has_some = bool(required)
                name, properties, required = frames.pop()
                properties[name] = inner
                required += [name] if has_some else []
            elif what == "field" and field is not None:
                properties[key] = self._property(of, field, None)
                required += [] if may_lack else [key]
        return _members(of, properties, required)

    # Both.

    def _property(self, of: Class, field: int, aim: int | None) -> Schema:
        """Return the schema of the value of a field, of what an aim takes or of the whole."""
        said = of["fields"][field]
        cls, attribute = self._owner(of, field)
        node = said["node"] if aim is None else of["aims"][aim][1]
        steps: list[Any] = []
        info = getattr(cls, "__pydantic_fields__", {}).get(attribute)
        if info is not None:
            config = getattr(cls, "model_config", None) or {}
            steps = checks.of_pydantic(info, config, self.mode)
        schema = self.schema(node, steps)
        return schema | remarks.of_field(cls, attribute) | values.default(self.tree, said)

    def _owner(self, of: Class, field: int) -> tuple[type, str]:
        """Return the class that has a field, and the attribute: that of a part, if it is of one."""
        while field >= of["own"]:
            _, number, first = max(
                (part for part in of["parts"] if part[2] <= field), key=lambda part: part[2]
            )
            of, field = self.tree["classes"][number], field - first
        return of["class_"], of["fields"][field]["attribute"]


def _members(of: Class, properties: Schema, required: list[str]) -> Schema:
    schema: Schema = {"properties": properties} if properties else {}
    if of["forbids"]:
        schema["additionalProperties"] = False
    return schema | ({"required": required} if required else {})


def _groups(of: Class) -> list[list[int]]:
    """Return the fields of each group of which one must have a value."""
    groups = [[number] for number, field in enumerate(of["fields"]) if field["required"]]
    # A field of pydantic may have several names.
    by_attribute: dict[str, list[int]] = {}
    for number, field in enumerate(of["fields"][: of["own"]]):
        by_attribute.setdefault(field["attribute"], []).append(number)
    infos: dict[str, Any] = getattr(of["class_"], "__pydantic_fields__", {})
    for attribute, several in by_attribute.items():
        info = infos.get(attribute)
        if len(several) > 1 and info is not None and info.is_required():
            groups.append(several)
    return groups
