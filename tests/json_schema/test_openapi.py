"""The schemas are what OpenAPI 3.1 has under `components`."""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest

from penstock import json_schemas, tag

openapi = pytest.importorskip("openapi_spec_validator", reason="it is not installed")

T = TypeVar("T")


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float


@dataclass
class Created:
    id: int


@dataclass
class Deleted:
    id: int


@dataclass
class Page(Generic[T]):
    """One page."""

    items: list[T]
    at: datetime | None = None
    children: list["Page[T]"] = field(default_factory=list)


Shape = Circle | Square
Event = Annotated[Created | Deleted, tag("event", {"new": Created, "gone": Deleted})]


def of(schemas: dict[str, Any]) -> dict[str, Any]:
    """A description of an interface with these schemas."""
    schema = {"$ref": "#/components/schemas/Page_int"}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    answer = {"200": {"description": "It is done."}}
    path = {"post": {"requestBody": body, "responses": answer}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shapes", "version": "1"},
        "paths": {"/shapes": path},
        "components": {"schemas": schemas},
    }


@pytest.mark.parametrize("mode", ["decode", "encode"])
def test_components(mode: Any) -> None:
    schemas = json_schemas([Page[Shape], Page[Event], Page[int]], mode=mode)
    names = {"Circle", "Created", "Deleted", "Page_int", "Square"}
    assert names < schemas.keys()
    assert all(re.fullmatch("[a-zA-Z0-9._-]+", name) for name in schemas)
    assert "#/$defs" not in json.dumps(schemas)
    openapi.validate(of(schemas))
