"""Pairs of pages to compare: real-sized pages with the edits that editors make, and pairs that are made to be slow."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count

from bench.pages import generated, pages
from webstrata.changes.stored_pages import StoredPage
from webstrata.content.kinds import PageKind
from webstrata.content.reading import Body, read_page
from webstrata.model.urls import url_group

_TEXT = re.compile(r">([^<>{}]{40,400})<")
"""The text of an element: long enough to be a sentence."""
_NUMBER = re.compile(r"(?<![\w.&#;-])\d{1,4}(?![\w.;-])")
_SCRIPT = re.compile(r"<(script|style|template|noscript|svg)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)

_SECTION = (
    "<h2>Who should not take it</h2><p>Do not take this medicine if you have had an allergic reaction to it.</p>"
    "<p>Ask a pharmacist before you take it with other medicines.</p>"
)


@dataclass(frozen=True)
class Edited:
    """A page before and after its edits, as HTML."""

    old: bytes
    new: bytes


@dataclass(frozen=True)
class Crafted:
    """A pair that is made to be slow."""

    name: str
    old: StoredPage
    new: StoredPage


def edited_pages(pages_wanted: int) -> Iterator[Edited]:
    """Yield so many pages with a changed sentence, a changed number, a new section, moved blocks and a new token."""
    for number, page in enumerate(pages(pages_wanted)):
        yield edit(page, random.Random(number))


def edit(page: bytes, dice: random.Random) -> Edited:
    """Return a page before and after an ordinary edit."""
    html = page.decode("utf-8", "replace")
    spans = _texts(html)
    chosen = sorted(dice.sample(spans, min(4, len(spans))))
    replaced = dict(zip(chosen, _rewritten([html[start:end] for start, end in chosen]), strict=True))
    new, done = [], 0
    for (start, end), text in replaced.items():
        new += [html[done:start], text]
        done = end
    after = "".join([*new, html[done:]])
    return Edited(_with_end(html, _token(dice)), _with_end(after, _SECTION + _token(dice)))


def long_page(lines: int) -> bytes:
    """Return a page of about so many lines: the sections of generated pages, one after another."""
    parts: list[str] = []
    found = 0
    for section in _sections():
        parts.append(section)
        found += sum(section.count(tag) for tag in ("<h2", "<p ", "<li ", "<img "))
        if found >= lines:
            break
    return f"<!doctype html><title>Long</title><body><main>{''.join(parts)}</main></body>".encode()


def _sections() -> Iterator[str]:
    for number in count(1_000):
        html = generated(number).decode()
        main = html[html.index("<main>") : html.index("</main>")]
        yield from (f"<section{section}" for section in main.split("<section")[1:])


def stored(html: bytes) -> StoredPage:
    """Return a page as the index stores it."""
    body = Body("https://bench.example/page", html, "text/html; charset=utf-8", None)
    reading = read_page(PageKind.HTML, body, url_group)
    return StoredPage(
        title=reading.title,
        text=reading.text,
        blocks=reading.blocks,
        regions=reading.regions,
        status_code=200,
        language=reading.language,
        links=frozenset(reading.outlinks),
        images=frozenset(),
        quality=1.0,
        quality_kind="page",
    )


def crafted_pairs() -> Iterator[Crafted]:
    """Yield the pairs that take the longest."""
    dice = random.Random(5)
    words = [f"word{number}" for number in range(3_000)]
    yield _crafted(
        "10,000 distinct lines, none in common",
        [f"a{n} b{n} c{n} d{n}" for n in range(10_000)],
        [f"e{n} f{n} g{n} h{n}" for n in range(10_000)],
    )
    yield _crafted(
        "10,000 distinct lines of common words, none in common",
        [" ".join(dice.choices(words, k=8)) for _ in range(10_000)],
        [" ".join(dice.choices(words, k=8)) for _ in range(10_000)],
    )
    yield _crafted("one line of 5 MB, every word another", [_long_line("a", 5_000_000)], [_long_line("b", 5_000_000)])
    yield _crafted("one line of 5 MB, without a space", ["a" * 5_000_000], ["b" * 5_000_000])
    same = ["Read more"] * 20_000
    yield _crafted("20,000 equal lines with one difference", same, [*same[:9_999], "Read less", *same[10_000:]])
    blocks = [[f"Sentence {n} of block {block} says this." for n in range(5)] for block in range(2_000)]
    moved = dice.sample(blocks, len(blocks))
    yield _crafted("2,000 moved blocks of 5 lines", [*chain(*blocks)], [*chain(*moved)])
    yield _crafted(
        "20,000 numbers, every one another",
        [f"Dose {n} mg for {n} EUR on 1 May 2024" for n in range(20_000)],
        [f"Dose {n + 1} mg for {n + 7} EUR on 2 May 2024" for n in range(20_000)],
    )


def _crafted(name: str, old: list[str], new: list[str]) -> Crafted:
    return Crafted(name, _page_of(old), _page_of(new))


def _page_of(lines: list[str]) -> StoredPage:
    text, kinds = "\n".join(lines), "p" * len(lines)
    return StoredPage("Crafted", text, kinds, "m" * len(lines), 200, "en", frozenset(), frozenset(), 1.0, "page")


def _long_line(letter: str, length: int) -> str:
    words = (f"{letter}{number}" for number in range(length))
    line: list[str] = []
    size = 0
    while size < length:
        line.append(next(words))
        size += len(line[-1]) + 1
    return " ".join(line)


def _texts(html: str) -> list[tuple[int, int]]:
    """Return where the texts of a page are, without those that no reader sees."""
    hidden = [found.span() for pattern in (_SCRIPT, _HIDDEN) for found in pattern.finditer(html)]
    body = max(0, html.find("<body"))
    return [
        found.span(1)
        for found in _TEXT.finditer(html, body)
        if found[1].count(" ") >= 5 and not any(start < found.start() < end for start, end in hidden)
    ]


def _rewritten(texts: list[str]) -> list[str]:
    """Return up to four texts after an edit: a changed sentence, a changed number, and two that changed places."""
    if not texts:
        return []
    words = texts[0].split(" ")
    words[len(words) // 2] = "rarely"
    texts[0] = " ".join(words)
    if len(texts) > 1:
        texts[1] = _NUMBER.sub("77", texts[1], count=1) if _NUMBER.search(texts[1]) else f"{texts[1]} 77"
    return [*texts[:2], *reversed(texts[2:])]


def _token(dice: random.Random) -> str:
    return f"<p>Session ID: {dice.randbytes(16).hex()}</p>"


def _with_end(html: str, addition: str) -> bytes:
    end = html.rfind("</body>")
    return (f"{html[:end]}{addition}{html[end:]}" if end >= 0 else html + addition).encode()
