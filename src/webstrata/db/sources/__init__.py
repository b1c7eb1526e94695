"""Queries of sources, their scopes, editions and totals."""
