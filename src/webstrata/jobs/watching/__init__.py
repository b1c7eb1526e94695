"""Watches and saved searches: added, scheduled, and written beside the archive."""
