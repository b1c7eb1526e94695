"""Pages of notifications, and the review of changes."""
