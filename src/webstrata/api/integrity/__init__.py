"""Integrity checks over the API."""
