"""`dir(penstock)` names what is public, before anybody has asked for it."""

import importlib.util
import pkgutil
import subprocess
import sys

import pytest

import penstock


def marks(names: list[str]) -> set[str]:
    return {name for name in names if name.startswith("__") and name.endswith("__")}


def test_the_public_names_and_modules() -> None:
    shown = set(dir(penstock))
    here = {found.name for found in pkgutil.iter_modules(penstock.__path__[:1])}
    modules = {name for name in here if not name.startswith("_")} - {"cli", "costs"}
    missing = {
        name for name, needs in penstock._NEED.items() if not importlib.util.find_spec(needs)
    }
    assert set(penstock._NEED) == modules - set(penstock.__all__)
    assert shown - marks(dir(penstock)) == (set(penstock.__all__) | modules) - missing - {
        "__version__"
    }
    assert {"__all__", "__doc__", "__file__", "__name__", "__version__"} <= shown
    assert dir(penstock) == sorted(shown)


def test_every_name_is_there() -> None:
    assert [name for name in dir(penstock) if not hasattr(penstock, name)] == []


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_a_new_process_names_them_without_importing_them() -> None:
    program = "import penstock, sys; before = set(sys.modules); names = dir(penstock); print(sum('penstock' in name for name in set(sys.modules) - before), *names)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    imported, *names = done.stdout.split()
    assert imported == "0"
    assert {"cells", "columns", "convert", "csv", "map", "plist", "schema", "split"} <= set(names)
    assert {"TYPE_CHECKING", "annotations", "warnings"}.isdisjoint(names)
