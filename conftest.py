"""Runs every example of the documentation: README, `docs/`, and the docstrings of the package.

The examples run against the installed wheel, like all tests. Only the docstrings come from the
tree. A page's examples share one module, in their order, and a working directory that is empty at
first. So do the examples of a module.

Pages, modules and tests that need the engine of a cluster run in an environment that has it, where
PENSTOCK_ENGINE names it: `make engines`.
"""

import importlib.util
import multiprocessing
import os
import sys
from doctest import ELLIPSIS
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, cast

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.example import Example, NotEvaluated
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

# The examples that need an engine.
ENGINES = {
    "spark": ["docs/spark.md", "python/penstock/spark.py"],
    "ray": ["docs/ray.md", "python/penstock/ray.py"],
    "dask": ["docs/dask_and_daft.md"],
}
ENGINE = os.environ.get("PENSTOCK_ENGINE")
_without = [path for name, paths in ENGINES.items() if name != ENGINE for path in paths]
collect_ignore = [] if ENGINE else ["tests/engines"]
# A peer that has no wheel for the newest interpreter yet; elsewhere, that it lacks is a failure.
if sys.version_info >= (3, 15) and importlib.util.find_spec("orjson") is None:
    _without.append("docs/moving_orjson.md")
    collect_ignore.append("tests/comparison")


class Docstrings(PythonDocStringDocument):
    """A module's docstrings, without importing the module, which is not the installed one."""

    def import_document(self, example: Example) -> None:  # noqa: ARG002 - an evaluator's signature
        """Leave the example to the evaluators that follow."""
        self.pop_evaluator(self.import_document)
        raise NotEvaluated


class Page:
    """Stands in `sys.modules` for the module in which a page's examples run.

    A class looks up the names in its annotations in its module. So there must be a module, as there
    is where a reader pastes the examples.
    """


def enter(namespace: dict[str, Any]) -> None:
    """Use the page's names as those of a module, and change to a directory for its files."""
    page = Page()
    page.__dict__ = namespace
    # Engines send classes of the program itself to their workers, and no others.
    namespace["__name__"] = "__main__" if ENGINE else "page"
    sys.modules["page"] = cast("ModuleType", page)
    # From 3.14 on, a process of a pool would import the page, which is no module.
    namespace["_start"] = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("fork", force=True)
    namespace["_home"], namespace["_files"] = os.getcwd(), TemporaryDirectory()  # noqa: PTH109
    os.chdir(namespace["_files"].name)


def leave(namespace: dict[str, Any]) -> None:
    """Change back, and remove the files."""
    os.chdir(namespace["_home"])
    multiprocessing.set_start_method(namespace["_start"], force=True)
    namespace["_files"].cleanup()
    del sys.modules["page"]


_pages = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS)],
    patterns=["README.md", "docs/*.md"],
    excludes=_without,
    setup=enter,
    teardown=leave,
)
_modules = Sybil(
    parsers=[DocTestParser(optionflags=ELLIPSIS)],
    patterns=["python/penstock/*.py", "python/penstock/_*/*.py"],
    excludes=_without,
    document_types={".py": Docstrings},
    setup=enter,
    teardown=leave,
)

pytest_collect_file = (_pages + _modules).pytest()
