"""`penstock infer`: the code of a class, and what differs from one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODELS = """\
from dataclasses import dataclass, field
from typing import Annotated

from penstock import at


@dataclass
class Place:
    lat: float
    name: Annotated[str, at("full-name")] = ""


@dataclass
class City:
    name: str
    size: int
    places: list[Place] = field(default_factory=list)
    twins: dict[str, int] = field(default_factory=dict)
"""


@pytest.fixture(autouse=True)
def _models(folder: Path) -> None:
    (folder / "towns.py").write_text(MODELS)


def test_the_code_of_a_class(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "sizes.csv").write_text("name;size\nBern;134591\n")
    done = penstock("infer", "--name", "Size", "--kind", "msgspec", "-d", ";", "sizes.csv")
    assert (done.out, done.err, done.code) == (
        (
            "# 1 record\n\nimport msgspec\n\n\n"
            "class Size(msgspec.Struct):\n"
            "    name: str  # text of 4 characters\n"
            "    size: int  # int 134591\n"
        ),
        "",
        0,
    )


def test_records_that_are_left_out_are_said(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.ndjson").write_text('{"a": 1}\n{"a": \n')
    done = penstock("infer", "--errors", "skip", "bad.ndjson")
    assert done.out.startswith("# 1 record\n")
    assert (done.err, done.code) == ("bad.ndjson: 1 record left out\n", 1)
    assert penstock("infer", "bad.ndjson").code == 1


def test_standard_input(penstock: Callable[..., Any]) -> None:
    assert "    a: int  # int 7\n" in penstock("infer", stdin=b'{"a": 7}\n').out
    done = penstock("infer", "--into", "towns:City", stdin=b'{"a": 7}\n')
    assert (done.out, done.code) == ("", 2)
    assert "--into reads the source twice" in done.err


@pytest.mark.parametrize(
    ("lines", "differs"),
    [
        (
            ['{"name": "Bern", "size": 1, "places": [{"lat": 1, "full-name": "x"}], "twins": {}}'],
            [],
        ),
        (
            ['{"name": "Bern", "size": 1, "mayor": "x"}'] * 2,
            [
                "mayor: City has no field for this key (2 times)",
                "places: the field places of City is nowhere in the file",
                "twins: the field twins of City is nowhere in the file",
            ],
        ),
        (
            [
                '{"name": "Bern", "size": "1", "places": [{"lat": null}], "twins": {"a": 1.5}}',
                '{"name": "Chur", "size": 2, "places": [{"lat": 1}, {"lat": null}], "twins": {}}',
                '{"name": "Olten"}',
            ],
            [
                "size: expected int, got a string (1 time, first in line 1)",
                "    in the file: int 2; text of 1 character",
                "places/*/lat: expected float, got null (2 times, first in line 1)",
                "    in the file: 66.7 % null; int 1",
                "twins/a: expected int, got a number with a fraction or an exponent (1 time, first in line 1)",
                "    in the file: float 1.5",
                'City lacks the required key "size" (1 time, first in line 3)',
                "full-name: the field name of Place is nowhere in the file",
            ],
        ),
    ],
)
def test_what_differs_from_a_class(
    penstock: Callable[..., Any], folder: Path, lines: list[str], differs: list[str]
) -> None:
    (folder / "towns.ndjson").write_text("\n".join(lines))
    done = penstock("infer", "--into", "towns:City", "towns.ndjson")
    assert (done.out.splitlines(), done.err, done.code) == (differs, "", 1 if differs else 0)


def test_what_differs_in_xml(penstock: Callable[..., Any], folder: Path) -> None:
    (folder / "towns.xml").write_text(
        '<r><town name="Bern"><size>big</size></town><town name="Chur"><size>2</size></town></r>'
    )
    done = penstock("infer", "--into", "towns:City", "towns.xml")
    assert done.out.splitlines() == [
        "size: expected int, got other text (1 time, first in line 1)",
        "    in the file: text of 1..3 characters",
        "places: the field places of City is nowhere in the file",
        "twins: the field twins of City is nowhere in the file",
    ]


def test_mistakes(penstock: Callable[..., Any]) -> None:
    done = penstock("infer", "--name", "a b", "cities.json")
    assert (done.err, done.code) == (
        "penstock infer: --name is the name of a class, and 'a b' is none\n",
        2,
    )
    done = penstock("infer", "cities.json", "cities.ndjson")
    assert done.err == "penstock infer: a class is inferred from one file: name one\n"
    assert "'infer' writes the code of a class" in penstock("codegen").err
