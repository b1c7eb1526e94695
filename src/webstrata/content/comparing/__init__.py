"""Comparison of two captures of a page, without differences that do not count."""
