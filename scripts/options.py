"""Writes docs/options.md, all options of the verbs by task: `python scripts/options.py`.

Which verb takes an option is in its signature. What the option means is the first sentence of its
paragraph in a docstring, which `scripts/verbs/options.txt` and the templates beside it have. Only
the groups are kept here. A test compares the page with what this script writes.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parent.parent / "docs" / "options.md"

MODULES = ("json", "ndjson", "xml", "csv", "plist", "penstock")
VERBS = (
    *("decode", "load", "read", "open", "Decoder", "send", "events", "infer", "columns", "schema"),
    *("split", "map", "make", "encode", "dump", "write", "Encoder", "plain", "convert"),
    "recompress",
)
WRITING = {"encode", "dump", "write", "Encoder", "plain"}
# Of verbs that read and write, the options about what is written.
ALSO_WRITING = {
    *("ascii", "canonical", "declaration", "formulas", "indent", "level", "null", "quoting"),
    *("record", "root", "sort_keys"),
}
# Options that have a meaning of their own in these verbs.
OWN = {"convert": {"form", "objects", "to", "to_dialect", "to_form"}, "recompress": {"to"}}

INTRODUCTION = """\
# Options

All options of the verbs, by what you want, with their defaults. An option leads to the verb that
describes it in full, with all of its values.

Below each option are the verbs that take it, and their modules: `read`: json, xml means
`penstock.json.read` and `penstock.xml.read`. *Any* is the verb in `penstock` itself, which finds
the format out, and *all* is that and those of all five formats. `penstock.aio.read` takes the
options of the `Decoder` in `penstock`, and `penstock.polars.scan` and `penstock.duckdb.register`
take most of those of `columns`.
"""

GROUPS = {
    "Which values you get": (
        "The class itself says most: see [mapping classes](mapping.md).",
        *("read into", "read types", "read unknown", "read repeated", "read force_list"),
        *("read archive", "read classes", "read from_attributes"),
    ),
    "Which part is read": (
        "What is not asked for is skipped: see [filtering](filtering.md) and [paths](paths.md).",
        *("read at", "read where", "read limit", "read namespaces", "read columns", "read member"),
        "read split",
        *("read resume", "read file_column", "read key_column", "read flatten"),
    ),
    "Data that is not clean": (
        "By default, the first fault is an error: see [handling errors](handling_errors.md).",
        *("read errors", "read max_errors", "read all_errors", "read empty", "read repair"),
        *("read duplicates", "read non_finite", "read comments", "read partial"),
        *("read unresolved", "read unions", "read root"),
    ),
    "What the bytes are": (
        "Most of it is found out: see [reading](reading.md).",
        *("read format", "read encoding", "read compression", "read dialect", "read framing"),
        "read form",
    ),
    "The code of a class": (
        "[`infer`](inferring.md) has these of its own.",
        *("read name", "read kind"),
    ),
    "Limits": (
        "Each limit has a default: see [limits](limits.md).",
        "read limits",
    ),
    "Threads, processes and memory": (
        "See [large files and clusters](scale.md).",
        *("read threads", "read processes", "read parts", "read bytes", "read rows", "read index"),
    ),
    "Which values are written": (
        "See [writing](writing.md).",
        *("write into", "write at", "write omit", "write types", "write default", "write archive"),
        "write classes",
    ),
    "The look of JSON and property lists": (
        "See [writing](writing.md).",
        *("write indent", "write sort_keys", "write canonical", "write ascii", "write non_finite"),
        *("write decimals", "write large_ints", "write binary", "write framing", "write form"),
        "write stream",
    ),
    "The look of XML": (
        "`indent` and `ascii` are options of XML, too: see [writing](writing.md).",
        *("write root", "write record", "write declaration", "write namespaces", "write null"),
    ),
    "The look of CSV": (
        "`null` is an option of CSV, too: see [writing CSV](csv_writing.md).",
        *("write dialect", "write quoting", "write formulas", "write encoding"),
    ),
    "Files that are written": (
        "A file is replaced as a whole, or stays as it was: see [writing](writing.md).",
        *("write format", "write compression", "write level", "write sync", "write append"),
        "write torn",
    ),
    "Converting and compressing again": (
        "[`convert`](converting.md) and `recompress` take options of both sides, and these.",
        *("convert to", "convert to_dialect", "convert to_form", "convert form"),
        *("convert objects", "recompress to"),
    ),
}

REFERRING = re.compile(r"; see `|, as for `|^As for `|; see the")
FIRST = re.compile(r"(.+?)(?<!\.)\.(?= |$)")


class Verb(NamedTuple):
    """A verb of a module."""

    module: str
    name: str
    function: Callable[..., Any]

    @property
    def link(self) -> str:
        """Where the reference has it."""
        within = "" if self.module == "penstock" else f"{self.module}."
        return f"reference/{self.module}.md#penstock.{within}{self.name}"

    def options(self) -> list[str]:
        """Return the names of the options, and `into`."""
        given = inspect.signature(self.function).parameters.values()
        return [
            each.name for each in given if each.kind is each.KEYWORD_ONLY or each.name == "into"
        ]

    def side(self, option: str) -> str:
        """Return what an option is about: what is read, what is written, or this verb."""
        if option in OWN.get(self.name, ()):
            return self.name
        is_both = self.name in OWN and option in ALSO_WRITING
        is_written = (self.name in WRITING or is_both) and option != "limits"
        return "write" if is_written else "read"

    def said(self, option: str) -> str:
        """Return the paragraph of an option."""
        text = inspect.getdoc(self.function) or ""
        arguments = text.partition("\nArgs:\n")[2]
        found = re.search(rf"^    {option}: (.+(?:\n {{8}}.+)*)", arguments, re.MULTILINE)
        return " ".join(found[1].split()) if found else ""


def verbs() -> Iterator[Verb]:
    """Yield all verbs of all modules."""
    for name in VERBS:
        for module in MODULES:
            place = "penstock" if module == "penstock" else f"penstock.{module}"
            function = getattr(importlib.import_module(place), name, None)
            if function is not None:
                yield Verb(module, name, function)


def taken() -> dict[str, list[Verb]]:
    """Return the verbs that take each option."""
    found: dict[str, list[Verb]] = {}
    for verb in verbs():
        for option in verb.options():
            found.setdefault(f"{verb.side(option)} {option}", []).append(verb)
    return found


def home(option: str, takers: list[Verb]) -> Verb:
    """Return the verb that spells an option out: the first that does not refer to another."""
    spelled = (
        verb for verb in takers if (text := verb.said(option)) and not REFERRING.search(text)
    )
    return next(spelled, takers[0])


def shown(option: str, verb: Verb) -> str:
    """Return an option with its default."""
    default = inspect.signature(verb.function).parameters[option].default
    if default is inspect.Parameter.empty or default is object:
        return option
    return f"{option}={json.dumps(default) if isinstance(default, str) else default}"


def meaning(text: str) -> str:
    """Return the first sentence of a paragraph, without a reference at its end."""
    if not text:
        raise SystemExit("no docstring says what an option means")
    found = FIRST.match(text)
    said = re.sub(r"[:;] see `[\w.]+`$", "", found[1] if found else text.removesuffix("."))
    return said.replace("|", "\\|") + "."


def where(takers: list[Verb]) -> str:
    """Return the verbs with their modules; verbs of the same modules stand together."""
    modules: dict[str, list[str]] = {}
    for verb in takers:
        modules.setdefault(verb.name, []).append(verb.module)
    together: dict[tuple[str, ...], list[str]] = {}
    for name, found in modules.items():
        together.setdefault(tuple(found), []).append(f"`{name}`")
    parts = []
    for found, names in together.items():
        said = ["any" if module == "penstock" else module for module in found]
        parts.append(f"{' '.join(names)}: {'all' if found == MODULES else ', '.join(said)}")
    return " &middot; ".join(parts)


def page() -> str:
    """Return the page."""
    found = taken()
    grouped = [option for _, *options in GROUPS.values() for option in options]
    if different := found.keys() ^ set(grouped):
        names = ", ".join(sorted(different))
        raise SystemExit(f"GROUPS of scripts/options.py must have each option once: {names}")
    parts = [INTRODUCTION]
    for title, (about, *options) in GROUPS.items():
        lines = ["| option | what it does, and which verbs take it |", "|---|---|"]
        for option in options:
            name = option.partition(" ")[2]
            verb = home(name, found[option])
            link = f"[`{shown(name, verb)}`]({verb.link})"
            takers = f"<br><small>{where(found[option])}</small>"
            lines.append(f"| {link} | {meaning(verb.said(name))}{takers} |")
        parts.append(f"## {title}\n\n{about}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
