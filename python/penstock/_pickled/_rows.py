"""What pickles of `Rows` name."""

from penstock._parts.rows import _opened_again

__all__ = ["_opened_again"]
