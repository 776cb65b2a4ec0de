"""Stores: values by references, stacked."""
