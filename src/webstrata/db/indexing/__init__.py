"""Queries that only indexing needs."""
