"""What all tests share: the conformance corpora, and how hypothesis runs."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# The modules that several folders of tests import; the tests are no package.
sys.path.insert(0, str(Path(__file__).parent / "support"))

# The same examples in each run, so that a red run means a change; `--hypothesis-profile=explore`
# looks for new ones.
settings.register_profile("repeatable", max_examples=40, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=5_000, deadline=None)
settings.load_profile("repeatable")

# Hypothesis also tries the constants of the project's modules: those that are imported by then. These
# depend on which tests a process has run before, and on every line of the project, so it knows of none.
providers._get_local_constants = lambda: providers._local_constants  # type: ignore[attr-defined]

_missing: set[str] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cold",
        action="store_true",
        help="also let each allocation fail where nothing was made before: that takes minutes",
    )


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """Find a suite: `corpus("json/JSONTestSuite")` is its folder or file.

    The corpora are not part of this repository; the environment variable PENSTOCK_CORPORA names the
    folder that holds them. A missing suite is skipped, and listed at the end of the run; with
    PENSTOCK_REQUIRE_CORPORA=1 it is a failure.
    """

    def find(suite: str) -> Path:
        root = os.environ.get("PENSTOCK_CORPORA")
        if root and (path := Path(root, suite)).exists():
            return path
        _missing.add(suite)
        message = f"suite not found: {suite} (PENSTOCK_CORPORA={root or ''})"
        if os.environ.get("PENSTOCK_REQUIRE_CORPORA") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)

    return find


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """List the missing suites at the end of the run."""
    if reporter := config.pluginmanager.get_plugin("terminalreporter"):
        reporter.write_line(f"Suites not found: {', '.join(sorted(_missing)) or 'none'}")
