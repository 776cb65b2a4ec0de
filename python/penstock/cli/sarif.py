"""The problems of `penstock check` as SARIF 2.1.0, which code hosts show beside the lines.

The log is written as problems are found, so its size needs no memory. The tool with its rules comes
after the results.
"""

from __future__ import annotations

from urllib.parse import quote

from penstock._rust import __version__
from penstock.cli import plain

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock import DecodeError
    from penstock.cli.printer import Printer

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://penstock-data.github.io/penstock/"
_CODES = f"{_HOME}errors.html#codes"

# The codes of errors, as the page on errors explains them.
RULES = {
    "malformed": "the input does not follow the grammar of its format",
    "truncated": "the input ends too early",
    "limit": "the input exceeds a limit",
    "source": "the source failed while it was read",
    "type": "a value is of another type",
    "value": "a value is of the right type, but not one of its values",
    "constraint": "a value does not meet a constraint",
    "missing": "a required key, element or attribute is absent",
    "unknown": "the class has no field for a key",
    "repeated": "a key occurs twice",
    "length": "an array has more or fewer elements than the tuple",
    "union": "nothing says which class of a union an object is of",
    "empty": "the document has no record, or nothing at the path",
    "refused": "the code of the class raised an exception",
}


class Log:
    """A log that is being written."""

    def __init__(self, printer: Printer) -> None:
        """Write the beginning."""
        self._printer = printer
        self._rules: dict[str, int] = {}
        self._is_first = True
        printer.data(
            f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{"columnKind": '
            '"unicodeCodePoints", "results": ['
        )

    def add(self, error: DecodeError) -> None:
        """Write the problems of a record."""
        *_, last = problems = error.problems
        for problem in problems:
            said = f"{problem.reason}{problem._within()}"  # noqa: SLF001 - it is ours
            if problem is last and error.omitted:
                said += f"; {error.omitted:,} more problems of the record are left out"
            result = {
                "ruleId": problem.code,
                "ruleIndex": self._rules.setdefault(problem.code, len(self._rules)),
                "level": "error",
                "message": {"text": said},
                "locations": [{"physicalLocation": _place(problem)}],
            }
            self._printer.data(f"{'' if self._is_first else ','}{plain.text(result)}")
            self._is_first = False

    def end(self) -> None:
        """Write the tool, with the rules that problems named."""
        rules = [_rule(code) for code in self._rules]
        driver = {
            "name": "penstock",
            "version": __version__,
            "informationUri": _HOME,
            "rules": rules,
        }
        self._printer.data(f'], "tool": {{"driver": {plain.text(driver)}}}}}]}}')


def _place(problem: DecodeError) -> dict[str, Any]:
    """The file and the position. A binary file has no lines, so its first one stands for all."""
    source = problem.source or ""
    uri = f"file://{quote(source)}" if source.startswith("/") else quote(source)
    region = {"startLine": problem.line or 1}
    if problem.column is not None:
        region["startColumn"] = problem.column
    elif problem.offset is not None:
        region["byteOffset"] = problem.offset
    return {"artifactLocation": {"uri": uri}, "region": region}


def _rule(code: str) -> dict[str, Any]:
    said = RULES.get(code, code)
    sentence = f"{said[0].upper()}{said[1:]}."
    return {
        "id": code,
        "shortDescription": {"text": said},
        "fullDescription": {"text": sentence},
        "help": {"text": f"{sentence} See {_CODES}"},
        "helpUri": _CODES,
    }
