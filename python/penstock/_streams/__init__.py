"""Pipelines: stages, what runs them, and text of any object graph."""
