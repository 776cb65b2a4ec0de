"""What pickles of a `Schema` name."""

from penstock._arrow.types import restored

__all__ = ["restored"]
