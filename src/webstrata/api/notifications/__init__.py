"""Admin API of notifications, and of reviews of changes."""
