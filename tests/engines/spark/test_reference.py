"""The page of the reference has every public name of `penstock.spark`."""

import re
from pathlib import Path

import penstock.spark

PAGE = Path(__file__).parents[3] / "docs/reference/spark.md"


def test_the_reference_has_every_public_name() -> None:
    shown = re.findall(
        r"^\.\. auto(?:class|function):: (\w+)$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert sorted(shown) == sorted(penstock.spark.__all__)
    assert all(getattr(penstock.spark, name).__doc__ for name in shown)
