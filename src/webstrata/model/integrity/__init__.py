"""Integrity checks of the archive's files."""
