"""What people say of types and fields: titles, descriptions, examples."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from penstock._json_schema.values import Untold, told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock._json_schema.tree import Schema

_SAID = ("title", "description", "examples", "deprecated")


def of_words(words: Iterable[Any]) -> Schema:
    """Return what the words beside a type say: `Doc`, `msgspec.Meta` and pydantic's `Field`."""
    found: Schema = {}
    for word in words:
        found |= _of_word(word)
    return found


def _of_word(word: Any) -> Schema:
    cls = type(word)
    # PEP 727 has it in `typing_extensions`; others have one of their own.
    documentation = getattr(word, "documentation", None)
    if cls.__name__ in {"Doc", "DocInfo"} and isinstance(documentation, str):
        return {"description": inspect.cleandoc(documentation)}
    package = cls.__module__.partition(".")[0]
    if package == "msgspec" and cls.__name__ == "Meta":
        return of_attributes(word) | _of_dict(word.extra_json_schema)
    if package == "pydantic" and any(base.__name__ == "FieldInfo" for base in cls.__mro__):
        return of_attributes(word) | _of_dict(word.json_schema_extra)
    return {}


def of_attributes(word: Any) -> Schema:
    """Return what the attributes of an object say, as those of pydantic and msgspec have them."""
    found: Schema = {}
    for name in _SAID:
        said = getattr(word, name, None)
        if name == "examples" and said is not None:
            found |= _examples(said)
        elif name == "deprecated" and said:
            found[name] = True
        elif isinstance(said, str):
            found[name] = inspect.cleandoc(said) if name == "description" else said
    return found


def _examples(values: Iterable[Any]) -> Schema:
    found = []
    for value in values:
        try:
            found.append(told(value))
        except Untold:
            continue
    return {"examples": found} if found else {}


def _of_dict(said: Any) -> Schema:
    """Return keywords that the user gives: they say what Penstock does not know of a type."""
    if not isinstance(said, dict):
        return {}
    try:
        made: Schema = told(said)
    except Untold:
        return {}
    return made


def of_class(cls: type, name: str) -> Schema:
    """Return the title and the description of a class."""
    found: Schema = {"title": name}
    text = docstring(cls)
    if text:
        found["description"] = text
    config = getattr(cls, "model_config", None)
    if isinstance(config, dict) and hasattr(cls, "__pydantic_fields__"):
        if isinstance(config.get("title"), str):
            found["title"] = config["title"]
        found |= _of_dict(config.get("json_schema_extra"))
    return found


def docstring(cls: type) -> str | None:
    """Return the docstring that somebody wrote for this class, and for no base of it."""
    text = cls.__dict__.get("__doc__")
    if not isinstance(text, str) or not text.strip():
        return None
    name = cls.__name__
    # Made of the fields by `dataclass` and `NamedTuple`, and by `Enum` of 3.11.
    is_made = text.startswith(f"{name}(") and text.endswith(")")
    is_made = is_made and any(map(cls.__dict__.__contains__, ("__dataclass_fields__", "_fields")))
    if is_made or text == "An enumeration.":
        return None
    return inspect.cleandoc(text)


def of_field(cls: type, attribute: str) -> Schema:
    """Return what a class says of a field beside its type."""
    fields: Any = getattr(cls, "__pydantic_fields__", None)
    if fields is not None:
        info = fields.get(attribute)
        return {} if info is None else of_attributes(info) | _of_dict(info.json_schema_extra)
    field = getattr(cls, "__dataclass_fields__", {}).get(attribute)
    # `field(doc=...)` is of Python 3.14.
    text = getattr(field, "doc", None)
    return {"description": inspect.cleandoc(text)} if isinstance(text, str) else {}
