"""Measures in a fresh process: `worker.py ROW VARIANT [--check] CASE...` prints one JSON object.

It maps each case to its sample, or with `--check` to the digest of its values. The process ends
without releasing anything, which would only take time.
"""

from __future__ import annotations

import gc
import json
import os
import sys

import measuring
import rows
from inputs import Missing


def main(arguments: list[str]) -> None:
    """Measure the cases in the order given and print the results."""
    check = "--check" in arguments
    key, condition, *names = (word for word in arguments if word != "--check")
    row = rows.find(key)
    variant = next(variant for variant in row.variants if variant.name == condition)
    measure = measuring.MEASURES[row.measure]
    cases = {case.name: case for case in row.cases}
    found: dict[str, object] = {}
    try:
        source = row.source(variant.name)
    except Missing as missing:
        found = {name: {"left out": f"skipped: {missing}"} for name in names}
        names = []
    if not variant.collector:
        gc.disable()
    for name in names:
        try:
            call = cases[name].make(variant.name)
            if check and row.values is not None:
                found[name] = measuring.digest(row.values(call(source.data)))
                continue
            if source.small is not None:
                call(source.small)
            found[name] = measure(call, source)
        except Missing as missing:
            found[name] = {"left out": f"skipped: {missing}"}
        except Exception as error:  # noqa: BLE001 - one case that fails must not take the others along
            found[name] = {"left out": f"FAILED: {type(error).__name__}: {error}"}
    print(json.dumps(found), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
