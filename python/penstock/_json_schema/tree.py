"""The plan of types as the extension tells it: the same one that readers and writers ask.

Nodes and classes are named by their places in the lists. A schema is made of nothing else, so it
has no idea of its own of what an annotation means.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Mode: TypeAlias = Literal["decode", "encode"]
Schema: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[str, Any]
# Where a key leads: `("aim", number)` to a value, or `("state", number)` to keys on the way.
Target: TypeAlias = tuple[Literal["aim", "state"], int]


class Node(TypedDict):
    """One type as it stands in an annotation."""

    kind: str
    # Whether None is accepted too.
    nullable: bool
    # The type as a user would write it.
    written: str
    # What stands beside the type in `Annotated`.
    words: tuple[Any, ...]
    # What is done with a value that is of the kind, the class that it then has, and whether each
    # function of the user's is undone by another one.
    steps: NotRequired[list[Step]]
    makes: NotRequired[type | None]
    undone: NotRequired[bool]
    # Collections: the node of the items, or of each one; of a dict also that of the keys.
    item: NotRequired[int]
    items: NotRequired[tuple[int, ...]]
    key: NotRequired[int]
    # The code of `array.array`, for a number of an array.
    packed: NotRequired[str]
    # A class, by its number.
    class_: NotRequired[int]
    # An `Enum` or a `Literal`: each value in a document, with the object that it stands for, and
    # whether the `Enum` may take others.
    values: NotRequired[list[tuple[Any, Any]]]
    open: NotRequired[bool]
    # A union: the nodes of its members, in a union of classes each behind what tells it.
    members: NotRequired[Any]
    # A union by the kind of the value: the member that takes each kind; of text, the last one.
    kinds: NotRequired[dict[str, int | None]]
    # A union of classes: the key that tells them, and the node of all other objects.
    tag: NotRequired[str]
    other: NotRequired[int | None]
    # A date or time: whether its text is that of RFC 3339, or has a pattern, and whether it may be
    # a number.
    standard: NotRequired[bool]
    patterned: NotRequired[bool]
    counted: NotRequired[bool]


class Field(TypedDict):
    """A field of a class."""

    # The name of the parameter, and that of the attribute.
    name: str
    attribute: str
    node: int
    required: bool
    default: NotRequired[Any]
    factory: NotRequired[Any]


class State(TypedDict):
    """The keys of an object, and the indexes of an array, on the way to fields."""

    keys: list[tuple[str, Target]]
    indexes: list[tuple[int, Target]]
    other: Target | None


class Written(TypedDict):
    """How objects of a class are written."""

    # Why they are not.
    refused: NotRequired[str]
    # Whether they are arrays.
    rows: NotRequired[bool]
    # What is done, the key, the number of the field, and whether the object may lack it.
    steps: NotRequired[list[tuple[str, str, int | None, bool]]]


class Class(TypedDict):
    """A class with fields."""

    class_: type
    name: str
    # How many of the fields are no fields of parts.
    own: int
    fields: list[Field]
    # The number of the field, of its class, and of the first of its fields here.
    parts: list[tuple[int, int, int]]
    # The field, the node of a value, and whether the field gathers several.
    aims: list[tuple[int, int, bool]]
    states: list[State]
    # Whether other keys are refused.
    forbids: bool
    # Whether an array of the values is accepted too, or nothing else.
    rows: bool
    only_rows: bool
    written: NotRequired[Written]


class Tree(TypedDict):
    """The plan of several types."""

    roots: tuple[int, ...]
    # Whether text is accepted for numbers.
    lax: bool
    nodes: list[Node]
    classes: list[Class]


def children(node: Node) -> list[int]:
    """Return the nodes inside of a node, without those of classes."""
    found = [*node.get("items", ())]
    found += [node[name] for name in ("item", "key") if name in node]
    for member in node.get("members", ()):
        found.append(member if isinstance(member, int) else member[1])
    other = node.get("other")
    return found if other is None else [*found, other]


def is_empty(schema: Schema) -> bool:
    """Return whether a schema accepts everything."""
    return not schema


def either(schemas: list[Schema]) -> Schema:
    """Return the schema of what fits one of several."""
    flat: list[Schema] = []
    for schema in schemas:
        for part in schema["anyOf"] if schema.keys() == {"anyOf"} else [schema]:
            if is_empty(part):
                return {}
            if part not in flat:
                flat.append(part)
    return flat[0] if len(flat) == 1 else {"anyOf": flat}
