"""Blobs: bytes stored under their own digest, on disk."""
