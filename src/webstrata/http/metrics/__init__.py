"""Metrics of requests and of the archive, and usage counts."""
