"""Lookups of replay that run for every file of a replayed page."""
