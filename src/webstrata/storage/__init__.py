"""Blobs: bytes kept under their own digest, on disk."""
