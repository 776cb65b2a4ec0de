"""Finds functions of pydantic that write values. Penstock writes a class without them.

The extension imports this when it first writes an object of a class that pydantic knows.
"""

from __future__ import annotations

import sys
from typing import Any

# The most parts of a schema that are looked at.
_MOST_PARTS = 10_000
_DECORATED = ("FieldSerializerDecoratorInfo", "ModelSerializerDecoratorInfo")
_FUNCTIONS = ("function-plain", "function-wrap")
_CLASSES = ("model", "dataclass", "typed-dict")


def own(cls: type) -> str | None:
    """Return why objects of a class are not written as pydantic writes them, if so."""
    config = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None)
    if isinstance(config, dict) and config.get("json_encoders"):
        return "json_encoders"
    for base in cls.__mro__:
        for value in vars(base).values():
            if type(value).__name__ == "PydanticDescriptorProxy":
                info = getattr(value, "decorator_info", None)
                if type(info).__name__ in _DECORATED:
                    return "serializers of its own"
    schema = vars(cls).get("__pydantic_core_schema__")
    return _in_schema(schema) if isinstance(schema, dict) else None


def of_type(annotation: Any) -> str | None:
    """Return the same of a type that only pydantic can make."""
    pydantic: Any = sys.modules["pydantic"]
    return _in_schema(pydantic.TypeAdapter(annotation).core_schema)


def _in_schema(schema: Any) -> str | None:
    open_parts = [(schema, True)]
    seen: set[int] = set()
    while open_parts and len(seen) < _MOST_PARTS:
        part, is_own = open_parts.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (list, tuple)):
            open_parts += [(inner, False) for inner in part]
            continue
        if not isinstance(part, dict):
            continue
        # A class inside says for itself how it is written.
        if part.get("type") in _CLASSES and not is_own:
            continue
        if part.get("type") == "json":
            return "a field of Json, whose text would be lost"
        found = _function(part.get("serialization"))
        if found is not None:
            return found
        is_outside = part.get("type") in (
            *_CLASSES,
            "definitions",
            "model-fields",
            "dataclass-args",
        )
        for name, inner in part.items():
            if name not in ("metadata", "serialization", "cls", "config"):
                open_parts.append((inner, is_own and not is_outside and name == "schema"))
    return None


def _function(serialization: Any) -> str | None:
    if not isinstance(serialization, dict) or serialization.get("type") not in _FUNCTIONS:
        return None
    function = serialization.get("function")
    owner = type(getattr(function, "__self__", None)).__name__
    if owner in ("EncodedStr", "EncodedBytes"):
        return "a field of encoded text, which it holds decoded"
    if "secret" in getattr(function, "__qualname__", "").lower():
        return "a secret, of which it writes stars"
    module = getattr(function, "__module__", None) or ""
    return None if module.partition(".")[0] == "pydantic" else "serializers of its own"
