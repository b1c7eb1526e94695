"""Reasons why changed links of a page matter: they lead to another site, or a document is no longer linked."""

import re
from collections.abc import Collection

from webstrata.model.changes.evidence import ChangeEvidence, shown

_DOCUMENTS = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".csv", ".ppt", ".pptx", ".zip", ".rtf", ".odt", ".ods")
_SHARING = (
    *("facebook.", "twitter.", "x.com", "youtube.", "instagram.", "linkedin.", "pinterest.", "flickr.", "addthis."),
    *("sharethis.", "t.co", "tiktok.", "threads.", "bsky."),
)
"""Hosts that pages link to for sharing and following."""
_MANY = 5
_FEW = 3
_NUMBERS = re.compile(r"\d+")


def judge_links(
    removed: Collection[str],
    added: Collection[str],
    explained: int,
    evidence: ChangeEvidence,
    *,
    is_text_same: bool = False,
) -> None:
    """Collect the reasons of changed links; `explained` is how many are due to changed menus and the like.

    If the page's text is the same, a changed URL means that a link with the same words leads elsewhere.
    """
    gone = {url: _split(url) for url in sorted(removed) if not _is_sharing(url)}
    come = {url: _split(url) for url in sorted(added) if not _is_sharing(url)}
    if (not gone and not come) or explained >= max(len(gone), len(come)):
        return
    _judge_domains(gone, come, evidence)
    if is_text_same:
        _judge_targets(gone, come, evidence)
    documents = [url for url in gone if url.lower().endswith(_DOCUMENTS)]
    replaced = {_file_name(url) for url in come}
    for url in documents:
        if _file_name(url) not in replaced and not any(other.lower().endswith(_DOCUMENTS) for other in come):
            evidence.add("link_removed", f"a link to a document was removed: {shown(url)}", 0.32)
    if len(gone) - len(come) - explained >= _MANY:
        evidence.add("link_removed", f"{len(gone) - len(come)} links were removed", 0.3)
    text = f"links changed: {len(gone)} removed, {len(come)} added"
    evidence.add("links", text, min(0.25, 0.06 * len(gone) + 0.03 * len(come)))


def _judge_domains(
    gone: dict[str, tuple[str, str]], come: dict[str, tuple[str, str]], evidence: ChangeEvidence
) -> None:
    """Collect links whose host changed: to the same path, or the only link of the page that changed."""
    hosts = {path: host for host, path in come.values() if path.strip("/")}
    is_single = len(gone) == len(come) == 1
    for host, path in gone.values():
        other = next(iter(come.values()))[0] if is_single else hosts.get(path)
        if other is not None and _site(other) != _site(host):
            evidence.add("link_domain", f"a link leads to another site: {host} → {other}", 0.32)


def _judge_targets(gone: Collection[str], come: Collection[str], evidence: ChangeEvidence) -> None:
    """Collect a few links that lead to other pages than before; a page that only moved has the same name."""
    if len(gone) != len(come) or len(gone) > _FEW:
        return
    names = {_page_name(url) for url in come}
    for old, new in zip(gone, come, strict=True):
        if _page_name(old) not in names:
            evidence.add("link", f"a link leads to another page: {shown(old)} → {shown(new)}", 0.32)


def _page_name(url: str) -> str:
    """Return the last part of a URL's path without its ending, and, unless it is a document, without numbers."""
    name, _, ending = _file_name(url.partition("?")[0].rstrip("/")).rpartition(".")
    stem = name or ending
    return stem if url.lower().endswith(_DOCUMENTS) else _NUMBERS.sub("#", stem)


def _split(url: str) -> tuple[str, str]:
    """Return the host and the path of a URL."""
    host, _, path = url.partition("://")[2].partition("/")
    return host.removeprefix("www."), path


def _site(host: str) -> str:
    """Return the last two names of a host."""
    return ".".join(host.rsplit(".", 2)[-2:])


def _file_name(url: str) -> str:
    return url.rsplit("/", 1)[-1].lower()


def _is_sharing(url: str) -> bool:
    host = _split(url)[0]
    return host.startswith(_SHARING) or any(f".{name}" in host for name in _SHARING)
