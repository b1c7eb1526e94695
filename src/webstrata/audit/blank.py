"""Recognises blank screenshots: nearly all pixels have the same colour."""

from io import BytesIO
from typing import TYPE_CHECKING

from webstrata.errors import MissingExtraError, UnreadablePageError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 60_000_000
"""The largest screenshot that is decoded, with some 240 MB of memory; browsers cut pages at about that height."""

LEAST_SHARE = 0.0002
"""The share of pixels that must differ from the background: a line of small text on a large screen has twice that."""

_NOTICEABLE = 24
"""By how many of 255 levels of brightness a pixel must differ; faint noise and shadows differ less."""


def is_blank_screenshot(png: bytes) -> bool:
    """Return whether a PNG image shows nothing; UnreadablePageError when it cannot be decoded."""
    image = _decode_png(png)
    width, height = image.size
    return _differing_pixels(image) < LEAST_SHARE * width * height


def _decode_png(png: bytes) -> "Image":
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise MissingExtraError("the check of screenshots", "browser") from None
    try:
        with Image.open(BytesIO(png), formats=("PNG",)) as opened:
            width, height = opened.size
            if width * height > MAX_PIXELS:
                raise UnreadablePageError(f"the screenshot has {width} × {height} pixels, more than {MAX_PIXELS}")
            return opened.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        raise UnreadablePageError(f"the screenshot is not a readable PNG image: {error}") from error


def _differing_pixels(image: "Image") -> int:
    """Return the number of pixels that differ from the most frequent colour."""
    from PIL import Image, ImageChops

    background = tuple(max(range(256), key=channel.histogram().__getitem__) for channel in image.split())
    difference = ImageChops.difference(image, Image.new("RGB", image.size, background))
    red, green, blue = difference.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(most.histogram()[_NOTICEABLE:])
