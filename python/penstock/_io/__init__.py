"""Formats and their names, sources, targets, and the files that a caller means."""
