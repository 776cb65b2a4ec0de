"""What pickles of `at` name."""

from penstock._annotations.at import _from_parts

__all__ = ["_from_parts"]
