"""Pages to measure with: real ones from PAGES=DIR, else generated ones that are built like real ones.

Fifty-eight real pages, 384 KB on average, were taken apart: 199 KB of scripts and styles, 16 KB of text, 1,820 elements
and 330 links; the rest is attributes. A generated page has the same parts in about the same amounts.
"""

import gzip
import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SECTIONS = 60
_SCRIPT_BYTES = 190_000
_PAGE_BYTES = 360_000
_STARS = "".join(f'<span class="star star--{n}"></span>' for n in range(11))
_LETTERS = "etaoinshrdlucmfwypvbgk"


def pages(count: int) -> Iterator[bytes]:
    """Yield so many pages; real ones come round again when there are fewer, and a few are taken from all over."""
    folder = os.environ.get("PAGES")
    if not folder:
        yield from (generated(number) for number in range(count))
        return
    files = sorted(Path(folder).rglob("*.html*"))
    if not files:
        raise SystemExit(f"bench: no .html or .html.gz files in {folder}")
    step = max(1, len(files) // count)
    for number in range(count):
        file = files[number * step % len(files)]
        page = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        # Of a page that comes round again only the first lines differ: enough for a text of its own.
        yield page if number < len(files) else page + f"<p>Round {number // len(files)}</p>".encode()


def generated(number: int) -> bytes:
    """Return a page."""
    dice = random.Random(number)
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_sentence(dice, 7)} {number}</title>'
        f'<meta name="description" content="{_sentence(dice, 20)}"><link rel="stylesheet" href="/site.css">'
        f"<script>{_script(dice, _SCRIPT_BYTES // 2)}</script></head><body>"
    )
    menu = "".join(dice.sample(_menu_items(), 120))
    body = "".join(_section(dice, place) for place in range(_SECTIONS))
    tail = f"<script>{_script(dice, _SCRIPT_BYTES // 2)}</script></body></html>"
    page = f'{head}<nav class="menu" aria-label="Main"><ul>{menu}</ul></nav><main>{body}</main>'
    svg = "".join(f'<path class="icon-{n}" d="{_numbers(dice, 40)}"></path>' for n in range(60))
    filler = _PAGE_BYTES - len(page) - len(svg) - len(tail)
    data = f"<div hidden data-state='{_numbers(dice, max(filler, 0) // 6)}'><svg>{svg}</svg></div>"
    return f"{page}{data}{tail}".encode()


def _section(dice: random.Random, place: int) -> str:
    links = "".join(
        f'<li class="card__item card__item--{n}"><a class="card__link" href="/p/{dice.randrange(9_999)}?from=list"'
        f' data-track="list-{place}-{n}">{_sentence(dice, 3)}</a></li>'
        for n in range(3)
    )
    return (
        f'<section class="card card--wide card--{place}" id="s{place}" data-module="{_numbers(dice, 8)}">'
        f'<div class="card__inner"><h2 class="card__title">{_sentence(dice, 5)}</h2>'
        f'<p class="card__text">{_sentence(dice, 24)} <em>{_word(dice)}</em> {_sentence(dice, 10)}</p>'
        f'<img src="/i/{place}.jpg" alt="{_sentence(dice, 4)}" srcset="/i/{place}-2x.jpg 2x" loading="lazy">'
        f'<ul class="card__list">{links}</ul><div class="card__rating">{_STARS}</div></div></section>'
    )


@cache
def _menu_items() -> list[str]:
    """Return what a site's menus are made of: its pages show much the same ones."""
    dice = random.Random(3)
    return [
        f'<li class="menu__item menu__item--{dice.randrange(9)}"><a class="menu__link" role="menuitem"'
        f' href="/{_word(dice)}/{_word(dice)}">{_word(dice)} {_word(dice)}</a></li>'
        for _ in range(140)
    ]


def _sentence(dice: random.Random, words: int) -> str:
    return " ".join(_word(dice) for _ in range(words)).capitalize()


def _word(dice: random.Random) -> str:
    """Return a word: a few are frequent, most are rare, as in any language."""
    vocabulary = _vocabulary()
    return vocabulary[int(len(vocabulary) * dice.random() ** 3)]


@cache
def _vocabulary() -> list[str]:
    dice = random.Random(1)
    return ["".join(dice.choices(_LETTERS, k=dice.randint(2, 11))) for _ in range(6_000)]


def _script(dice: random.Random, size: int) -> str:
    """Return something of a script's look and size, about as compressible as one."""
    lines = _script_lines()
    return "".join(dice.choices(lines, k=size // len(lines[0])))


@cache
def _script_lines() -> list[str]:
    dice = random.Random(2)
    return [
        f'function {_word(dice)}{n}(a,b){{if(a.{_word(dice)}!==b){{return this["{_word(dice)}"].{_word(dice)}('
        f"{dice.randrange(10_000)},b)}};var c={{{_word(dice)}:{dice.random():.4f},{_word(dice)}:!0}};}}"
        for n in range(20_000)
    ]


def _numbers(dice: random.Random, count: int) -> str:
    return " ".join(f"{dice.randrange(1_000)}.{dice.randrange(10)}" for _ in range(count))
