"""The names of classes and fields."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Container

# What modules import, and what annotations name.
_TAKEN = frozenset({
    *("Annotated", "Any", "Literal", "NotRequired", "TypeAlias", "TypedDict", "Decimal", "UUID"),
    *("annotations", "at", "attrs", "cells", "dataclass", "dt", "field", "msgspec"),
    *("penstock", "pydantic", "pattern", "Ge", "Gt", "Le", "Lt", "MinLen", "MaxLen", "MultipleOf"),
    *("bool", "bytes", "dict", "float", "int", "list", "str", "tuple", "self", "mro"),
})  # fmt: skip
# The attributes of pydantic's models.
_PYDANTIC = frozenset({
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate", "model_config", "model_fields"),
    *("model_computed_fields", "model_construct", "model_copy", "model_dump", "model_dump_json"),
    *("model_extra", "model_fields_set", "model_json_schema", "model_parametrized_name"),
    *("model_post_init", "model_rebuild", "model_validate", "model_validate_json"),
    *("model_validate_strings",),
})  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")


class Names:
    """Names that are taken. One that is wanted again gets a number, the next one at once."""

    def __init__(self, around: Container[str] = ()) -> None:
        """Take names that others have."""
        self._around = around
        # For each name, the number that the next one like it tries first.
        self._next: dict[str, int] = {}

    def __contains__(self, name: object) -> bool:
        """Whether a name is taken."""
        return name in self._next or name in self._around

    def take(self, name: str) -> None:
        """Take a name, whether it is free or not."""
        self._next.setdefault(name, 2)

    def leave(self, name: str) -> None:
        """Let go of a name."""
        del self._next[name]

    def free(
        self, name: str, between: str, refused: Callable[[str], bool] = lambda _: False
    ) -> str:
        """Take a name, or this name with a number, and return it."""
        found, number = name, self._next.get(name, 2)
        while found in self or refused(found):
            found, number = f"{name}{between}{number}", number + 1
        self.take(found)
        self._next[name] = number
        return found


def words(key: str) -> list[str]:
    """Return the words of a key: `["Unique", "Key"]` of `"Unique Key"`."""
    # Of a name in a namespace, its local part.
    local = key.rpartition("}")[2] if key.startswith("{") else key
    plain = unicodedata.normalize("NFKD", local)
    plain = "".join(mark for mark in plain if not unicodedata.combining(mark))
    plain = unicodedata.normalize("NFKC", plain)
    # A digit of another script may be no part of a name.
    return [word for word in _WORD.findall(plain) if f"_{word}".isidentifier()]


def of_field(key: str, taken: Names, kind: str, *, is_plain: bool = True) -> str:
    """Return a name for the field of a key, and add it to those that are taken."""
    name = key
    if not is_plain or not _is_name(key) or key[0].isupper():
        name = "_".join(words(key)).lower()
    if kind in {"attrs", "pydantic"}:
        name = name.lstrip("_")
    if name.startswith("__") or not name.strip("_"):
        name = name.strip("_")
    if not name.isidentifier():
        name = f"n{name}" if name else "value"
    if keyword.iskeyword(name) or name in _TAKEN or (kind == "pydantic" and name in _PYDANTIC):
        name += "_"
    return taken.free(name, "_")


def _is_name(key: str) -> bool:
    """Whether Python takes a key as it is for the name of a field."""
    return (
        key.isidentifier()
        and unicodedata.normalize("NFKC", key) == key
        and not keyword.iskeyword(key)
        and not key.startswith("__")
    )


def has_path(key: str) -> bool:
    """Return whether a path of `at` can lead to a key."""
    return not key.startswith("{") and key not in {".", "text()", "key()", "string()"}


def of_class(wanted: str, around: str, taken: Names) -> str:
    """Return a name for a class, and add it to those that are taken."""
    short, long = camel(wanted) or "Item", f"{around}{camel(wanted)}"
    short, long = (name if name.isidentifier() else f"Item{name}" for name in (short, long))
    for candidate in (short, long):
        if candidate not in taken and not _is_known(candidate):
            taken.take(candidate)
            return candidate
    return taken.free(long, "", _is_known)


def _is_known(name: str) -> bool:
    return keyword.iskeyword(name) or name in _TAKEN or hasattr(builtins, name)


def camel(key: str) -> str:
    """Return a key as the name of a class: `"UniqueKey"` of `"unique key"`."""
    return "".join(
        word if word.isupper() and len(word) > 1 else word.capitalize() for word in words(key)
    )


def singular(key: str) -> str:
    """Return the name of one of several: `"city"` of `"cities"`."""
    low = key.lower()
    if low.endswith("ies") and len(key) > 4:
        return f"{key[:-3]}y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return key[:-2]
    if low.endswith("uses") and not low.endswith(("auses", "ouses", "fuses")):
        return key[:-2]
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(key) > 3:
        return key[:-1]
    return key
