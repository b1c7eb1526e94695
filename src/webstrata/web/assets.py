"""Static files of the pages: styles, scripts, pictures. Read once; their URLs contain a hash, so browsers cache them
for ever."""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import HTTPException

STATIC = Path(__file__).parent / "static"
HTMX = "vendor/htmx.min.js"

_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@dataclass(frozen=True)
class StaticFile:
    """A file as it is sent."""

    content: bytes
    compressed: bytes
    media_type: str
    digest: str


def read_assets(folder: Path) -> Mapping[str, StaticFile]:
    """Return every file of a folder, by its path in it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _asset(path) for path in files}


@cache
def our_assets() -> Mapping[str, StaticFile]:
    """Return the files that are part of this program."""
    return read_assets(STATIC)


def asset_address(name: str) -> str:
    """Return the address of a file; it changes with the content."""
    return f"/static/{name}?v={our_assets()[name].digest}"


router = APIRouter(include_in_schema=False)


@router.get("/static/{name:path}")
def send_asset(name: str, request: Request) -> Response:
    """Send a file, or 304 when the browser has it already."""
    asset = our_assets().get(name)
    if asset is None:
        raise HTTPException(404, "There is no such file")
    headers = {
        "Cache-Control": _FOR_EVER if request.query_params.get("v") == asset.digest else _ASK_AGAIN,
        "ETag": f'W/"{asset.digest}"',
        "Vary": "Accept-Encoding",
    }
    if asset.digest in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.compressed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def _asset(path: Path) -> StaticFile:
    content = path.read_bytes()
    media_type, _ = mimetypes.guess_type(path.name)
    return StaticFile(
        content=content,
        compressed=gzip.compress(content, mtime=0),
        media_type=media_type or "application/octet-stream",
        digest=hashlib.sha256(content).hexdigest()[:16],
    )
