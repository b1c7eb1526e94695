"""Comparing two captures of a page, and what of it does not count."""
