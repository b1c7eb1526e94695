"""How the pages look: on a phone, in the dark, to eyes that need contrast."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.web.live import PATHS, PHONE, problems_of
from tests.web.slow import slow_line

# How a page is painted does not depend on the database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

LARGE_TEXT_PIXELS = 24

Scheme = Literal["light", "dark"]

SHIFT = """
window.moved = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const name = ({ node }) => (node?.outerHTML ?? node?.parentElement?.outerHTML ?? "?").slice(0, 80);
    window.moved.push([entry.value, ...entry.sources.map(name)]);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""
"""Notes what moved on the page after it was painted, and how much."""

TEXT_COLOURS = """() => {
  const found = [];
  const solid = (colour) => !/^rgba\\(.*, 0\\)$|^transparent$/.test(colour);
  const paperOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (solid(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(' ').trim();
    const style = getComputedStyle(element);
    const shown = element.checkVisibility() && style.clipPath === 'none' && !element.closest('option');
    if (text && shown) found.push([text, style.color, paperOf(element), parseFloat(style.fontSize)]);
    if (element.placeholder && shown) {
      const hint = getComputedStyle(element, '::placeholder');
      found.push([element.placeholder, hint.color, paperOf(element), parseFloat(hint.fontSize)]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("path", PATHS)
def test_pages_load_without_errors_or_violations_of_the_policy(page: Page, path: str) -> None:
    problems = problems_of(page)
    page.goto(path)
    assert problems == []


@pytest.mark.parametrize("path", PATHS)
def test_no_page_scrolls_sideways_on_a_phone(browser: Browser, live_site: str, path: str) -> None:
    context = browser.new_context(base_url=live_site, viewport=PHONE)
    page = context.new_page()
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("document.documentElement.style.letterSpacing = '0.12em'")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "with a wider font"
    context.close()


@pytest.mark.parametrize("path", ["/", "/search?q=fever", "/snapshot/20", "/jobs", "/jobs/1"])
def test_nothing_moves_while_a_page_loads(page: Page, path: str) -> None:
    page.add_init_script(SHIFT)
    page.goto(path)
    assert page.evaluate("window.moved") == []


@pytest.mark.parametrize("path", ["/jobs", "/search?q=fever", "/sources", "/jobs/1", "/jobs/5", "/snapshot/20"])
def test_nothing_moves_while_a_page_comes_in_pieces(browser: Browser, live_site: str, path: str) -> None:
    with slow_line(live_site) as (line, near_end):
        context = browser.new_context(base_url=near_end)
        page = context.new_page()
        page.add_init_script(SHIFT)
        line.load(page, path)
        assert page.evaluate("window.moved") == []
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
def test_all_text_has_enough_contrast(browser: Browser, live_site: str, path: str, scheme: Scheme) -> None:
    context = browser.new_context(base_url=live_site, color_scheme=scheme)
    page = context.new_page()
    page.goto(path)
    found = page.evaluate(TEXT_COLOURS)
    assert len(found) > 10
    faint = [
        (text, round(ratio, 2))
        for text, ink, paper, pixels in found
        if (ratio := _contrast(ink, paper)) < (3 if pixels >= LARGE_TEXT_PIXELS else 4.5)
    ]
    assert faint == []
    context.close()


def test_dark_is_dark_and_light_is_light(browser: Browser, live_site: str) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(base_url=live_site, color_scheme=scheme)
        page = context.new_page()
        page.goto("/")
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        brightness[scheme] = (_luminance(_channels(ink)), _luminance(_channels(paper)))
        context.close()
    dark_ink, light_paper = brightness["light"]
    light_ink, dark_paper = brightness["dark"]
    assert max(dark_ink, dark_paper) < 0.1
    assert min(light_ink, light_paper) > 0.6


@pytest.mark.parametrize("path", PATHS)
def test_text_is_at_least_16_pixels_large(page: Page, path: str) -> None:
    page.goto(path)
    assert [(text, pixels) for text, _, _, pixels in page.evaluate(TEXT_COLOURS) if pixels < 16] == []


def _contrast(ink: str, paper: str) -> float:
    brighter, darker = sorted((_luminance(_channels(ink)), _luminance(_channels(paper))), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _channels(colour: str) -> list[float]:
    return [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]


def _luminance(channels: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
