"""Range requests (RFC 9110): the part of a body that a client asks for."""

import re

_RANGE = re.compile(r"\s*bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)


def requested_range(header: str, size: int) -> range | None:
    """Return the requested bytes: an empty range if they are outside the body, None for the whole body.

    Headers with several ranges and invalid ones are ignored, as the standard allows.
    """
    found = _RANGE.fullmatch(header)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        return range(max(0, size - int(found[2])), size)
    first = int(found[1])
    if not found[2]:
        return range(min(first, size), size)
    last = int(found[2])
    return None if last < first else range(min(first, size), min(last + 1, size))
