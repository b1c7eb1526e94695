"""Deleting a source with its captures and files."""
