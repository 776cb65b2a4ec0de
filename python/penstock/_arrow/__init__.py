"""Columns: the types that fields declare, schemas, and the rows of tables of others."""
