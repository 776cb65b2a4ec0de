"""What pickles of `cells`, `separated` and `spread` name."""

from penstock._annotations.cells import _made, _split

__all__ = ["_made", "_split"]
