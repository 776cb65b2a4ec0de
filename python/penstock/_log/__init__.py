"""`Log`: state as a fold over an append-only file."""
