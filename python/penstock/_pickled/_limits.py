"""What pickles of `Limits` name."""

from penstock._base.limits import _from_bounds

__all__ = ["_from_bounds"]
