"""Forms that write take no orders from other sites' pages."""

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

_DEFAULT_PORTS = {"http": 80, "https": 443}
_OWN_PAGES = ("same-origin", "none")


async def require_same_origin(request: Request) -> None:
    """Refuse a write unless the browser says that a page of ours, or its user, asked for it."""
    if not is_same_origin(request):
        raise HTTPException(403, "This form was not sent from a page of this site")


def is_same_origin(request: Request) -> bool:
    """Tell whether a request comes from a page of ours: what a browser says must agree, and it must say something."""
    headers = request.headers
    site, origin, referer = (headers.get(name) for name in ("sec-fetch-site", "origin", "referer"))
    if site is not None and site not in _OWN_PAGES:
        return False
    if origin is not None and not _is_ours(origin, headers.get("host", "")):
        return False
    said = site is not None or origin is not None
    return said or (referer is not None and _is_ours(referer, headers.get("host", "")))


def _is_ours(url: str, host: str) -> bool:
    """Tell whether a page's address is on the host that a request was sent to; the scheme may be a proxy's."""
    try:
        page = urlsplit(url)
        own = urlsplit(f"{page.scheme}://{host}")
        default = _DEFAULT_PORTS.get(page.scheme)
        return (
            default is not None
            and bool(page.hostname)
            and page.hostname == own.hostname
            and (page.port or default) == (own.port or default)
        )
    except ValueError:
        return False
