"""What pickles of a `csv.Dialect` name."""

from penstock._io.dialect import of_options

__all__ = ["of_options"]
