"""The version of the index."""

INDEX_VERSION = 4
"""Raise it with any change of what is stored of a page: files that another version read are then read again."""
