"""Digests in the form that archives write them."""

import base64
import hashlib


def digest(*parts: bytes) -> str:
    """Return the SHA-1 of bytes, given in parts so that they need not be copied together."""
    sha1 = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        sha1.update(part)
    return f"sha1:{base64.b32encode(sha1.digest()).decode('ascii')}"
