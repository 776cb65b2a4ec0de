"""Writes the modules of the verbs: `make verbs`, or `python scripts/verbs.py`.

Each verb of each format has an explicit signature and a whole docstring, because these are what
people, editors and type checkers read. What is kept by hand is in `scripts/verbs`:

- `options.txt` has the type, the default and the description of each option.
- `every.py` has what a verb has in common in all formats: ends of its docstring, and its body.
- Every other file is a template: a module of `python/penstock` in short, at the same path.

In a template,

- a parameter without an annotation is an option of the table. The generator puts its paragraph
  under `Args`, unless the docstring has one.
- a section that a docstring lacks, and the body that a function lacks, are those of `every.py`. An
  item under `Raises` replaces its namesake of `every.py`, or stands behind the item before it.
- names in capitals, which are assigned before the module's docstring, stand for parameters or for
  an expression. `NAME=NAME` and `"NAME": NAME` are repeated for each of the parameters.
- imports are missing. A module imports what it uses of `penstock._base.types`, of what `every.py`
  imports, and of what the template does.
- statements may be broken where you like. The generator breaks them as Ruff does.

The modules are committed. `tests/test_verbs.py` compares them with what this script writes.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).parent))

import layout

ROOT = Path(__file__).parent.parent
TEMPLATES = ROOT / "scripts/verbs"
PACKAGE = ROOT / "python/penstock"
TYPES = PACKAGE / "_base/types.py"

WRITING = {"encode", "dump", "write", "Encoder"}
SECTIONS = ("Args", "Returns", "Raises", "Warns", "Example")
REFERENCE = re.compile(r"\{(\w+)\}")
# A paragraph stands two levels deep.
FILLER = textwrap.TextWrapper(
    layout.WIDTH - 8, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
)

Node: TypeAlias = ast.FunctionDef | ast.ClassDef
# Texts, each with the places where it counts: everywhere if there are none.
Rows: TypeAlias = list[tuple[set[str], str]]


@dataclass(frozen=True)
class Place:
    """A verb of a format. `penstock` is the format of the verbs that find the format out."""

    format: str
    verb: str

    def said(self, what: str, name: str) -> str:
        """Return the `type` or the `text` of an option: the last row that counts here."""
        rows = table().get((self.verb in WRITING, name, what), [])
        names = {self.format, self.verb, f"{self.format}.{self.verb}"}
        for where, text in reversed(rows):
            if not where or where & names:
                return text
        raise SystemExit(f"the table has no {what} of {name} in {self.format}.{self.verb}")


@cache
def table() -> dict[tuple[bool, str, str], Rows]:
    """Read the types and the texts of the options of verbs that write, and of the others."""
    found: dict[tuple[bool, str, str], Rows] = {}
    is_writing, option = False, ""
    row = re.compile(r"(?=[\w ])(\w*) *(?:\[(.*?)\])?:? *(.*)")
    text = (TEMPLATES / "options.txt").read_text("utf-8")
    for line in re.sub(r"\n {8}", " ", text).splitlines():
        if line.startswith("="):
            is_writing = line == "= writing"
        elif match := row.fullmatch(line):
            name, where, said = match.groups("")
            option = name or option
            rows = found.setdefault((is_writing, option, "type" if name else "text"), [])
            rows.append((set(where.split()), said))
    return found


@dataclass
class Docstring:
    """A docstring: its beginning with the quotes, and its sections by their names."""

    summary: str = ""
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Docstring:
        """Take a docstring apart, quotes and all."""
        text = textwrap.dedent(text).removesuffix('"""').rstrip()
        summary, *parts = re.split(rf"\n+(?=(?:{'|'.join(SECTIONS)}):$)", text, flags=re.MULTILINE)
        return cls(summary, {part.partition(":")[0]: part.partition("\n")[2] for part in parts})

    def items(self, section: str) -> dict[str, str]:
        """Return the paragraphs of a section by their names."""
        text = textwrap.dedent(self.sections.get(section, ""))
        return {part.partition(":")[0]: part for part in re.split(r"\n(?=\S)", text) if part}

    def put(self, section: str, items: dict[str, str]) -> None:
        """Set the paragraphs of a section."""
        self.sections[section] = textwrap.indent("\n".join(items.values()), "    ")

    def over(self, shared: Docstring) -> Docstring:
        """Return this docstring, with what it lacks taken from a shared one."""
        whole = Docstring(self.summary or shared.summary, shared.sections | self.sections)
        if raised := shared.items("Raises"):
            whole.put("Raises", merged(self.items("Raises"), raised))
        return whole

    def lines(self, indent: str) -> list[str]:
        """Return the lines of the docstring."""
        parts = [f"{name}:\n{self.sections[name]}" for name in SECTIONS if name in self.sections]
        text = "\n\n".join([self.summary, *parts])
        end = '\n"""' if "\n" in text else '"""'
        return textwrap.indent(text + end, indent).splitlines()


def merged(own: dict[str, str], shared: dict[str, str]) -> dict[str, str]:
    """Put items in place of their shared namesakes, or else behind the item before."""
    order = list(shared)
    for before, name in pairwise(["", *own]):
        if name not in shared:
            order.insert(order.index(before) + 1 if before else 0, name)
    return {name: own.get(name) or shared[name] for name in order}


class Definition:
    """A function or a class of a template."""

    def __init__(self, template: Template, node: Node, around: ast.ClassDef | None) -> None:
        self.template = template
        self.node = node
        self.indent = " " * node.col_offset
        # The format is not in the name of a class: `LinesEncoder` is an `Encoder`.
        verb = re.sub(r"\w+(?=Encoder)", "", (around or node).name)
        self.name = f"{verb}.{node.name}" if around else verb
        module = re.search(r'__module__ = "(?:penstock\.)?(\w+)"', template.source(around or node))
        self.place = Place(module[1] if module else template.format, verb)
        options = node.args.kwonlyargs if isinstance(node, ast.FunctionDef) else []
        # Whether the table declares parameters.
        self.is_short = any(option.annotation is None for option in options)

    @property
    def documented(self) -> slice:
        """The lines of the docstring, if there is one."""
        node = self.node.body[0]
        is_documented = ast.get_docstring(self.node) is not None
        return slice(node.lineno - 1, node.end_lineno if is_documented else node.lineno - 1)

    @property
    def docstring(self) -> Docstring:
        """The docstring; an empty one if there is none."""
        return Docstring.of("\n".join(self.template.lines[self.documented]))

    @property
    def body(self) -> str:
        """The statements behind the docstring; none if it is `...`."""
        lines = self.template.lines[self.documented.stop : self.node.end_lineno]
        text = textwrap.dedent("\n".join(lines)).strip("\n")
        return "" if ast.unparse(self.node.body[-1]) == "..." else text

    @property
    def parameters(self) -> dict[str, str]:
        """The declarations of the parameters by their names; for a class, those of `__new__`."""
        nodes = [self.node, *self.node.body]
        given = next(node.args for node in nodes if isinstance(node, ast.FunctionDef))
        defaults = [None] * (len(given.posonlyargs) - len(given.defaults)) + given.defaults
        found: dict[str, str] = {}
        for parameter, default in zip(
            given.posonlyargs + given.kwonlyargs, defaults + given.kw_defaults, strict=True
        ):
            if parameter.annotation or parameter.arg == "cls":
                end = f" = {self.template.source(default)}" if default else ""
                found[parameter.arg] = self.template.source(parameter) + end
            else:
                for name in self.template.names(parameter.arg):
                    found[name] = f"{name}: {self.place.said('type', name)}"
            if parameter in given.posonlyargs[-1:]:
                found |= {"/": "/", "*": "*"}
        return found


class Template:
    """A file of `scripts/verbs`."""

    def __init__(self, path: Path, short: dict[str, str]) -> None:
        self.path = path
        self.text = path.read_text("utf-8")
        self.lines = self.text.splitlines()
        self.format = "penstock" if path.parent.name == "_any_format" else path.stem
        body = ast.parse(self.text).body
        first = next(place for place, node in enumerate(body) if isinstance(node, ast.Expr))
        pairs = (self.source(node).partition(" = ") for node in body[:first])
        self.short = short | {name: text for name, _, text in pairs}
        self.imports = layout.imports(body)
        self.head = "\n".join(self.lines[body[first].lineno - 1 : body[first].end_lineno])
        # Behind the docstring and the imports.
        imported = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        self.start = [body[first], *imported][-1].end_lineno
        self.definitions = list(self.find(body[first:]))

    def find(
        self, body: list[ast.stmt], around: ast.ClassDef | None = None
    ) -> Iterator[Definition]:
        """Yield functions and classes."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield Definition(self, node, around)
            if isinstance(node, ast.If | ast.ClassDef):
                yield from self.find(node.body, node if isinstance(node, ast.ClassDef) else around)

    def source(self, node: ast.AST | None) -> str:
        """Return the text of a node in one line."""
        text = ast.get_source_segment(self.text, node) if node else None
        return " ".join((text or "").split())

    def names(self, text: str) -> list[str]:
        """Return the parameters that a text names, also by names that stand for several."""
        found: list[str] = []
        for name in re.findall(r"\w+", text):
            found += self.names(self.short[name]) if name in self.short else [name]
        return found

    def expanded(self, body: str) -> str:
        """Return statements without names in capitals."""

        def repeated(match: re.Match[str]) -> str:
            return ", ".join(match[0].replace(match[2], name) for name in self.names(match[2]))

        body = re.sub(r'("?)([A-Z]+)\1(?:=|: )\2\b', repeated, body)
        return re.sub(r"\b[A-Z]+\b", lambda match: self.short.get(match[0], match[0]), body)


class Writer:
    """Makes the modules."""

    def __init__(self) -> None:
        every = Template(TEMPLATES / "every.py", {})
        types = re.findall(r"\n    (?:class )?(\w+)(?:[(:]| = )", TYPES.read_text("utf-8"))
        self.imports = {name: ("penstock._base.types", name) for name in types} | every.imports
        self.shared = {definition.name: definition for definition in every.definitions}
        paths = sorted(set(TEMPLATES.rglob("*.py")) - {every.path})
        self.templates = [Template(path, every.short) for path in paths]
        # The options that docstrings of templates describe.
        self.described = {
            (definition.place, name)
            for template in self.templates
            for definition in template.definitions
            for name in definition.docstring.items("Args")
        }

    def reference(self, place: Place, name: str, verb: str) -> str:
        """Refer to the verb that spells an option out: of the same format, or else of JSON."""
        home = Place(place.format, verb)
        if (home, name) not in self.described and REFERENCE.search(home.said("text", name)):
            return f"; see `penstock.json.{verb}`"
        if place.verb == "Encoder":
            return f"; see `penstock.{place.format}.{verb}`"
        return f"; see `{verb}`" if place.verb in WRITING else f", as for `{verb}`"

    def paragraph(self, place: Place, name: str) -> str:
        """Return the table's paragraph of an option."""
        text = place.said("text", name)
        text = REFERENCE.sub(lambda match: self.reference(place, name, match[1]), text)
        return FILLER.fill(f"{name}: {text}").replace("~", " ")

    def docstring(self, definition: Definition) -> list[str]:
        """Return the lines of a docstring; none if there is none."""
        own, shared = definition.docstring, self.shared.get(definition.name)
        whole = own.over(shared.docstring) if shared else own
        if not whole.summary:
            return []
        if "Raises" in whole.sections:
            described, place = own.items("Args"), definition.place
            names = [name for name in definition.parameters if name not in {"cls", "/", "*"}]
            if unknown := described.keys() - names:
                raise SystemExit(f"{place.format}.{place.verb} has no {', '.join(unknown)}")
            whole.put("Args", {n: described.get(n) or self.paragraph(place, n) for n in names})
        return whole.lines(definition.indent + "    ")

    def function(self, definition: Definition) -> list[str]:
        """Return the lines of a function, from its `def`."""
        node, indent, template = definition.node, definition.indent, definition.template
        assert isinstance(node, ast.FunctionDef)
        shared = self.shared.get(definition.name)
        lines = template.lines[node.lineno - 1 : node.end_lineno]
        if not definition.is_short and not shared:
            return lines
        head = [lines[0].removesuffix(" ...")]
        if definition.is_short:
            parameters = [f"{indent}    {each}," for each in definition.parameters.values()]
            returned = f"{indent}) -> {template.source(node.returns)}:"
            head = [f"{indent}def {node.name}(", *parameters, returned]
        if "overload" in map(template.source, node.decorator_list):
            return [*head[:-1], f"{head[-1]} ..."]
        body = template.expanded(definition.body or (shared.body if shared else ""))
        statements = textwrap.indent(body, f"{indent}    ").splitlines()
        return [*head, *self.docstring(definition), *statements]

    def module(self, template: Template) -> str:
        """Return the text of a module."""
        lines = template.lines.copy()
        for definition in reversed(template.definitions):
            node = definition.node
            if isinstance(node, ast.FunctionDef):
                lines[node.lineno - 1 : node.end_lineno] = self.function(definition)
            else:
                lines[definition.documented] = self.docstring(definition)
        path = template.path.relative_to(ROOT)
        header = f"# scripts/verbs.py writes this file from {path}: `make verbs`."
        text = "\n".join(lines[template.start :]).strip()
        imports = layout.needed(text, self.imports | template.imports)
        blank = "\n" if text.startswith(("@", "class ")) else ""
        parts = [header, template.head, "", imports + blank, text]
        return layout.laid_out("\n".join(parts) + "\n")


def generated() -> dict[Path, str]:
    """Return the text of each module."""
    writer = Writer()
    return {
        PACKAGE / template.path.relative_to(TEMPLATES): writer.module(template)
        for template in writer.templates
    }


def main() -> None:
    """Write the modules."""
    for path, text in generated().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
