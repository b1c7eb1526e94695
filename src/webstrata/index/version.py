"""The version of the index."""

INDEX_VERSION = 4
"""Increase it with any change of what is stored for a page: files that were indexed by another version are then read
again."""
