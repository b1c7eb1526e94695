"""Assets: plugins normalise captures, and each changed result is stored as a version."""
