"""What pickles of `via` name."""

from penstock._annotations.via import _from_parts

__all__ = ["_from_parts"]
