"""What pickles of an error name."""

from penstock._base.errors import _restored

__all__ = ["_restored"]
