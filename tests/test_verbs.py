"""The modules of the verbs are what their script writes, and describe every option."""

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("verbs", ROOT / "scripts/verbs.py")
assert SPEC
assert SPEC.loader
verbs = importlib.util.module_from_spec(SPEC)
# Its data classes look themselves up.
sys.modules["verbs"] = verbs
SPEC.loader.exec_module(verbs)

MODULES = {str(path.relative_to(ROOT)): text for path, text in verbs.generated().items()}
WRITER = verbs.Writer()


def described(node: ast.FunctionDef | ast.ClassDef) -> dict[str, str]:
    """Return the paragraphs under `Args`."""
    section = re.search(r"\n\nArgs:\n(.*?)(?:\n\n|$)", ast.get_docstring(node) or "", re.DOTALL)
    items = re.split(r"\n(?=    \S)", f"\n{section[1]}" if section else "")[1:]
    return dict(item.strip().split(": ", 1) for item in items)


def verbs_of(text: str) -> Iterator[tuple[str, ast.FunctionDef, dict[str, str]]]:
    """Yield the public verbs of a module, and its encoders and decoders, with their paragraphs."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.args.kwonlyargs and node.name[0] != "_":
            yield node.name, node, described(node)
        elif isinstance(node, ast.ClassDef) and "Args:" in (ast.get_docstring(node) or ""):
            made = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            yield node.name, made[0], described(node)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_what_the_script_writes(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == MODULES[name]


@pytest.mark.parametrize("name", MODULES)
def test_each_option_has_its_paragraph(name: str) -> None:
    for verb, function, paragraphs in verbs_of((ROOT / name).read_text("utf-8")):
        given = function.args
        parameters = [each.arg for each in given.posonlyargs + given.kwonlyargs]
        assert list(paragraphs) == [each for each in parameters if each != "cls"], verb
        assert all(text.endswith((".", ".)")) for text in paragraphs.values()), verb


def test_all_verbs_are_found() -> None:
    found = [verb for text in MODULES.values() for verb, _, _ in verbs_of(text)]
    for verb in ("decode", "encode", "dump", "write", "load", "read", "send"):
        assert found.count(verb) == 6, verb
    assert len([verb for verb in found if verb.endswith("Encoder")]) == 5


def test_each_row_of_the_table_counts_somewhere() -> None:
    counts = set()
    for template in WRITER.templates:
        for definition in template.definitions:
            place = definition.place
            for name in definition.parameters if definition.is_short else ():
                for what in ("type", "text"):
                    if what == "type" or (place, name) not in WRITER.described:
                        with suppress(SystemExit):
                            said = place.said(what, name)
                            counts.add((place.verb in verbs.WRITING, name, what, said))
    rows = {(*key, text) for key, rows in verbs.table().items() for _, text in rows}
    assert not rows - counts


def test_no_docstring_repeats_the_table() -> None:
    for template in WRITER.templates:
        for definition in template.definitions:
            for name, text in definition.docstring.items("Args").items():
                with suppress(SystemExit):
                    assert text != WRITER.paragraph(definition.place, name), (
                        definition.place,
                        name,
                    )


def test_statements_are_broken_as_ruff_does_it() -> None:
    text = """\
        with opened(first_argument, "a, (b)", [1, 2], second_argument, third_argument) as file:
            return made(first_argument, {"one": 1, "two": [2, 2]},
                another_argument, the_third_argument_of_all, (last_argument,), "and a text, too")
        return kept(  # as it is
            1)
        names = ["json", "ndjson", "xml", "csv", "plist", "decode", "encode", "load", "dump", "open"]
        short = made(1,
            2)
    """
    expected = """\
        with opened(first_argument, "a, (b)", [1, 2], second_argument, third_argument) as file:
            return made(
                first_argument,
                {"one": 1, "two": [2, 2]},
                another_argument,
                the_third_argument_of_all,
                (last_argument,),
                "and a text, too",
            )
        return kept(  # as it is
            1)
        names = ["json", "ndjson", "xml", "csv", "plist", "decode", "encode", "load", "dump", "open"]
        short = made(1, 2)
    """
    assert verbs.layout.laid_out(inspect.cleandoc(text) + "\n") == inspect.cleandoc(expected) + "\n"


def definition(path: Path, text: str) -> Any:
    """Return the only function of a template."""
    path.write_text(inspect.cleandoc(text) + "\n")
    [found] = verbs.Template(path, {}).definitions
    return found


def test_a_verb_in_short(tmp_path: Path) -> None:
    text = """
        STYLE = indent, omit

        'The module.'

        def dump(value, target: str, /, *, STYLE, sync) -> None:
            '''Write it.

            Args:
                sync: Whether to wait.
            Raises:
                TypeError: It is no text.
                KeyError: It is not there.
            Returns:
                Nothing.
            '''
            write(value, target, STYLE=STYLE, sync={"STYLE": STYLE})
    """
    found = definition(tmp_path / "xml.py", text.replace("'''", '"""'))
    expected = """
        def dump(
            value: Any,
            target: str,
            /,
            *,
            indent: int | Literal["\\t"] | None = None,
            omit: Omit | None = None,
            sync: bool = False,
        ) -> None:
            '''Write it.

            Args:
                value: The value; see `encode`.
                target: A path, a binary file, or a function that is called with chunks of bytes.
                indent: The spaces for each level; see `encode`.
                omit: The fields to leave out; see `encode`.
                sync: Whether to wait.

            Returns:
                Nothing.

            Raises:
                OSError: The target cannot be written to.
                TypeError: It is no text.
                KeyError: It is not there.
                EncodeError: The value cannot be written. A file at a path stays as it was.
                PlanError: Penstock cannot plan `into`.
                ValueError: An option is not valid.
            '''
            write(value, target, indent=indent, omit=omit, sync={"indent": indent, "omit": omit})
    """
    written = "\n".join(WRITER.function(found))
    assert written == inspect.cleandoc(expected.replace("'''", '"""'))


def test_a_docstring_that_describes_what_is_no_option(tmp_path: Path) -> None:
    text = """
        'The module.'

        def load(source, /, *, limits) -> object:
            '''Read it.

            Args:
                limit: How far.
            '''
    """
    found = definition(tmp_path / "json.py", text.replace("'''", '"""'))
    with pytest.raises(SystemExit, match=r"^json\.load has no limit$"):
        WRITER.function(found)


def test_imports_are_those_that_are_used() -> None:
    statements = """\
        import os
        from collections.abc import Iterable, Iterator, Mapping
        from typing import Any, overload
        from typing_extensions import Buffer
        import penstock.json as json
        from penstock._base import plan as _plan
        from penstock._base.types import PLAIN, T
    """
    text = """\
        __all__ = ["Mapping", "decode"]
        if TYPE_CHECKING:
            @overload
            def decode(data: Buffer) -> Any: ...
        def decode(data: Buffer, into: T = PLAIN) -> Iterable[T]:
            from others import json
            _plan.checked(into)
            return json.loads(os.fspath(data))
    """
    expected = """\
        from __future__ import annotations

        import os

        from penstock._base import plan as _plan
        from penstock._base.types import PLAIN

        TYPE_CHECKING = False

        if TYPE_CHECKING:
            from collections.abc import Iterable, Mapping
            from typing import Any, overload

            from typing_extensions import Buffer

            from penstock._base.types import T
    """
    known = verbs.layout.imports(ast.parse(inspect.cleandoc(statements)).body)
    assert verbs.layout.needed(inspect.cleandoc(text), known) == inspect.cleandoc(expected) + "\n"


def test_items_keep_their_places() -> None:
    shared = {"OSError": "no file", "TypeError": "no path", "PlanError": "no plan"}
    own = {"TypeError": "neither", "DecodeError": "torn"}
    assert list(verbs.merged(own, shared).items()) == [
        ("OSError", "no file"),
        ("TypeError", "neither"),
        ("DecodeError", "torn"),
        ("PlanError", "no plan"),
    ]
    assert next(iter(verbs.merged({"ValueError": "none"}, shared))) == "ValueError"


def test_an_option_that_nobody_describes() -> None:
    with pytest.raises(SystemExit, match=r"^the table has no text of errors in json\.decode$"):
        WRITER.paragraph(verbs.Place("json", "decode"), "errors")
