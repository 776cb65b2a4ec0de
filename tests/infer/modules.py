"""Runs the code that `penstock.infer` writes."""

import sys
from types import ModuleType
from typing import Any


def executed(code: str, name: str = "inferred") -> Any:
    """Return a module of this code, in which its annotations find their names."""
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(code, f"{name}.py", "exec"), module.__dict__)
    return module
