"""Writes a module with classes."""

from __future__ import annotations

import re
import textwrap
from collections import Counter

from penstock._infer import kinds as _kinds
from penstock._infer import layout as _layout
from penstock._infer import names as _names
from penstock._infer import types as _types
from penstock._infer.layout import Atom, Call, Either

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._infer.decide import Decided
    from penstock._infer.json_schema import Described
    from penstock._infer.layout import Part
    from penstock._infer.types import Class, Field, Made, Type

# So many classes of one name are common.
_COMMON = 3
_STANDARD = {"dataclasses", "datetime", "decimal", "typing", "uuid", "__future__"}


class Module:
    """The code of the classes that were decided, for one kind."""

    def __init__(
        self, decided: Decided | Described, kind: str, name: str, title: list[str]
    ) -> None:
        self._classes = decided.classes
        self._kind = kind
        self._title = title
        self._imports: set[str] = set()
        self._written: set[int] = set()
        # Those that stand above what is written now.
        self._done: set[Class] = set()
        self._is_late = False
        self._name_classes(name, is_record=decided.type == _types.Class(0))
        self._class_names = frozenset(made.name for made in self._classes)
        blocks: list[str] = []
        for part in _types.inside(decided.type):
            if isinstance(part, _types.Class):
                blocks += self._class(part)
        if decided.type != _types.Class(0) and decided.is_alias:
            blocks.append(self._alias(name, decided.type))
        self._blocks = blocks

    def _name_classes(self, name: str, *, is_record: bool) -> None:
        taken = _names.Names((name,))
        wanted = [_names.camel(made.wanted) for made in self._classes]
        often = Counter(wanted)
        for number, made in enumerate(self._classes):
            if number == 0 and is_record:
                made.name = name
                continue
            # What is called the same in many classes is called after these.
            is_common = often[wanted[number]] >= _COMMON
            around = _names.camel(made.title)
            full = f"{made.title} {made.wanted}" if is_common else made.wanted
            if _names.camel(full) == _names.camel(name):
                # The name is that of a list or a dict of these.
                full += " item"
            made.name = _names.of_class(full, around, taken)

    def code(self) -> str:
        """Return it."""
        parts = [*(["\n".join(self._title)] if self._title else []), *self._import_blocks()]
        head = "\n\n".join(parts)
        if len(self._blocks) == 1 and not self._classes:
            return f"{head}\n\n{self._blocks[0]}\n"
        return "\n\n\n".join([*([head] if head else []), *self._blocks]) + "\n"

    def _import_blocks(self) -> list[str]:
        if self._is_late:
            self._imports.add("__future__:annotations")
        plain: dict[bool, list[str]] = {True: [], False: []}
        named: dict[str, set[str]] = {}
        for item in sorted(self._imports):
            module, colon, name = item.partition(":")
            if colon:
                named.setdefault(module, set()).add(name)
            else:
                line = "import datetime as dt" if module == "datetime" else f"import {module}"
                plain[module in _STANDARD].append(line)
        future = named.pop("__future__", None)
        blocks = ["from __future__ import annotations"] if future else []
        for is_standard in (True, False):
            lines = plain[is_standard]
            for module, names in sorted(named.items()):
                if (module in _STANDARD) == is_standard:
                    lines += _from(module, names)
            if lines:
                blocks.append("\n".join(lines))
        return blocks

    def _class(self, of: Class) -> list[str]:
        """The blocks of a class and of those that it needs, which come first."""
        if of.number in self._written:
            return []
        self._written.add(of.number)
        made = self._classes[of.number]
        blocks: list[str] = []
        for field in made.fields:
            for part in _types.inside(field.type):
                if not isinstance(part, _types.Class):
                    continue
                if part.number in self._written and part not in self._done:
                    self._is_late = True
                blocks += self._class(part)
        blocks.append(self._block(made))
        self._done.add(of)
        return blocks

    def _block(self, made: Made) -> str:
        self._name_fields(made)
        self._imports.update(_kinds.imports(self._kind))
        optional = [field.is_absent for field in made.fields]
        by_name = _kinds.has_order(self._kind) and optional != sorted(optional)
        lines = _said(made.comment, 0) if made.comment else []
        lines += _kinds.head(self._kind, made.name, by_name=by_name)
        if made.doc:
            lines += [*_doc(made.doc), ""]
        for field in made.fields:
            lines += self._field(field)
        return "\n".join(lines)

    def _name_fields(self, made: Made) -> None:
        keys = [(field.step, field.key) for field in made.fields]
        attributes = {key for step, key in keys if step == "attribute"}
        # A field with a default hides a class of its name from annotations.
        taken = _names.Names(self._class_names)
        # A key that is a name has it, whatever comes before.
        kept = {
            field.key
            for field in made.fields
            if field.step in {"member", "element"} and field.at == field.key
        }
        for key in kept:
            taken.take(key)
        given: set[str] = set()
        for field in made.fields:
            is_its_own = field.key in kept and field.key not in given
            if is_its_own:
                taken.leave(field.key)
            field.name = name = _names.of_field(field.key, taken, self._kind)
            given.add(name)
            if is_its_own:
                taken.take(field.key)
            is_found = field.step in {"member", "element"} and field.key not in attributes
            field.is_plain = is_found and name == field.key and field.at == field.key

    def _field(self, field: Field) -> list[str]:
        self._imports.update(_kinds.needs(self._kind, field))
        is_dict = self._kind == "typeddict"
        of = field.type
        if field.is_absent and not field.empty and field.default is None and not is_dict:
            of = _types.union([of, _types.NONE])
        calls: tuple[str, ...] = ()
        if not field.is_plain and not _kinds.is_renamed_by_call(self._kind, field):
            self._imports.add("penstock:at")
            calls = (f"at({_layout.string(field.at)})",)
        if is_dict and field.is_absent:
            of = _types.Generic("NotRequired", (of,))
        part = self._type(_types.Marked(of, calls) if calls else of)
        default = _kinds.default(self._kind, field, self._factory(field), is_bare=not calls)
        lines = _assigned(f"{field.name}: ", part, default)
        if not field.comment:
            return lines
        if len(lines) == 1 and len(lines[0]) + len(field.comment) + 4 <= _layout.WIDTH:
            return [f"{lines[0]}  # {field.comment}"]
        return [*_said(field.comment, 4), *lines]

    def _factory(self, field: Field) -> str | None:
        """What makes the list or dict of a field that is absent: checkers want to know of what."""
        if field.empty is None:
            return None
        of = field.type
        late = {
            self._classes[part.number].name
            for part in _types.inside(of)
            if isinstance(part, _types.Class) and part not in self._done
        }
        written = _layout.flat(self._type(of))
        for name in late:
            written = re.sub(rf"\b{name}\b", f'"{name}"', written)
        return written

    def _alias(self, name: str, of: Type) -> str:
        self._imports.add("typing:TypeAlias")
        return "\n".join(_layout.lines(f"{name}: TypeAlias = ", self._type(of), "", 0))

    def _type(self, of: Type) -> Part:
        match of:
            case _types.Name("bytes") if self._kind == "pydantic":
                # Otherwise, bytes are text in a model.
                return Atom("pydantic.InstanceOf[bytes]")
            case _types.Name(name, module):
                if module == "datetime":
                    self._imports.add(module)
                elif module is not None:
                    self._imports.add(f"{module}:{name}")
                return Atom(name)
            case _types.Literal(values):
                self._imports.add("typing:Literal")
                return Call("Literal[", tuple(Atom(_value(value)) for value in values), "]")
            case _types.Generic(name, arguments):
                if name == "NotRequired":
                    self._imports.add("typing:NotRequired")
                return Call(f"{name}[", tuple(map(self._type, arguments)), "]")
            case _types.Union(members):
                return Either(tuple(map(self._type, members)))
            case _types.Class(number):
                return Atom(self._classes[number].name)
            case _types.Marked(inner, calls):
                # One `Annotated` has all of them.
                if isinstance(inner, _types.Marked):
                    return self._type(_types.Marked(inner.type, (*inner.calls, *calls)))
                return self._marked(inner, calls)

    def _marked(self, of: Type, calls: tuple[str, ...]) -> Part:
        self._imports.add("typing:Annotated")
        for call in calls:
            name = call.partition("(")[0]
            module, dot, _ = name.partition(".")
            owner = "annotated_types" if name[0].isupper() else "penstock"
            self._imports.add(module if dot else f"{owner}:{name}")
        return Call("Annotated[", (self._type(of), *map(Atom, calls)), "]")


def _value(value: object) -> str:
    return _layout.string(value) if isinstance(value, str) else repr(value)


def _assigned(before: str, of: Part, default: Part | None) -> list[str]:
    """A field with its default."""
    if default is None:
        return _layout.lines(before, of, "", 4)
    one = f"    {before}{_layout.flat(of)} = {_layout.flat(default)}"
    if len(one) <= _layout.WIDTH:
        return [one]
    if isinstance(default, Atom):
        return _layout.lines(before, of, f" = {_layout.flat(default)}", 4)
    is_marked = isinstance(of, Call) and of.head == "Annotated["
    if isinstance(default, Call) and not is_marked:
        return _layout.lines(f"{before}{_layout.flat(of)} = ", default, "", 4)
    lines = _layout.lines(before, of, f" = {_layout.flat(default)}", 4)
    if len(lines[-1]) <= _layout.WIDTH:
        return lines
    *lines, last = _layout.lines(before, of, "", 4)
    return [*lines, *_layout.lines(f"{last.lstrip()} = ", default, "", 4)]


def _from(module: str, names: set[str]) -> list[str]:
    listed = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    one = f"from {module} import {', '.join(listed)}"
    if len(one) <= _layout.WIDTH:
        return [one]
    return [f"from {module} import (", *(f"    {name}," for name in listed), ")"]


def _doc(text: str) -> list[str]:
    """A docstring."""
    written = text.replace("\\", "\\\\").replace('"', "'")
    if len(written) + 10 <= _layout.WIDTH:
        return [f'    """{written}"""']
    lines = textwrap.wrap(written, _layout.WIDTH - 8, break_on_hyphens=False)
    return [f'    """{lines[0]}', *(f"    {line}" for line in lines[1:]), '    """']


def _said(comment: str, indent: int) -> list[str]:
    """A comment above."""
    space = " " * indent
    return textwrap.wrap(
        comment,
        _layout.WIDTH,
        initial_indent=f"{space}# ",
        subsequent_indent=f"{space}# ",
        break_on_hyphens=False,
    )
