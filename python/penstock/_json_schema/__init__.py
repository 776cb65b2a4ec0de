"""JSON Schemas of types."""
