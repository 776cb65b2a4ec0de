"""The classes that a JSON Schema describes: of draft 7, of 2020-12, or in a document of OpenAPI."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from penstock._base.errors import _printable
from penstock._infer import layout as _layout
from penstock._infer import names as _names
from penstock._infer import types as _types

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._infer.types import Class, Field, Made, Type

_FORMATS = {
    "date": _types.DATE,
    "date-time": _types.DATETIME,
    "time": _types.TIME,
    "duration": _types.DURATION,
    "uuid": _types.UUID,
    "byte": _types.BYTES,
    "decimal": _types.DECIMAL,
}
_TYPES = {
    "string": _types.STR,
    "integer": _types.INT,
    "number": _types.FLOAT,
    "boolean": _types.BOOL,
    "null": _types.NONE,
}
# What constraints are called in annotations, and of which types they are.
_NUMBERS = {
    "minimum": "Ge",
    "exclusiveMinimum": "Gt",
    "maximum": "Le",
    "exclusiveMaximum": "Lt",
    "multipleOf": "MultipleOf",
}
_TEXTS = {"minLength": "MinLen", "maxLength": "MaxLen"}
_ARRAYS = {"minItems": "MinLen", "maxItems": "MaxLen"}
# Where a schema keeps those that it refers to.
_DEFINITIONS = (("components", "schemas"), ("$defs",), ("definitions",))
# Keywords of which one makes a schema say something.
_SAYS = frozenset({
    *("type", "properties", "$ref", "allOf", "anyOf", "oneOf", "enum", "const", "items"),
    *("prefixItems", "additionalProperties", "patternProperties", "format"),
})  # fmt: skip
# A tuple with more parts is a list.
_TUPLE = 8
# Schemas inside of each other, or that refer to each other. What is written recurses.
_DEEPEST = 100


class Described:
    """The type that a schema describes, and the classes that it needs.

    If the document has definitions only, the type is the one of them that has the name, or all.
    """

    def __init__(self, document: Any, name: str) -> None:
        self.classes: list[Made] = []
        self._document = document
        self._known: dict[str, Type | None] = {}
        self._depth = 0
        self.is_alias = True
        if not isinstance(document, dict):
            raise ValueError("a JSON Schema is an object")  # noqa: TRY004 - it is data
        if _SAYS & document.keys():
            self.type = self._type(document, _word(document, "title", name))
            return
        found = {
            key: "/".join(("#", *path, _escaped(key)))
            for path in _DEFINITIONS
            for key in _inside(document, path)
        }
        if not found:
            raise ValueError("this is no JSON Schema: it has no type, and no definitions")
        wanted = {name: found[name]} if name in found else found
        self.is_alias = False
        # It only leads to the classes.
        self.type = _types.Generic("tuple", tuple(map(self._referred, wanted.values())))

    def _referred(self, path: str) -> Type:
        """The type at a reference."""
        if path in self._known:
            # A type that needs itself, and is no class, is anything.
            return self._known[path] or _types.ANY
        self._known[path] = None
        self._known[path] = of = self._type(self._at(path), _name(path), path)
        return of

    def _at(self, path: str) -> Any:
        """The schema at a reference.

        Raises:
            ValueError: It is in another document, or there is none.
        """
        if not path.startswith("#"):
            raise ValueError(f"the reference {path!r} leads to another document")
        found = self._document
        for step in path[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key)] if isinstance(found, list) else found[key]
            except (KeyError, IndexError, TypeError, ValueError):
                raise ValueError(f"the reference {path!r} leads nowhere") from None
        return found

    def _type(self, schema: Any, name: str, path: str | None = None) -> Type:
        """The type of a schema."""
        if not isinstance(schema, dict):
            return _types.ANY
        with self._deeper():
            members = self._members(schema, name, path)
        if schema.get("nullable") is True:
            members.append(_types.NONE)
        return self._told(members) if members else _types.ANY

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        """Be in a schema inside of another.

        Raises:
            ValueError: There are too many around it.
        """
        if self._depth == _DEEPEST:
            raise ValueError(f"the schemas are nested more than {_DEEPEST} deep")
        self._depth += 1
        yield
        self._depth -= 1

    def _members(self, schema: dict[str, Any], name: str, path: str | None) -> list[Type]:
        if "$ref" in schema:
            return [self._referred(_word(schema, "$ref"))]
        if "const" in schema or "enum" in schema:
            return _values([schema["const"]] if "const" in schema else _list(schema, "enum"))
        for word in ("oneOf", "anyOf"):
            if word in schema and "properties" not in schema:
                found = enumerate(_list(schema, word), 1)
                return [self._type(of, f"{name} {number}") for number, of in found]
        if "allOf" in schema:
            merged = self._merged(schema)
            if merged is not None:
                return [self._object(merged, name, path)]
            parts = _list(schema, "allOf")
            return [self._type(parts[0], name)] if parts else []
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds] if kinds else _implied(schema)
        if not all(isinstance(kind, str) for kind in kinds):
            raise _wrong("type", schema["type"])
        return [self._of_kind(kind, schema, name, path) for kind in kinds]

    def _of_kind(self, kind: str, schema: dict[str, Any], name: str, path: str | None) -> Type:
        if kind == "object":
            return self._object(schema, name, path)
        if kind == "array":
            return _marked(self._array(schema, name), schema, _ARRAYS)
        of = _TYPES.get(kind, _types.ANY)
        if kind == "string":
            if schema.get("contentEncoding") == "base64":
                return _types.BYTES
            of = _FORMATS.get(_word(schema, "format"), of)
            return _marked(of, schema, _TEXTS) if of == _types.STR else of
        return _marked(of, schema, _NUMBERS) if kind in {"integer", "number"} else of

    def _array(self, schema: dict[str, Any], name: str) -> Type:
        items = schema.get("items")
        first = items if isinstance(items, list) else schema.get("prefixItems")
        rest = schema.get("additionalItems") if isinstance(items, list) else items
        item = _names.singular(name)
        if first and rest is False and len(first) <= _TUPLE:
            return _types.Generic("tuple", tuple(self._type(part, item) for part in first))
        if first:
            return _types.Generic("list", (_types.ANY,))
        return _types.Generic("list", (self._type(rest, item),))

    def _object(self, schema: dict[str, Any], name: str, path: str | None) -> Type:
        properties = _dict(schema, "properties")
        if not properties or not all(map(_names.has_path, properties)):
            values = schema.get("additionalProperties")
            patterns = _dict(schema, "patternProperties")
            if not isinstance(values, dict) and len(patterns) == 1:
                (values,) = patterns.values()
            of = self._type(values, _names.singular(name)) if not properties else _types.ANY
            return _types.Generic("dict", (_types.STR, of))
        made = _types.Made(wanted=name, title="", doc=_line(schema.get("description")))
        of = _types.Class(len(self.classes))
        self.classes.append(made)
        if path is not None:
            self._known[path] = of
        required = {key for key in _list(schema, "required") if isinstance(key, str)}
        made.fields = [
            self._field(key, inside, key in required) for key, inside in properties.items()
        ]
        return of

    def _field(self, key: str, schema: Any, is_required: bool) -> Field:
        at = key.replace("~", "~0").replace("/", "~1").replace("*", "~2").replace("@", "~3")
        of = self._type(schema, _word(schema, "title", key) if isinstance(schema, dict) else key)
        field = _types.Field(key, "member", at or "~4", of, not is_required)
        if isinstance(schema, dict):
            field.comment = _line(schema.get("description"))
            field.default = None if is_required else _default(schema, of)
        if not is_required and field.default is None:
            bare = of.type if isinstance(of, _types.Marked) else of
            if isinstance(bare, _types.Generic) and bare.name in {"list", "dict"}:
                # With a least length, an absent one is none that is empty.
                field.empty = bare.name if bare is of else None
        return field

    def _merged(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        """One schema of objects for `allOf`; None if these are no objects."""
        with self._deeper():
            return self._joined(schema)

    def _joined(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        merged: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        others = {word: inside for word, inside in schema.items() if word != "allOf"}
        for part in [*_list(schema, "allOf"), others]:
            of = part
            for _ in range(100):
                if not isinstance(of, dict) or "$ref" not in of:
                    break
                of = self._at(_word(of, "$ref"))
            if isinstance(of, dict) and "allOf" in of:
                of = self._merged(of)
            if not isinstance(of, dict):
                return None
            if of.get("type", "object") != "object" or ("enum" in of or "const" in of):
                return None
            merged["properties"] |= _dict(of, "properties")
            merged["required"] += _list(of, "required")
            for word in ("description", "additionalProperties"):
                if word in of:
                    merged[word] = of[word]
        return merged

    def _told(self, members: list[Type]) -> Type:
        """The union of some types; classes that nothing tells apart are dicts."""
        of = _types.union(members)
        if not isinstance(of, _types.Union):
            return of
        classes = [part for part in of.members if isinstance(part, _types.Class)]
        if len(classes) < 2 or self._is_told(classes):
            return of
        others = [part for part in of.members if not isinstance(part, _types.Class)]
        return _types.union([_types.Generic("dict", (_types.STR, _types.ANY)), *others])

    def _is_told(self, classes: list[Class]) -> bool:
        """Whether the values of one key tell classes apart."""
        tags = [
            {
                field.key: field.type.values
                for field in self.classes[of.number].fields
                if isinstance(field.type, _types.Literal) and not field.is_absent
            }
            for of in classes
        ]
        for key in set.intersection(*(set(tag) for tag in tags)):
            values = [value for tag in tags for value in tag[key]]
            if len(set(values)) == len(values):
                return True
        return False


def _inside(document: Any, path: tuple[str, ...]) -> dict[str, Any]:
    found = document
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _implied(schema: dict[str, Any]) -> list[str]:
    """The kinds of a schema that says none, by its other words."""
    if schema.keys() & {"properties", "additionalProperties", "patternProperties"}:
        return ["object"]
    if schema.keys() & {"items", "prefixItems"}:
        return ["array"]
    return ["string"] if _word(schema, "format") in _FORMATS else []


def _values(values: list[Any]) -> list[Type]:
    """The types of some values: those themselves, if annotations have them."""
    scalars = [value for value in values if value is None or isinstance(value, (str, int))]
    if len(scalars) != len(values):
        return [_types.ANY]
    some = tuple(value for value in scalars if value is not None)
    found: list[Type] = [_types.Literal(some)] if some else []
    return [*found, _types.NONE] if None in values else found


def _marked(of: Type, schema: dict[str, Any], words: dict[str, str]) -> Type:
    """A type with the constraints of a schema."""
    calls = [
        f"{call}({schema[word]!r})"
        for word, call in words.items()
        if isinstance(schema.get(word), (int, float)) and not isinstance(schema[word], bool)
    ]
    if words is _TEXTS and isinstance(schema.get("pattern"), str):
        calls.append(f"pattern({_layout.string(schema['pattern'])})")
    return _types.Marked(of, tuple(calls)) if calls else of


def _default(schema: dict[str, Any], of: Type) -> str | None:
    """The default of a field as Python writes it, if it is of the type."""
    value = schema.get("default")
    bare = of.type if isinstance(of, _types.Marked) else of
    kinds = {_types.STR: str, _types.INT: int, _types.FLOAT: float, _types.BOOL: bool}
    if isinstance(bare, _types.Literal):
        return _written(value) if value in bare.values and value is not None else None
    if isinstance(bare, _types.Name) and type(value) is kinds.get(bare):
        return _written(value)
    return None


def _written(value: object) -> str:
    return _layout.string(value) if isinstance(value, str) else repr(value)


def _line(description: object) -> str:
    """A description in one line."""
    return _printable(" ".join(description.split())) if isinstance(description, str) else ""


def _word(schema: dict[str, Any], word: str, otherwise: str = "") -> str:
    """The text of a keyword."""
    found = schema.get(word, otherwise)
    if not isinstance(found, str):
        raise _wrong(word, found)
    return found


def _list(schema: dict[str, Any], word: str) -> list[Any]:
    """The list of a keyword; without it, an empty one."""
    found = schema.get(word, [])
    if not isinstance(found, list):
        raise _wrong(word, found)
    return found


def _dict(schema: dict[str, Any], word: str) -> dict[str, Any]:
    """The object of a keyword; without it, an empty one."""
    found = schema.get(word, {})
    if not isinstance(found, dict):
        raise _wrong(word, found)
    return found


def _wrong(word: str, found: object) -> ValueError:
    return ValueError(f"this is no JSON Schema: {word!r} is {found!r:.80}")


def _name(path: str) -> str:
    return path.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
