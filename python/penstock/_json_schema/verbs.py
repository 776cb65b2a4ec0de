"""The functions `json_schema` and `json_schemas`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import penstock._rust as _rust
from penstock._base import suggest as _suggest
from penstock._json_schema.render import Renderer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import TypeForm

    from penstock._json_schema.tree import Mode, Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@_suggest.advised
def json_schema(
    cls: TypeForm[Any],
    /,
    *,
    mode: Literal["decode", "encode"] = "decode",
    ref: str = "#/$defs/{name}",
) -> dict[str, Any]:
    """Return the JSON Schema of a type: what `json.decode` takes or `json.encode` writes.

    It is of the draft 2020-12, which OpenAPI 3.1 uses. It is made of the plan by which Penstock
    decodes and encodes the type: keys, required fields, unions, constraints. What no schema
    can say, such as a function of yours, is left open.

    Args:
        cls: The type, or a `Plan` of it.
        mode: `"decode"` for the documents that are read, `"encode"` for those that are written. A
            field with a default may be absent in a document that is read, and is always written.
        ref: How a definition is referred to; `{name}` stands for its name.

    Returns:
        The schema, of dicts, lists and scalars that `json.dumps` takes. The classes inside of the
        type are in its `$defs`.

    Raises:
        PlanError: Penstock cannot decode into the type; or with `mode="encode"`, it cannot write
            values of it.
        ValueError: There is no such `mode`, or `ref` has no `{name}`.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     zip_code: int | None = None
        >>> schema = penstock.json_schema(City)
        >>> schema["properties"]["name"], schema["required"]
        ({'type': 'string'}, ['name'])
        >>> penstock.json_schema(list[City])["items"]
        {'$ref': '#/$defs/City'}
    """
    [root], definitions, uses = _rendered([cls], mode, ref)
    refers = root.get("$ref")
    name = next((it for it in definitions if ref.replace("{name}", it) == refers), None)
    if name is not None and uses[name] == 1:
        root = definitions.pop(name) | {word: said for word, said in root.items() if word != "$ref"}
    return {"$schema": DIALECT, **root, **({"$defs": definitions} if definitions else {})}


@_suggest.advised
def json_schemas(
    types: Iterable[TypeForm[Any]],
    /,
    *,
    mode: Literal["decode", "encode"] = "decode",
    ref: str = "#/components/schemas/{name}",
) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of some classes, and of all classes inside of them, by their names.

    That is what OpenAPI has under `components/schemas`. Names are those of the classes. If two have
    the same, both have their modules in front. `Page[City]` is `Page_City`.

    Args:
        types: The types, or plans of them with the same options.
        mode: As for `json_schema`.
        ref: As for `json_schema`.

    Returns:
        The schemas.

    Raises:
        PlanError: As for `json_schema`.
        ValueError: As for `json_schema`.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        >>> @dataclass
        ... class Trip:
        ...     through: list[City]
        >>> schemas = penstock.json_schemas([Trip])
        >>> list(schemas)
        ['City', 'Trip']
        >>> schemas["Trip"]["properties"]["through"]
        {'type': 'array', 'items': {'$ref': '#/components/schemas/City'}}
    """
    return _rendered(list(types), mode, ref)[1]


def _rendered(
    types: list[Any], mode: Mode, ref: str
) -> tuple[list[Schema], dict[str, Schema], dict[str, int]]:
    """Return the schemas of the types, the definitions, and how often each is referred to."""
    if mode not in {"decode", "encode"}:
        raise ValueError(f"mode must be 'decode' or 'encode', not {mode!r}")
    if "{name}" not in ref:
        raise ValueError(f"ref must have a {{name}} in it, and {ref!r} has none")
    tree: Any = _rust.plan_tree(types, mode == "encode")
    renderer = Renderer(tree, mode, ref)
    roots = [renderer.schema(number) for number in tree["roots"]]
    uses = renderer.finish(roots)
    return roots, renderer.definitions, uses


json_schema.__module__ = "penstock"
json_schemas.__module__ = "penstock"
