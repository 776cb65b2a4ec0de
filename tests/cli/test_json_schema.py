"""`penstock json-schema`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def test_the_schema_of_a_class(penstock: Command) -> None:
    done = penstock("json-schema", "models:City")
    assert (done.err, done.code) == ("", 0)
    assert done.out.startswith(f'{{\n  "$schema": "{DIALECT}",\n')
    schema = json.loads(done.out)
    assert list(schema["properties"]) == ["name", "population", "position", "twins"]
    assert schema["required"] == ["name", "population", "position"]
    written = json.loads(penstock("json-schema", "--mode", "encode", "models:City").out)
    assert written["required"] == ["name", "population", "position", "twins"]
    renamed = json.loads(penstock("json-schema", "--rename", "upper", "models:City").out)
    assert list(renamed["properties"]) == ["NAME", "POPULATION", "position", "TWINS"]


def test_classes_inside(penstock: Command, folder: Path) -> None:
    with (folder / "models.py").open("a") as file:
        file.write(
            '@dataclass\nclass Trip:\n    "A \\u202e trip."\n    a: City\n    b: City | None\n'
            "plan = penstock.Plan(list[Trip], rename='camel')\n"
        )
    done = penstock("json-schema", "--ref", "#/components/schemas/{name}", "models:Trip")
    schema = json.loads(done.out)
    assert schema["properties"]["a"] == {"$ref": "#/components/schemas/City"}
    assert set(schema["$defs"]) == {"City"}
    # What turns text around is an escape.
    assert "\u202e" not in done.out
    assert json.loads(penstock("json-schema", "models:plan").out)["type"] == "array"
    coloured = penstock("json-schema", "models:Trip", "--ref", "name")
    assert (coloured.out, coloured.code) == ("", 2)
    message = "penstock json-schema: --ref must have a {name} in it, and 'name' has none\n"
    assert coloured.err == message


def test_a_class_without_a_schema(penstock: Command, folder: Path) -> None:
    (folder / "odd.py").write_text("class Odd:\n    size: 7\n")
    done = penstock("json-schema", "odd:Odd")
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith("penstock json-schema: odd:Odd: field 'size' of Odd: ")
    done = penstock("json-schema", "models:Town")
    message = "penstock json-schema: models:Town: the module 'models' has no 'Town'\n"
    assert (done.err, done.code) == (message, 2)
