"""Streams that compose: `reader | function | (branch, branch) | end`.

Build a pipeline with `|`, and run it with `run()`, with `Reader.into`, or by iterating it. The page
on pipelines explains it.

    import penstock
    from penstock.streams import batch

    penstock.read("cities.json", City).into(Pipeline(large_only, batch(100), store))
"""

from __future__ import annotations

from penstock._base.place import Place
from penstock._streams.concurrent import concurrent
from penstock._streams.nodes import Failure
from penstock._streams.pipeline import Pipeline
from penstock._streams.run import Summary
from penstock._streams.shell import ShellError, shell
from penstock._streams.stages import Stream, batch, take

__all__ = [
    "Failure",
    "Pipeline",
    "Place",
    "ShellError",
    "Stream",
    "Summary",
    "batch",
    "concurrent",
    "shell",
    "take",
]
