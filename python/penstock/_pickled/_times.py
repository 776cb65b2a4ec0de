"""What pickles of `times` and `unix` name."""

from penstock._annotations.times import _made

__all__ = ["_made"]
