"""Queries of deleting a source with its captures."""
