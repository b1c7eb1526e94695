"""Judges the pairs as the program does: each side is read, its quality judged, and both are compared."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.changes.building import Capture, Expected, Pair
from webstrata.content.comparing.comparison import compare_pages
from webstrata.content.comparing.ignoring import normalized_line
from webstrata.content.comparing.page_text import page_text
from webstrata.content.comparing.volatile import learn_volatile
from webstrata.content.kinds import page_kind
from webstrata.content.reader.page_requests import ReadQuality
from webstrata.content.reading import Body, read_page
from webstrata.model.changes.values import SIGNIFICANT, Comparison, PageText, SiteKnowledge
from webstrata.model.urls import url_group


def compare(pair: Pair) -> Comparison:
    """Return what the program finds in a pair."""
    return compare_pages(read_capture(pair.old), read_capture(pair.new), knowledge_of(pair))


def read_capture(capture: Capture) -> PageText:
    """Return a capture as it is compared."""
    kind = page_kind(capture.content_type, capture.body, capture.url)
    assert kind is not None, capture.url
    reading = read_page(kind, Body(capture.url, capture.body, capture.content_type, None), url_group)
    headers = {"content-type": capture.content_type}
    quality = ReadQuality(capture.url, capture.status, headers, capture.body, capture.final_url).read()
    return page_text(reading, status_code=capture.status, quality=quality.quality, quality_kind=quality.kind)


def knowledge_of(pair: Pair) -> SiteKnowledge:
    """Return what a source's other pages and the page's earlier captures teach."""
    return SiteKnowledge(
        old_template=_shared_lines((pair.old, *pair.old_siblings)) if pair.old_siblings else frozenset(),
        new_template=_shared_lines((pair.new, *pair.new_siblings)) if pair.new_siblings else frozenset(),
        volatile=learn_volatile([[line.text for line in read_capture(page).lines] for page in pair.earlier]),
        is_known=bool(pair.old_siblings),
    )


def faults(comparison: Comparison, expected: Expected) -> Iterator[str]:
    """Yield what is wrong with a comparison."""
    if comparison.change_type not in expected.change_types:
        yield f"{comparison.change_type}, not {' or '.join(expected.change_types)}"
    elif comparison.change_type == "updated":
        yield from _wrong_verdict(comparison, expected)
    counts = {
        "addedSections": comparison.added_sections,
        "removedSections": comparison.removed_sections,
        "changedSections": comparison.changed_sections,
        "addedLines": comparison.added_lines,
        "removedLines": comparison.removed_lines,
    }
    for name, count in expected.counts.items():
        if counts[name] != count:
            yield f"{name} is {counts[name]}, not {count}"
    if expected.template_changed is not None and comparison.template_changed != expected.template_changed:
        yield f"templateChanged is {comparison.template_changed}"


def _wrong_verdict(comparison: Comparison, expected: Expected) -> Iterator[str]:
    verdict = comparison.verdict
    given = {reason.code for reason in verdict.reasons}
    if (verdict.significance >= SIGNIFICANT) != expected.significant:
        yield f"significance is {verdict.significance:.2f} ({', '.join(sorted(given)) or 'no reason'})"
    for code in sorted(expected.reasons):
        if not given & set(code.split("|")):
            yield f"no reason {code}, but {', '.join(sorted(given)) or 'none'}"


def _shared_lines(pages: Sequence[Capture]) -> frozenset[str]:
    """Return the lines that most of some pages share."""
    found = Counter(
        line for page in pages for line in {normalized_line(line.text) for line in read_capture(page).lines}
    )
    return frozenset(line for line, count in found.items() if 2 * count > len(pages))
