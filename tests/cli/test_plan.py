"""`penstock plan`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

CITY = """\
City, fast: slots by offset
    name: str
    population: int
    latitude: float at 'position/lat'
    twins: list[str] = list()
Not for CSV: field 'twins' of City: no column can hold list[str]: say separated(...) if its items \
are in one column, or spread(...) if they are in several
"""


def test_how_a_class_is_read(penstock: Callable[..., Any]):
    done = penstock("plan", "models:City")
    assert (done.out, done.err, done.code) == (f"Plan(City)\n{CITY}", "", 0)


def test_a_plan_of_a_module_and_a_class_in_a_class(penstock: Callable[..., Any], folder: Path):
    more = "camel = penstock.Plan(City, rename='camel')\nclass Outer:\n    Inner = City\n"
    with (folder / "models.py").open("a") as file:
        file.write(more)
    assert penstock("plan", "models:camel").out == f"Plan(City, rename='camel')\n{CITY}"
    assert penstock("plan", "models:Outer.Inner").out == f"Plan(City)\n{CITY}"


def test_what_only_one_format_has(penstock: Callable[..., Any], folder: Path):
    (folder / "odd.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import Annotated\n"
        "import penstock\n"
        "@dataclass\n"
        "class Mixed:\n"
        "    text: Annotated[str, penstock.at('b/text()')]\n"
        "@dataclass\n"
        "class Either:\n"
        "    value: dict[str, int] | list[int]\n"
    )
    done = penstock("plan", "odd:Mixed")
    assert done.out.startswith("Not for JSON: ")
    assert (
        "\nPlan(Mixed) for XML\nMixed, fast: attributes\n    text: str at 'b/text()'\n" in done.out
    )
    done = penstock("plan", "odd:Either")
    assert done.out.startswith("Plan(Either)\nEither, fast: attributes\n")
    assert "\nNot for XML: field 'value' of Either: " in done.out


def test_a_class_that_cannot_be_read(penstock: Callable[..., Any], folder: Path):
    (folder / "odd.py").write_text("class Odd:\n    size: 7\n")
    done = penstock("plan", "odd:Odd")
    assert (done.out, done.code) == ("", 2)
    assert done.err.startswith("penstock plan: odd:Odd: field 'size' of Odd: ")
    assert penstock("count", "--into", "odd:Odd", "cities.json").code == 2
    assert penstock("check", "--into", "odd:Odd", "cities.json").err == done.err.replace(
        "penstock plan", "penstock check"
    )
