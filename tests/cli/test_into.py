"""Classes that `--into` or `plan` asks for and that cannot be imported or planned."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("models", "'models' is not MODULE:CLASS, such as models:City"),
        (":City", "':City' is not MODULE:CLASS, such as models:City"),
        ("models:", "'models:' is not MODULE:CLASS, such as models:City"),
        ("nowhere:City", "there is no module 'nowhere'"),
        ("models.py:City", "'models.py' is a path: the module is written models:City"),
        ("models.nowhere:City", "there is no module 'models.nowhere'"),
        ("models:Citi", "models:Citi: the module 'models' has no 'Citi'; did you mean 'City'?"),
        ("models:City.Inner", "models:City.Inner: the class 'City' has no 'Inner'"),
        ("models:xyzzy", "models:xyzzy: the module 'models' has no 'xyzzy'"),
    ],
)
def test_there_is_none(penstock: Callable[..., Any], words: str, message: str):
    done = penstock("head", "--into", words, "cities.json")
    assert (done.out, done.err, done.code) == ("", f"penstock head: {message}\n", 2)


def test_a_module_that_cannot_be_imported(penstock: Callable[..., Any], folder: Path):
    (folder / "broken.py").write_text("import models\n\n1 / 0\n")
    (folder / "lacking.py").write_text("import nowhere\n")
    (folder / "unfinished.py").write_text("class\n")
    (folder / "leaving.py").write_text("raise SystemExit(3)\n")
    done = penstock("plan", "broken:City")
    assert done.err == (
        "penstock plan: the module 'broken' cannot be imported: "
        f"ZeroDivisionError: division by zero ({folder / 'broken.py'}, line 3)\n"
    )
    assert (done.out, done.code) == ("", 2)
    assert penstock("plan", "lacking:City").err == (
        "penstock plan: the module 'lacking' cannot be imported: "
        f"ModuleNotFoundError: No module named 'nowhere' ({folder / 'lacking.py'}, line 1)\n"
    )
    assert penstock("plan", "unfinished:City").err == (
        "penstock plan: the module 'unfinished' cannot be imported: "
        "SyntaxError: invalid syntax (unfinished.py, line 1)\n"
    )
    assert penstock("plan", "leaving:City").err == (
        "penstock plan: the module 'leaving' exits when it is imported\n"
    )


def test_what_a_module_prints_is_no_data(penstock: Callable[..., Any], folder: Path):
    with (folder / "models.py").open("a") as file:
        file.write("print('imported')\n")
    done = penstock("head", "-n", "1", "--into", "models:City", "cities.json")
    assert done.out == "City(name='Bern', population=134591, latitude=46.95, twins=[])\n"
    assert (done.err, done.code) == ("imported\n", 0)


def test_what_a_class_raises_is_shown_where_it_is_raised(
    penstock: Callable[..., Any], folder: Path
):
    (folder / "loud.py").write_text(
        "class Loud:\n"
        "    name: str\n"
        "    def __repr__(self):\n"
        "        raise RuntimeError('no repr')\n"
    )
    done = penstock("head", "--into", "loud:Loud", "cities.ndjson")
    assert (done.out, done.code) == ("", 2)
    shown = done.err.splitlines()
    assert shown[0] == "Traceback (most recent call last):"
    assert shown[1] == f'  File "{folder / "loud.py"}", line 4, in __repr__'
    assert shown[-1] == "RuntimeError: no repr"


def test_the_current_directory_comes_first(penstock: Callable[..., Any], folder: Path):
    # A module of the standard library that nothing else imports.
    assert "this" not in sys.modules
    (folder / "this.py").write_text("from models import City\n")
    assert penstock("plan", "this:City").code == 0
