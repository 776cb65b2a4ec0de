"""What pickles of `tag` name."""

from penstock._annotations.tag import _tag

__all__ = ["_tag"]
