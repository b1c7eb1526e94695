"""The built-in plugin for captures that are not pages: stores their bytes unchanged, by category."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import PurePosixPath

from webstrata.assets.naming import identifier_for, path_for
from webstrata.assets.plugin import AssetRecord, AssetType, CapturedContent, NormalizedAsset
from webstrata.model.assets import checksum_of
from webstrata.model.urls import parse_url


class MediaCategory(StrEnum):
    """The category of a file."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    DOCUMENT = "document"
    FONT = "font"
    STYLE = "style"
    SCRIPT = "script"
    OTHER = "other"


_TYPES: Mapping[str, tuple[str, MediaCategory]] = {
    "application/epub+zip": ("epub", MediaCategory.DOCUMENT),
    "application/font-woff": ("woff", MediaCategory.FONT),
    "application/javascript": ("js", MediaCategory.SCRIPT),
    "application/json": ("json", MediaCategory.OTHER),
    "application/msword": ("doc", MediaCategory.DOCUMENT),
    "application/pdf": ("pdf", MediaCategory.DOCUMENT),
    "application/rtf": ("rtf", MediaCategory.DOCUMENT),
    "application/vnd.apple.mpegurl": ("m3u8", MediaCategory.VIDEO),
    "application/vnd.ms-excel": ("xls", MediaCategory.DOCUMENT),
    "application/vnd.ms-fontobject": ("eot", MediaCategory.FONT),
    "application/vnd.ms-powerpoint": ("ppt", MediaCategory.DOCUMENT),
    "application/vnd.oasis.opendocument.presentation": ("odp", MediaCategory.DOCUMENT),
    "application/vnd.oasis.opendocument.spreadsheet": ("ods", MediaCategory.DOCUMENT),
    "application/vnd.oasis.opendocument.text": ("odt", MediaCategory.DOCUMENT),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ("pptx", MediaCategory.DOCUMENT),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("xlsx", MediaCategory.DOCUMENT),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("docx", MediaCategory.DOCUMENT),
    "application/x-javascript": ("js", MediaCategory.SCRIPT),
    "application/xml": ("xml", MediaCategory.OTHER),
    "application/zip": ("zip", MediaCategory.OTHER),
    "audio/aac": ("aac", MediaCategory.AUDIO),
    "audio/flac": ("flac", MediaCategory.AUDIO),
    "audio/mp4": ("m4a", MediaCategory.AUDIO),
    "audio/mpeg": ("mp3", MediaCategory.AUDIO),
    "audio/ogg": ("ogg", MediaCategory.AUDIO),
    "audio/wav": ("wav", MediaCategory.AUDIO),
    "font/otf": ("otf", MediaCategory.FONT),
    "font/ttf": ("ttf", MediaCategory.FONT),
    "font/woff": ("woff", MediaCategory.FONT),
    "font/woff2": ("woff2", MediaCategory.FONT),
    "image/avif": ("avif", MediaCategory.IMAGE),
    "image/bmp": ("bmp", MediaCategory.IMAGE),
    "image/gif": ("gif", MediaCategory.IMAGE),
    "image/jpeg": ("jpg", MediaCategory.IMAGE),
    "image/png": ("png", MediaCategory.IMAGE),
    "image/svg+xml": ("svg", MediaCategory.IMAGE),
    "image/tiff": ("tif", MediaCategory.IMAGE),
    "image/vnd.microsoft.icon": ("ico", MediaCategory.IMAGE),
    "image/webp": ("webp", MediaCategory.IMAGE),
    "image/x-icon": ("ico", MediaCategory.IMAGE),
    "text/css": ("css", MediaCategory.STYLE),
    "text/csv": ("csv", MediaCategory.DOCUMENT),
    "text/javascript": ("js", MediaCategory.SCRIPT),
    "text/markdown": ("md", MediaCategory.DOCUMENT),
    "text/plain": ("txt", MediaCategory.DOCUMENT),
    "text/xml": ("xml", MediaCategory.OTHER),
    "video/mp4": ("mp4", MediaCategory.VIDEO),
    "video/mpeg": ("mpg", MediaCategory.VIDEO),
    "video/ogg": ("ogv", MediaCategory.VIDEO),
    "video/quicktime": ("mov", MediaCategory.VIDEO),
    "video/webm": ("webm", MediaCategory.VIDEO),
}
"""Our own table, as those of Python and of the system differ between machines, but paths must not."""

_CATEGORIES = dict(_TYPES.values()) | {"jpeg": MediaCategory.IMAGE, "tiff": MediaCategory.IMAGE}
_FAMILIES = frozenset({MediaCategory.IMAGE, MediaCategory.VIDEO, MediaCategory.AUDIO, MediaCategory.FONT})
_SAYS_NOTHING = frozenset({None, "application/octet-stream", "binary/octet-stream", "application/x-download"})
_EXTENSION = re.compile(r"[a-z0-9]{1,10}")
_NO_EXTENSION = "bin"


class MediaPlugin:
    """Stores a file as it was sent."""

    name = "media"
    version = "1"

    def supports(self, asset_type: str) -> bool:
        """Return true for everything but pages."""
        return asset_type == AssetType.MEDIA

    def normalize(self, content: CapturedContent) -> Iterator[NormalizedAsset]:
        """Return the file with its category."""
        extension, category = sort_of(content.media_type, content.url)
        yield NormalizedAsset(
            AssetRecord(
                identifier=identifier_for(content.url),
                asset_type=AssetType.MEDIA,
                source_url=content.url,
                checksum=checksum_of(content.body),
                tags=(category,),
                normalized_path=path_for(f"media/{category}", content.url, extension),
                metadata={
                    "category": category,
                    "extension": extension,
                    "media_type": content.media_type,
                    "size": len(content.body),
                },
            ),
            content.body,
        )


def sort_of(media_type: str | None, url: str) -> tuple[str, MediaCategory]:
    """Return the extension and the category of a file, from its type, or from its URL when the type is unknown."""
    if media_type is not None and media_type in _TYPES:
        return _TYPES[media_type]
    extension = _extension_in(url)
    if media_type in _SAYS_NOTHING:
        return extension or _NO_EXTENSION, _CATEGORIES.get(extension, MediaCategory.OTHER)
    family = (media_type or "").partition("/")[0]
    return extension or _NO_EXTENSION, MediaCategory(family) if family in _FAMILIES else MediaCategory.OTHER


def _extension_in(url: str) -> str:
    extension = PurePosixPath(parse_url(url).path).suffix.removeprefix(".").lower()
    return extension if _EXTENSION.fullmatch(extension) else ""
