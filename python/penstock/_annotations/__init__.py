"""What users write beside a type, and what the extension asks about annotations."""
