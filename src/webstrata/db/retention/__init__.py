"""Queries of retention policies, legal holds, tombstones and artifacts."""
