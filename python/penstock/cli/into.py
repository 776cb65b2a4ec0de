"""Finds the class that `--into module:Class` names."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from penstock._base.errors import _printable
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any


def wanted(arguments: argparse.Namespace) -> Any:
    """Return the type of `--into` and `--rename`, or None if there is none.

    Raises:
        CommandError: As for `find`, or there is only a `--rename`.
        PlanError: As for `find`.
    """
    if arguments.into is not None:
        return find(arguments.into, arguments.rename)
    if arguments.rename is not None:
        raise CommandError("--rename says the keys of a class: name the class with --into")
    return None


def find(words: str, rename: list[str] | None = None) -> Any:
    """Import a module, with the current directory on the path, and return its object of that name.

    With `rename`, return a plan in which the keys differ from the names of the fields.

    Raises:
        CommandError: There is no such module or class, the module raises, or `rename` is wrong.
        PlanError: Penstock cannot decode into the class, or `rename` names no field.
    """
    found = _found(words)
    return found if rename is None else _renamed(found, rename)


def _renamed(found: Any, rename: list[str]) -> Any:
    """A plan with a style of names, or with a key for each of some fields."""
    from penstock._rust import Plan  # noqa: PLC0415 - only for this

    keys = dict(word.split("=", 1) for word in rename if "=" in word)
    styles: list[Any] = [word for word in rename if "=" not in word]
    if styles and (keys or len(styles) > 1):
        raise CommandError("--rename takes one style, or FIELD=KEY for each field")
    try:
        return Plan(found, rename=styles[0] if styles else keys)
    except ValueError as error:
        raise CommandError(f"--rename: {error}") from error


def _found(words: str) -> Any:
    module_name, colon, path = words.partition(":")
    if not colon and words.endswith(".py"):
        module = words[:-3].removeprefix("./").replace("/", ".")
        raise CommandError(f"{words!r} is a file: name the module and a class, as in {module}:City")
    if "/" in module_name or module_name.endswith(".py"):
        module = module_name.removesuffix(".py").removeprefix("./").replace("/", ".")
        raise CommandError(f"{module_name!r} is a path: the module is written {module}:{path}")
    if not (module_name and colon and path):
        raise CommandError(f"{words!r} is not MODULE:CLASS, such as models:City")
    # As `python` does for scripts, so that the user's own module is found before others.
    here = os.getcwd()  # noqa: PTH109 - importing pathlib is slow
    if here not in sys.path:
        sys.path.insert(0, here)
    found: Any = _imported(module_name)
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise CommandError(f"{words}: {_missing(found, name)}") from None
    return found


def _imported(name: str) -> object:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        # The missing module may also be one that the user's module imports.
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise CommandError(f"there is no module {error.name!r}") from None
        raise CommandError(_raised(name, error)) from error
    except Exception as error:
        raise CommandError(_raised(name, error)) from error
    except SystemExit as error:
        raise CommandError(f"the module {name!r} exits when it is imported") from error


def _raised(name: str, error: Exception) -> str:
    """The module's exception and its line: the innermost one outside the import machinery."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<frozen") and file not in {
            __file__,
            import_module.__code__.co_filename,
        }:
            place = f" ({_printable(file)}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"the module {name!r} cannot be imported: {type(error).__name__}: {error}{place}"


def _missing(owner: object, name: str) -> str:
    """Says that there is no such name, and suggests a near one."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for this

    title = getattr(owner, "__name__", repr(owner))
    kind = "module" if type(owner) is type(sys) else "class"
    near = get_close_matches(name, [word for word in dir(owner) if not word.startswith("_")], 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"the {kind} {title!r} has no {name!r}{meant}"
