"""Parts of files: indexes of rows, splits, ranges, checkpoints, and several processes."""
