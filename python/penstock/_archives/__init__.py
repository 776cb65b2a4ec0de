"""Property lists that are looked into, and keyed archives."""
