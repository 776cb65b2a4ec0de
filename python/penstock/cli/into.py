"""Finds the class that `--into module:Class` names."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from penstock._errors import _printable
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


def find(words: str) -> Any:
    """Import a module, with the current directory on the path, and return its object of that name.

    Raises:
        CommandError: There is no such module or class, or the module raises.
    """
    module_name, colon, path = words.partition(":")
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
