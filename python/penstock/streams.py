"""Streams that compose: `reader | function | (branch, branch) | end`.

Build a pipeline with `|`, and run it with `run()`, with `Reader.into`, or by iterating it. The page
on pipelines explains it.

    import penstock
    from penstock.streams import batch

    penstock.read("cities.json", City).into(Pipeline(large_only, batch(100), store))
"""

from __future__ import annotations

from penstock._nodes import Failure
from penstock._pipeline import Pipeline
from penstock._place import Place
from penstock._run import Summary
from penstock._shell import ShellError, shell
from penstock._stages import Stream, batch, take

__all__ = [
    "Failure",
    "Pipeline",
    "Place",
    "ShellError",
    "Stream",
    "Summary",
    "batch",
    "shell",
    "take",
]
