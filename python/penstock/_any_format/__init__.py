"""The verbs that find the format themselves, or are told it: they stand on those of the formats."""
