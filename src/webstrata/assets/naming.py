"""Names of assets of a URL: the identifier, and the path of the file in an export."""

import re

from webstrata.model.urls import bounded, parse_url, url_key

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_PART = 80
_MOST_PARTS = 8
_HASH_LENGTH = 12


def identifier_for(url: str) -> str:
    """Return the identifier of the one asset of a URL."""
    return bounded(parse_url(url).href)


def path_for(folder: str, url: str, extension: str) -> str:
    """Return a path below a folder made from the URL; a hash replaces parts that a path cannot have."""
    parts = parse_url(url)
    names = [name for name in parts.path.split("/") if name] or ["index"]
    if parts.path.endswith("/") and parts.path != "/":
        names.append("index")
    host = f"{parts.hostname}_{parts.port}" if parts.port else parts.hostname
    shown = [_safe(name) for name in (host, *names)][:_MOST_PARTS]
    told_all = shown == [host, *names] and not parts.query
    stem = shown.pop().removesuffix(f".{extension}")
    mark = "" if told_all else f"~{url_key(parts.href)[:_HASH_LENGTH]}"
    return "/".join([folder, *shown, f"{stem}{mark}.{extension}"])


def _safe(name: str) -> str:
    """Return a name that is valid on every file system, not hidden, and not a path."""
    return _UNSAFE.sub("_", name)[:_LONGEST_PART].lstrip(".") or "_"
