"""Run the tests in children of a process that has used Penstock: each file in a child of its own.

    make forks

A fork copies all state of the library: plans, learned orders of keys, the counts of the collector,
readers and decoders in the middle of a document. Here the parent has all of these, and each child
must pass the tests of a file and then read on where its parent had stopped.
"""

import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import penstock

ROOT = Path(__file__).parent.parent
LOG = ROOT / ".cache" / "forks.log"
FOLDERS = ("README.md", "docs", "python", "tests")
# The files of a folder that hold tests or examples, if not all Python files do.
HOLDING = {"docs": "*.md", "tests": "**/test_*.py"}


@dataclass(slots=True)
class Node:
    """The type that the parent decodes its documents into."""

    number: int
    text: str = ""
    inner: "list[Node]" = field(default_factory=list)


class Halfway:
    """Readers, decoders and plans in use."""

    def __init__(self) -> None:
        """Use the library, and stop in the middle of it."""
        rows = [
            {"number": n, "text": f"text {n % 7}", "inner": [{"number": -n}]} for n in range(500)
        ]
        self.expected = [Node(n, f"text {n % 7}", [Node(-n)]) for n in range(500)]
        array = json.dumps(rows).encode()
        markup = b"".join(
            b"<row><number>%d</number><text>text %d</text><inner number='%d'/></row>"
            % (n, n % 7, -n)
            for n in range(500)
        )
        assert penstock.json.decode(array, list[Node]) == self.expected
        self.json = penstock.json.read([array[:9_000], array[9_000:]], Node)
        self.xml = penstock.xml.read([b"<rows>" + markup, b"</rows>"], Node)
        self.decoder = penstock.Decoder(Node)
        self.fed = self.decoder.feed(array[:9_000])
        self.array = array
        assert next(self.json) == next(self.xml) == self.fed[0] == self.expected[0]

    def goes_on(self) -> bool:
        """Tell whether all of it can be read to the expected end."""
        rest = self.decoder.feed(self.array[9_000:]) + self.decoder.finish()
        return (
            list(self.json) == list(self.xml) == self.expected[1:]
            and self.fed + rest == self.expected
        )


class Tally(Counter[str]):
    """Counts the tests of a child by their outcome."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once: after its call, or if it did not get that far."""
        if report.when == "call" or not report.passed:
            self[report.outcome] += 1


def in_child(path: Path, results: int, halfway: Halfway) -> int:
    """Run a file's tests, and read on."""
    tally = Tally()
    code = pytest.main(["-q", "-p", "no:cacheprovider", str(path)], plugins=[tally])
    # A page without examples is no failure.
    failed = code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    if not halfway.goes_on():
        tally["cannot read on"] += 1
        failed = True
    os.write(results, json.dumps(tally).encode())
    return int(failed)


def forked(path: Path, halfway: Halfway) -> tuple[int, Counter[str]]:
    """Run a file's tests in a child: its exit code, less than 0 for a signal, and the counts."""
    readable, writable = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, 1)
            os.dup2(log, 2)
            code = in_child(path, writable, halfway)
            sys.stdout.flush()
        os._exit(code)
    os.close(writable)
    with os.fdopen(readable, "rb") as results:
        told = results.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, Counter(json.loads(told or "{}"))


def files(names: list[str]) -> Iterator[Path]:
    """All files that hold tests or examples, or only those named."""
    for name in names:
        path = ROOT / name
        if path.is_dir():
            yield from sorted(path.glob(HOLDING.get(Path(name).parts[0], "**/*.py")))
        else:
            yield path


def main(names: list[str]) -> int:
    """Run all files; return 1 if one of them fails."""
    os.chdir(ROOT)
    # As with `python -m pytest`: processes that a test spawns look for its module there.
    sys.path[0] = str(ROOT)
    LOG.parent.mkdir(exist_ok=True)
    LOG.unlink(missing_ok=True)
    halfway = Halfway()
    total: Counter[str] = Counter()
    count = failed = 0
    for path in files(names):
        code, tally = forked(path, halfway)
        count += sum(tally.values()) > 0
        total += tally
        if code:
            failed += 1
            what = f"signal {-code}" if code < 0 else f"exit code {code}"
            told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(tally.items()))
            print(f"{path.relative_to(ROOT)}: {what}; {told or 'no test was told of'}", flush=True)
    if not halfway.goes_on():
        failed += 1
        print("the parent cannot read on")
    told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(total.items()))
    print(f"{count} files with tests, each in a child: {told}; {failed} failed. Said: {LOG}")
    return int(failed > 0)


# Some tests start pools, whose processes import this module.
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(FOLDERS)))
