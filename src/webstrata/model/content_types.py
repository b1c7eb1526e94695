"""The content types that pages are declared as: the one list that every package uses."""

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
PDF_TYPES = frozenset({"application/pdf", "application/x-pdf"})
TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
XML_TYPES = frozenset({"application/xml", "text/xml"})
"""Types of XML, which may be XHTML, depending on the first tag."""

CSS_TYPE = "text/css"

UNSTATED_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download"}
    | {"application/download", "unknown/unknown", "application/unknown", "*/*"}
)
"""Types that servers declare for unknown content; the bytes decide."""

_PAGE_TYPES = HTML_TYPES | PDF_TYPES | TEXT_TYPES | XML_TYPES | UNSTATED_TYPES


def media_type(content_type: str | None) -> str:
    """Return a Content-Type header without its parameters, in lower case; empty when there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def may_be_page(declared: str | None) -> bool:
    """Return whether a body of a declared type can be a page; its bytes may still show that it is not one."""
    return media_type(declared) in _PAGE_TYPES
