"""Builds the pairs of captures in `pairs/`: pages of a few small sites, and the edits that make one page of another."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.pdfs import pdf_of

PAIRS = Path(__file__).parent / "pairs"
_TITLE = re.compile(r"<!-- title: (.*) -->\n")
_BETWEEN_TAGS = re.compile(r">\s+<")

Spec = Mapping[str, Any]
Edits = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Capture:
    """One side of a pair: a response as a crawler saved it."""

    url: str
    body: bytes
    status: int = 200
    final_url: str | None = None
    content_type: str = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Pair:
    """Two captures of a page, and what is known of its site."""

    name: str
    kind: str
    """The name of the file that describes it: edits, wording, noise, template, availability, markup."""
    old: Capture
    new: Capture
    old_siblings: tuple[Capture, ...] = ()
    """Other pages of the site, captured with the old page; empty when the site is not known."""
    new_siblings: tuple[Capture, ...] = ()
    earlier: tuple[Capture, ...] = ()
    """Captures of the page before the old one, the oldest first."""


@dataclass(frozen=True)
class Expected:
    """The verdict that people gave on a pair."""

    change_types: tuple[str, ...]
    """The change types that are right; more than one where people would not agree."""
    significant: bool = False
    reasons: frozenset[str] = frozenset()
    """Codes of reasons that must be among those given; `a|b` asks for one of two."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Counts of sections and lines, by their names in the command's JSON."""
    template_changed: bool | None = None


def all_pairs() -> Iterator[Pair]:
    """Yield every pair, by file and in the file's order."""
    for path in sorted(PAIRS.glob("*.toml")):
        for name, spec in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield build_pair(name, path.stem, spec)


def expected_verdicts() -> dict[str, Expected]:
    """Return what is expected of each pair, by its name."""
    verdicts = json.loads((PAIRS / "expected.json").read_text(encoding="utf-8"))
    return {
        name: Expected(
            tuple(verdict["changeType"].split("|")),
            verdict.get("significant", False),
            frozenset(verdict.get("reasons", ())),
            verdict.get("counts", {}),
            verdict.get("templateChanged"),
        )
        for kind in verdicts.values()
        for name, verdict in kind.items()
    }


def build_pair(name: str, kind: str, spec: Spec) -> Pair:
    """Return a pair from its description in one of the files."""
    if "document" in spec:
        return _documents(name, kind, spec)
    old, new = (_side(spec, side) for side in ("old", "new"))
    earlier = tuple(_page(spec["page"], edits=edits) for edits in spec.get("earlier", ()))
    if not spec.get("site_is_known"):
        return Pair(name, kind, old, new, earlier=earlier)
    return Pair(name, kind, old, new, tuple(_siblings(spec, "old")), tuple(_siblings(spec, "new")), earlier)


def _side(spec: Spec, side: str) -> Capture:
    """Return one side of a pair: its page with the edits of that side, or another response in its place."""
    instead = spec.get(side, {})
    if "response" in instead:
        body = (PAIRS / "responses" / f"{instead['response']}.html").read_text(encoding="utf-8")
    elif "page" in instead:
        body = _html(instead["page"])
    else:
        body = _edited_page(spec, side)
    url = _url(spec["page"])
    final = instead.get("final_url")
    return Capture(url, body.encode(), instead.get("status", 200), _site_url(spec["page"]) + final if final else None)


def _edited_page(spec: Spec, side: str) -> str:
    if side == "old":
        return edited(_html(spec["page"]), spec.get("old_edits", ()))
    html = edited(_html(spec["page"], spec.get("site_edits", ())), spec.get("edits", ()))
    for start, end in spec.get("cuts", ()):
        html = _cut(html, start, end)[0]
    for start, end, before in spec.get("moves", ()):
        html, moved = _cut(html, start, end)
        html = edited(html, [(before, moved + before)])
    return _BETWEEN_TAGS.sub("><", html) if spec.get("minified") else html


def edited(html: str, edits: Edits) -> str:
    """Return a page with some texts replaced, each of which it must have exactly once."""
    for old, new in edits:
        assert html.count(old) == 1, f"{old!r} occurs {html.count(old)} times"
        html = html.replace(old, new)
    return html


def _cut(html: str, start: str, end: str) -> tuple[str, str]:
    """Return a page without what is between two texts, and what was cut out."""
    assert html.count(start) == 1, f"{start!r} occurs {html.count(start)} times"
    begin = html.index(start)
    stop = html.index(end, begin)
    return html[:begin] + html[stop:], html[begin:stop]


def _siblings(spec: Spec, side: str) -> Iterator[Capture]:
    """Yield the other pages of a site, with the site's edits on the new side."""
    site, page = spec["page"].split("/")
    site_edits = spec.get("site_edits", ()) if side == "new" else ()
    for path in sorted((PAIRS / "sites" / site).glob("*.html")):
        if path.stem not in ("layout", page):
            yield _page(f"{site}/{path.stem}", site_edits)


def _page(name: str, site_edits: Edits = (), edits: Edits = ()) -> Capture:
    return Capture(_url(name), edited(_html(name, site_edits), edits).encode())


def _html(name: str, site_edits: Edits = ()) -> str:
    """Return a page of a site: the site's layout around the page's own content."""
    site, page = name.split("/")
    layout = (PAIRS / "sites" / site / "layout.html").read_text(encoding="utf-8")
    content = (PAIRS / "sites" / site / f"{page}.html").read_text(encoding="utf-8")
    title = _TITLE.match(content)
    assert title is not None, f"{name} has no title"
    main = content[title.end() :].rstrip("\n")
    return edited(layout, site_edits).replace("%title%", title[1]).replace("%main%", main)


def _documents(name: str, kind: str, spec: Spec) -> Pair:
    text = (PAIRS / "documents" / f"{spec['document']}.txt").read_text(encoding="utf-8")
    url = f"https://documents.example/{spec['document']}.pdf"
    old, new = (
        Capture(url, pdf_of([side.splitlines()]), content_type="application/pdf")
        for side in (text, edited(text, spec["edits"]))
    )
    return Pair(name, kind, old, new)


def _url(name: str) -> str:
    return f"{_site_url(name)}/pages/{name.split('/')[1]}"


def _site_url(name: str) -> str:
    return f"https://{name.split('/', maxsplit=1)[0]}.example"
