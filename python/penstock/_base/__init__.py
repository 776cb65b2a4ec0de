"""What everything else stands on: errors, limits, types, and what knows nothing of formats."""
