"""How each kind of class is written."""

from __future__ import annotations

from penstock._infer import layout as _layout
from penstock._infer.layout import Atom, Call

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._base.types import ClassKind
    from penstock._infer.layout import Part
    from penstock._infer.types import Field

KINDS: tuple[ClassKind, ...] = ("dataclass", "attrs", "pydantic", "msgspec", "typeddict")

# What a module of each kind imports besides types.
_IMPORTS: dict[str, tuple[str, ...]] = {
    "dataclass": ("dataclasses:dataclass",),
    "attrs": ("attrs",),
    "pydantic": ("pydantic",),
    "msgspec": ("msgspec",),
    "typeddict": ("typing:TypedDict",),
}


def imports(kind: str) -> tuple[str, ...]:
    """Return what a module of a kind imports: modules, and names of them behind a colon."""
    return _IMPORTS[kind]


def head(kind: str, name: str, *, by_name: bool) -> list[str]:
    """Return the lines with which a class begins. `by_name` is whether its order needs keywords."""
    keywords = "kw_only=True" if by_name else ""
    if kind == "dataclass":
        options = ", ".join(filter(None, ("slots=True", keywords)))
        return [f"@dataclass({options})", f"class {name}:"]
    if kind == "attrs":
        return [f"@attrs.define({keywords})" if keywords else "@attrs.define", f"class {name}:"]
    if kind == "pydantic":
        return [f"class {name}(pydantic.BaseModel):"]
    if kind == "msgspec":
        return [f"class {name}(msgspec.Struct{', ' if keywords else ''}{keywords}):"]
    return [f"class {name}(TypedDict):"]


def has_order(kind: str) -> bool:
    """Whether fields with a default must stand behind the others, without keywords."""
    return kind not in {"pydantic", "typeddict"}


def is_renamed_by_call(kind: str, field: Field) -> bool:
    """Whether a call behind the field says its key."""
    if field.step != "member" or field.is_plain:
        return False
    # A name of msgspec must need no escape in JSON.
    is_taken = field.key.isprintable() and not set(field.key) & {"\\", '"'}
    return kind == "pydantic" or (kind == "msgspec" and is_taken)


def default(kind: str, field: Field, made: str | None, *, is_bare: bool) -> Part | None:
    """Return what stands behind `=`.

    `made` is what makes an absent list or dict: `list[str]`. `is_bare` is whether nothing but the
    type stands before it.
    """
    key = None
    if is_renamed_by_call(kind, field):
        key = _layout.string(field.key)
    if kind == "typeddict" or not (field.is_absent or key):
        return None
    factory = made if field.is_absent else None
    if field.default is not None:
        if key is None:
            return Atom(field.default)
        if kind == "pydantic":
            return _call("pydantic.Field(", f"default={field.default}", f"alias={key}")
        return _call("msgspec.field(", f"default={field.default}", f"name={key}")
    if kind == "dataclass":
        return _call("field(", f"default_factory={factory}") if factory else Atom("None")
    if kind == "attrs":
        return _call("attrs.field(", f"factory={factory}") if factory else Atom("None")
    if key is None and (is_bare or factory is None):
        return Atom({"list": "[]", "dict": "{}", None: "None"}[field.empty])
    given: list[str] = []
    if field.is_absent:
        given.append(f"default_factory={factory}" if factory else "default=None")
    if kind == "pydantic":
        return _call("pydantic.Field(", *given, *([f"alias={key}"] if key else []))
    return _call("msgspec.field(", *given, *([f"name={key}"] if key else []))


def _call(head: str, *arguments: str) -> Call:
    return Call(head, tuple(map(Atom, arguments)), ")")


def needs(kind: str, field: Field) -> tuple[str, ...]:
    """Return what the default of a field imports."""
    is_factory = kind == "dataclass" and field.is_absent and field.empty is not None
    return ("dataclasses:field",) if is_factory else ()
