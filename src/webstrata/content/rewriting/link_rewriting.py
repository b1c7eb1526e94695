"""Rewriting of the addresses in a page: links, images, frames, styles; all other markup is unchanged."""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial

from webstrata.content.rewriting.css_rewriting import rewrite_css
from webstrata.content.tree import EditedTag, rewrite
from webstrata.model.urls import join

MAX_NESTED = 2
"""To which depth pages in `srcdoc` attributes of frames are rewritten."""


class Loading(StrEnum):
    """How a page uses an address."""

    LINK = "link"
    FRAME = "frame"
    IMAGE = "image"
    STYLE = "style"
    SCRIPT = "script"
    OTHER = "other"


NewAddress = Callable[[str, Loading], str]
"""A function that returns the new address of an absolute URL, given how it is used."""

_LOADING = {
    "a": Loading.LINK,
    "area": Loading.LINK,
    "form": Loading.LINK,
    "button": Loading.LINK,
    "frame": Loading.FRAME,
    "iframe": Loading.FRAME,
    "img": Loading.IMAGE,
    "image": Loading.IMAGE,
    "input": Loading.IMAGE,
    "video": Loading.OTHER,
    "script": Loading.SCRIPT,
}
_ADDRESSES = ("href", "src", "action", "formaction", "data", "poster", "background", "xlink:href")
_SETS = ("srcset", "imagesrcset")
_IMAGES = frozenset({"poster", "background", *_SETS})
_OTHERS = ("style", "srcdoc", "content")
_SELECTOR = ", ".join(f"[{name}]" for name in (*_ADDRESSES, *_SETS, *_OTHERS)).replace("xlink:", r"xlink\:")
_REFRESH = re.compile(
    r"(?P<wait>\s*[0-9.]+\s*[;,]?\s*(?:url\s*=\s*)?)(?P<quote>[\"']?)(?P<url>.*)", re.IGNORECASE | re.DOTALL
)
_CANDIDATE = re.compile(r"(?P<url>[^ \t\n\f\r]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]++|\([^)]*+\)?)*+")
_SEPARATORS = re.compile(r"[ \t\n\f\r,]*+")
_SPACE = " \t\n\f\r"


def rewrite_page(html: str, url: str, new_address: NewAddress, depth: int = 0) -> str:
    """Return a page with its addresses replaced, except fragments and what is not a web address."""
    return _Rewriting(url, new_address, depth).rewrite(html)


class _Rewriting:
    """The rewriting of one page."""

    def __init__(self, url: str, new_address: NewAddress, depth: int) -> None:
        self._base = url
        self._has_base = False
        self._new_address = new_address
        self._depth = depth
        self._is_style = False

    def rewrite(self, html: str) -> str:
        handlers = (("base", self._take_base), ("style", self._enter_style), (_SELECTOR, self._rewrite_tag))
        return rewrite(html, elements=handlers, text=self._rewrite_text)

    def _take_base(self, tag: EditedTag) -> None:
        """Use the first base element for all following addresses, and remove its address, as the rewritten ones are
        absolute."""
        stated = tag.get("href")
        if stated is not None and not self._has_base:
            self._base, self._has_base = join(self._base, stated) or self._base, True
        tag.remove()

    def _enter_style(self, tag: EditedTag) -> None:
        self._is_style = True

    def _rewrite_text(self, text: EditedTag) -> None:
        if self._is_style:
            self._is_style = False
            self._set_style_text(text)

    def _set_style_text(self, text: EditedTag) -> None:
        css = text.text
        new = rewrite_css(css, self.css_address)
        if new != css:
            text.set_text(new)

    def css_address(self, written: str, is_sheet: bool) -> str | None:
        return self._address(written, Loading.STYLE if is_sheet else Loading.IMAGE)

    def _rewrite_tag(self, tag: EditedTag) -> None:
        if tag.removed:
            return
        name = tag.tag.lower()
        for attribute, value in tag.attrs:
            if value and (new := self._rewritten(tag, name, attribute.lower(), value)) not in {None, value}:
                tag.set_attribute(attribute, new or "")
        if name in {"a", "area", "form"} and tag.has_attribute("target"):
            # A sandboxed page cannot open windows, so a link with such a target would do nothing.
            tag.set_attribute("target", "_self")
        if tag.has_attribute("integrity"):
            tag.remove_attribute("integrity")

    def _rewritten(self, tag: EditedTag, name: str, attribute: str, value: str) -> str | None:
        if attribute in _ADDRESSES:
            return self._address(value, _loading(tag, name, attribute))
        if attribute in _SETS:
            return rewrite_srcset(value, partial(self._address, loading=Loading.IMAGE))
        if attribute == "style":
            return rewrite_css(value, self.css_address)
        if attribute == "srcdoc" and self._depth < MAX_NESTED:
            return rewrite_page(value, self._base, self._new_address, self._depth + 1)
        if attribute == "content" and name == "meta" and (tag.get("http-equiv") or "").strip().lower() == "refresh":
            return self._refresh(value)
        return None

    def _refresh(self, value: str) -> str | None:
        found = _REFRESH.fullmatch(value)
        if found is None or not found["url"]:
            return None
        url = found["url"].partition(found["quote"])[0] if found["quote"] else found["url"]
        new = self._address(url, Loading.LINK)
        return None if new is None else f"{found['wait']}{new}"

    def _address(self, written: str, loading: Loading) -> str | None:
        reference, mark, fragment = written.strip(_SPACE).partition("#")
        target = join(self._base, reference) if reference else None
        return None if target is None else f"{self._new_address(target, loading)}{mark}{fragment}"


def _loading(tag: EditedTag, name: str, attribute: str) -> Loading:
    if name == "link":
        rel = (tag.get("rel") or "").lower().split()
        return Loading.STYLE if "stylesheet" in rel else Loading.IMAGE if "icon" in rel else Loading.OTHER
    return Loading.IMAGE if attribute in _IMAGES else _LOADING.get(name, Loading.OTHER)


def rewrite_srcset(value: str, address: Callable[[str], str | None]) -> str:
    """Return a list of image candidates with their addresses replaced, except those that cannot be resolved."""
    return ", ".join(f"{address(url) or url}{descriptors}" for url, descriptors in _candidates(value))


def srcset_candidates(value: str) -> Iterator[str]:
    """Yield the addresses of a list of image candidates."""
    return (url for url, _ in _candidates(value))


def _candidates(value: str) -> Iterator[tuple[str, str]]:
    """Yield the addresses of a list of image candidates, each with its descriptors, as the HTML standard reads it."""
    at = len(value) - len(value.lstrip(f"{_SPACE},"))
    while found := _CANDIDATE.match(value, at):
        url = found["url"].rstrip(",")
        descriptors = _DESCRIPTORS.match(value, found.end()) if url == found["url"] else None
        yield url, descriptors[0].rstrip(_SPACE) if descriptors else ""
        separators = _SEPARATORS.match(value, descriptors.end() if descriptors else found.end())
        at = separators.end() if separators else len(value)
