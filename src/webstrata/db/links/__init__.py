"""Queries of links between pages, and of how well pages are linked."""
