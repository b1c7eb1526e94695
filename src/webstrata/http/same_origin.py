"""Protection against cross-site requests: writes are refused when another site's page sent them."""

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

_DEFAULT_PORTS = {"http": 80, "https": 443}
_OWN_PAGES = ("same-origin", "none")


async def require_same_origin(request: Request) -> None:
    """Refuse a write unless the browser's headers show that a page of this site, or its user, sent it."""
    if not is_same_origin(request):
        raise HTTPException(403, "This form was not sent from a page of this site")


async def refuse_other_sites(request: Request) -> None:
    """Refuse a write from another site's page; for API routes, where programs send no such headers.

    Without an admin token every client on this machine may write, so without this check any page in its browser could,
    too.
    """
    if is_from_another_site(request):
        raise HTTPException(403, "This request was sent from a page of another site")


def is_same_origin(request: Request) -> bool:
    """Return whether a request comes from a page of this site, by the browser's headers, which must agree."""
    headers = request.headers
    if is_from_another_site(request):
        return False
    has_origin = "sec-fetch-site" in headers or "origin" in headers
    return has_origin or ("referer" in headers and _is_ours(headers["referer"], headers.get("host", "")))


def is_from_another_site(request: Request) -> bool:
    """Return whether a browser's headers show that a page of another site sent a request."""
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    if site is not None and site not in _OWN_PAGES:
        return True
    return origin is not None and not _is_ours(origin, request.headers.get("host", ""))


def _is_ours(url: str, host: str) -> bool:
    """Return whether a page's URL has the host that a request was sent to; the scheme may differ because of a proxy."""
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
