"""Values and rules of notifications."""
