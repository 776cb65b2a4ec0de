"""What pickles of an open document and of `Records` name."""

from penstock._verbs.open import _again, _records_again

__all__ = ["_again", "_records_again"]
