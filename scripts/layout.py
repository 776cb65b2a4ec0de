"""Lays out Python that is generated: the imports that it needs, and its long statements.

Ruff finds nothing to change in it. That is only so for statements as `scripts/verbs.py` has them.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

WIDTH = 100

# Names, each with the module that it is imported from, if it is none, and how that is written.
Imports: TypeAlias = dict[str, tuple[str, str]]


def imports(nodes: Iterable[ast.stmt]) -> Imports:
    """Return what statements import."""
    return {
        alias.asname or alias.name: (getattr(node, "module", ""), ast.unparse(alias))
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def used(node: ast.AST, *, is_typing: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the names that are used, and whether only type checkers look at the place."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id, is_typing
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        yield from ((name, True) for name in ast.literal_eval(node.value))
    elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        is_typing = True
    for field, value in ast.iter_fields(node):
        is_late = is_typing or field in {"annotation", "returns"}
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from used(child, is_typing=is_late)


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names that are defined, anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def needed(text: str, known: Imports) -> str:
    """Return the imports of a module: what it uses and does not define, of what is known."""
    tree = ast.parse(text)
    # A use at run time comes behind those of type checkers, and counts.
    uses = dict(sorted(used(tree), key=lambda use: not use[1]))
    names = uses.keys() & known.keys() - set(defined(tree))
    now = sorted_imports([known[name] for name in names if not uses[name]], "")
    late = sorted_imports([known[name] for name in names if uses[name]], "    ")
    guarded = f"TYPE_CHECKING = False\n\nif TYPE_CHECKING:\n{late}"
    return f"from __future__ import annotations\n\n{now}\n{guarded}"


def sorted_imports(imported: list[tuple[str, str]], indent: str) -> str:
    """Return import statements in the order of Ruff."""
    grouped: dict[tuple[int, bool, str, str], list[str]] = {}
    for module, name in sorted(imported):
        package = (module or name).partition(".")[0]
        section = {"typing_extensions": 1, "penstock": 2}.get(package, 0)
        alone = name if " as " in name else ""
        grouped.setdefault((section, module != "", module, alone), []).append(name)
    text, before = "", None
    for (section, _, module, _), names in sorted(grouped.items()):
        text += "\n" if before not in {None, section} else ""
        line = f"from {module} import {', '.join(names)}" if module else f"import {names[0]}"
        if len(indent + line) > WIDTH:
            listed = "".join(f"{indent}    {name},\n" for name in names)
            line = f"from {module} import (\n{listed}{indent})"
        text += f"{indent}{line}\n"
        before = section
    return text


def laid_out(text: str) -> str:
    """Break long statements, and those that a template breaks in its own way, as Ruff does."""
    lines = text.splitlines()
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.With):
            found.append((node.lineno - 1, node.body[0].lineno - 1))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return):
            found.append((node.lineno - 1, node.end_lineno or 0))
    for start, end in sorted(found, reverse=True):
        statement = lines[start:end]
        is_laid_out = end - start == 1 or statement[-1].strip()[0] in ")]}"
        is_kept = '"""' in statement[0] or any("#" in line for line in statement)
        if not is_kept and not (is_laid_out and all(len(line) <= WIDTH for line in statement)):
            lines[start:end] = broken(joined(statement))
    return "\n".join(lines) + "\n"


def joined(lines: list[str]) -> str:
    """Return a statement as one line."""
    text = lines[0]
    for line in map(str.strip, lines[1:]):
        if line[0] in ")]}":
            text = text.removesuffix(",") + line
        else:
            text += line if text[-1] in "([{" else f" {line}"
    return text


def broken(line: str) -> list[str]:
    """Break a long line in its longest brackets: at all commas, unless one line holds a call's."""
    if len(line) <= WIDTH:
        return [line]
    start, *commas, end = longest(line)
    indent = line[: len(line) - len(line.lstrip())]
    head, tail = line[: start + 1], indent + line[end:]
    inside = f"{indent}    {line[start + 1 : end]}"
    if head[-1] == "(" and len(inside) <= WIDTH:
        return [head, inside, tail]
    items = [line[a + 1 : b].strip() for a, b in pairwise([start, *commas, end])]
    return [head, *(part for item in items for part in broken(f"{indent}    {item},")), tail]


def longest(line: str) -> list[int]:
    """Return where the longest brackets of a line begin, have commas, and end."""
    opened: list[list[int]] = []
    closed = []
    for token in tokenize.generate_tokens(iter([line]).__next__):
        if token.string in {"(", "[", "{"}:
            opened.append([token.start[1]])
        elif token.string == "," and opened:
            opened[-1].append(token.start[1])
        elif token.string in {")", "]", "}"}:
            closed.append([*opened.pop(), token.start[1]])
    return max(closed, key=lambda places: places[-1] - places[0])
