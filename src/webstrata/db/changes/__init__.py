"""Queries of change events."""
