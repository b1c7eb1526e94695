"""Comparing two captures: availability, what is ignored and why, title, links, counts and limits."""

import pytest

from webstrata.content.blocks import CELL
from webstrata.content.comparing.comparison import compare_pages
from webstrata.content.comparing.ignoring import TEMPLATE, normalized_line
from webstrata.content.comparing.page_text import page_lines
from webstrata.model.changes.values import ChangeType, Limits, PageLine, PageText, SiteKnowledge

MENU = PageLine("Home", "l", "n", is_main=False)


def page(*lines: str | PageLine, title: str = "Water", **facts: object) -> PageText:
    read = tuple(line if isinstance(line, PageLine) else PageLine(line, "p", "m") for line in lines)
    return PageText(title, read, **facts)  # type: ignore[arg-type]


GOOD = page(MENU, "Boil the water for one minute.", "Let it cool.")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [(1.0, 0.1, "unavailable"), (0.1, 1.0, "restored"), (0.1, 0.2, "unchanged"), (0.5, 0.6, "updated")],
)
def test_a_capture_of_poor_quality_is_no_edit_of_the_page(old: float, new: float, expected: str) -> None:
    found = compare_pages(page("Text that was.", quality=old), page("Something else.", quality=new))
    assert found.change_type == expected


def test_a_page_that_is_gone_matters_more_than_a_server_that_is_down() -> None:
    gone, down = (
        compare_pages(GOOD, page(status_code=status, quality=0.0, quality_kind="error")).verdict.significance
        for status in (404, 503)
    )
    assert gone >= 0.3 > down


def test_a_changed_cell_is_named_by_its_row_and_column() -> None:
    def prices(*rows: str) -> PageText:
        text = "\n".join(row.replace("|", CELL) for row in ("Public|Entry|Ten entries|", *rows, "Free below 3 years."))
        return PageText("Prices", tuple(page_lines(text, f"{'t' * (1 + len(rows))}p")))

    found = compare_pages(prices("Adult|12|345", "Child|7|280"), prices("Adult|12|350", "Child|7|280"))
    (reason,) = found.verdict.reasons
    assert reason.text == "a number changed: 345 → 350 (Adult, Ten entries)"
    (edit,) = (edit for edit in found.edits if edit.words)
    assert edit.new is not None
    assert edit.new.text == "Adult 12 350"
    as_older_versions_stored_it = PageText("Prices", tuple(page_lines("Public Entry Ten entries\nAdult 12 345", "tt")))
    now = PageText(
        "Prices", tuple(page_lines(f"Public{CELL}Entry{CELL}Ten entries{CELL}\nAdult{CELL}12{CELL}345", "tt"))
    )
    assert compare_pages(as_older_versions_stored_it, now).change_type is ChangeType.UNCHANGED


def test_lines_of_the_template_are_ignored_and_the_template_is_reported_to_have_changed() -> None:
    new = page(MENU, "Jobs at the agency", "Boil the water for one minute.", "Let it cool.")
    known = SiteKnowledge(
        old_template=frozenset({"home"}), new_template=frozenset({"home", "jobs at the agency"}), is_known=True
    )
    found = compare_pages(GOOD, new, known)
    assert (found.change_type, found.template_changed) == (ChangeType.UNCHANGED, True)
    assert [edit.ignored for edit in found.edits if edit.ignored] == [TEMPLATE]
    assert compare_pages(GOOD, new).change_type is ChangeType.UPDATED


def test_a_line_of_the_template_that_only_one_page_loses_does_not_change_the_template() -> None:
    known = SiteKnowledge(frozenset({"home"}), frozenset({"home"}), is_known=True)
    found = compare_pages(GOOD, page(*GOOD.lines[1:]), known)
    assert (found.change_type, found.template_changed) == (ChangeType.UNCHANGED, False)


def test_the_structure_of_a_page_decides_without_knowledge_but_a_warning_counts_anywhere() -> None:
    menu = PageLine("Careers", "l", "n", is_main=False)
    footer = PageLine("Warning: the water of this town is unsafe to drink today.", "p", "e", is_main=False)
    assert compare_pages(GOOD, page(*GOOD.lines, menu)).change_type is ChangeType.UNCHANGED
    found = compare_pages(GOOD, page(*GOOD.lines, footer))
    assert found.change_type is ChangeType.UPDATED
    assert found.verdict.significance >= 0.3


def test_words_that_are_divided_into_other_lines_are_no_change() -> None:
    found = compare_pages(page("One. Two. Three."), page("One.", "Two. Three."))
    assert found.change_type is ChangeType.UNCHANGED


def test_a_changed_dose_counts_one_line_on_each_side_and_its_section() -> None:
    old, new = (page(PageLine("Dose", "2", "m"), f"Take {dose} mg a day.", "With food.") for dose in (200, 400))
    found = compare_pages(old, new)
    assert (found.added_lines, found.removed_lines, found.changed_sections) == (1, 1, 1)
    assert found.change_ratio == pytest.approx(2 / 6, abs=0.001)
    assert found.summary == "1 section changed"


def test_title_and_links_are_compared_where_the_text_is_the_same() -> None:
    old = page(*GOOD.lines, links=frozenset({"https://a.example/apply", "https://a.example/s?v=1"}))
    assert compare_pages(old, page(*GOOD.lines, title="Air", links=old.links)).title_changed
    found = compare_pages(old, page(*GOOD.lines, links=frozenset({"https://a.example/no", "https://a.example/s?v=2"})))
    assert found.change_type is ChangeType.UPDATED
    assert (found.removed_links, found.added_links) == (("https://a.example/apply",), ("https://a.example/no",))
    assert found.summary == "links changed"


def test_links_that_most_pages_of_the_site_share_are_no_change() -> None:
    shared = frozenset({"https://a.example/jobs"})
    known = SiteKnowledge(is_known=True, new_template_links=shared)
    assert compare_pages(GOOD, page(*GOOD.lines, links=shared), known).change_type is ChangeType.UNCHANGED
    assert compare_pages(GOOD, page(*GOOD.lines, links=shared)).change_type is ChangeType.UPDATED


def test_a_limit_that_was_reached_is_reported() -> None:
    old, new = (page(*(f"Line {number} of {side}." for number in range(30))) for side in ("one", "two"))
    assert compare_pages(old, new, limits=Limits(max_lines=10)).limit is not None
    assert compare_pages(old, new).limit is None


def test_a_line_is_normalised_by_case_and_spaces() -> None:
    assert normalized_line("  Contact \t US ") == "contact us"
