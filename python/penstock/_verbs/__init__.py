"""What the verbs of the formats share."""
