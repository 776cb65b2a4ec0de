"""What pickles of `Batches` name."""

from penstock._engines.batches import Batches

__all__ = ["Batches"]
