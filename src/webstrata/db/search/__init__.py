"""Queries of search: full text, candidates, ranking, results."""
