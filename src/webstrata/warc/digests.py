"""Compares bytes with a digest in any of the forms that archives write."""

import base64
import binascii
import hashlib
import re

_ALGORITHMS = {
    "sha1": "sha1",
    "sha-1": "sha1",
    "sha256": "sha256",
    "sha-256": "sha256",
    "sha512": "sha512",
    "md5": "md5",
}
_SHA1_BYTES = 20
_USUAL = re.compile(r"sha1:[A-Z2-7]{32}")


class DigestCheck:
    """Hashes its input and compares it with a digest; a missing or unknown digest always matches."""

    def __init__(self, labelled: str | None) -> None:
        """Compare with a digest such as `sha1:BASE32` or `sha256:hex`."""
        label, _, value = (labelled or "").partition(":")
        algorithm = _ALGORITHMS.get(label.lower())
        self._expected = value.strip()
        self._hash = hashlib.new(algorithm, usedforsecurity=False) if algorithm and self._expected else None
        self._other = self._hash.copy() if self._hash else None

    @property
    def is_needed(self) -> bool:
        """Return whether there is anything to compare."""
        return self._hash is not None

    def update(self, data: bytes) -> None:
        """Add more bytes."""
        if self._hash is not None:
            self._hash.update(data)

    def update_either(self, data: bytes, otherwise: bytes) -> None:
        """Add bytes with two interpretations: archives disagree on whether chunks belong to a payload."""
        self.update(data)
        if self._other is not None:
            self._other.update(otherwise)

    def matches(self) -> bool:
        """Return whether the bytes match the digest."""
        if self._hash is None or self._other is None:
            return True
        return _decode_digest(self._expected, self._hash.digest_size) in (self._hash.digest(), self._other.digest())


def normal_digest(labelled: str | None) -> str | None:
    """Return a digest in the form that most archives write; tools write SHA-1 in other letters and in hexadecimal."""
    if labelled is None or _USUAL.fullmatch(labelled):
        return labelled
    label, colon, value = labelled.strip().partition(":")
    algorithm = _ALGORITHMS.get(label.lower())
    if not colon or algorithm is None:
        return labelled
    if algorithm != "sha1":
        is_hex = len(value) == 2 * hashlib.new(algorithm, usedforsecurity=False).digest_size
        return f"{algorithm}:{value.lower() if is_hex else value}"
    found = _decode_digest(value, _SHA1_BYTES)
    return f"sha1:{base64.b32encode(found).decode()}" if len(found) == _SHA1_BYTES else labelled


def _decode_digest(value: str, size: int) -> bytes:
    """Return a digest's bytes, written in hexadecimal or base 32, padded or not."""
    try:
        if len(value) == 2 * size:
            return bytes.fromhex(value)
        return base64.b32decode(value.upper() + "=" * (-len(value) % 8))
    except (ValueError, binascii.Error):
        return b""
