"""Converts data in memory, and finds the documents of the corpora."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import penstock


def converted(data: str | bytes, format: Any, to: Any, **options: Any) -> str:
    target = io.BytesIO()
    source = io.BytesIO(data.encode() if isinstance(data, str) else data)
    penstock.convert(source, target, format=format, to=to, **options)
    return target.getvalue().decode()


def documents(corpus: Callable[[str], Path], suites: list[str], most: int = 8 << 20) -> list[Path]:
    paths = [path for suite in suites for path in sorted(corpus(suite).rglob("*"))]
    return [path for path in paths if path.is_file() and path.stat().st_size <= most]
