"""What the adapters of the engines of clusters share."""
