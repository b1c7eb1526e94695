import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.comparing.volatile import LEARNED, learn_volatile, mark_volatile, mask, volatile_reason
from webstrata.model.changes.values import EditKind, LineEdit, PageLine

VOLATILE = [
    ("Page generated at 2024-05-01 10:22:31 UTC", "Page generated at 2024-06-11 08:02:00 UTC", "a date stamp"),
    ("Last updated: May 3, 2024", "Last updated: June 15, 2024", "a date stamp"),
    ("Last updated 3 May", "Last updated 5 May", "a date stamp"),
    ("Date modified: 2024-05-01", "Date modified: 2024-05-09", "a date stamp"),
    ("Page last reviewed: 3 May 2024", "Page last reviewed: 4 June 2024", "a date stamp"),
    (
        "This page was last updated on Friday, May 3, 2024 at 10:00 AM",
        "This page was last updated on Monday, May 6, 2024 at 9:30 PM",
        "a date stamp",
    ),
    ("Last updated on October 7, 2016", "Last updated on January 19, 2017", "a date stamp"),
    (
        "© Agency | Last modified: 03/05/2024 | Contact",
        "© Agency | Last modified: 12/05/2024 | Contact",
        "a date stamp",
    ),
    ("Dernière mise à jour : 3 mai 2024", "Dernière mise à jour : 12 août 2024", "a date stamp"),
    ("Date de modification : 2024-05-01", "Date de modification : 2024-05-02", "a date stamp"),
    ("Page mise à jour le 1er février 2024 à 10 h 15", "Page mise à jour le 2 mars 2024 à 9 h 30", "a date stamp"),
    ("© 2023 City of Alma", "© 2024 City of Alma", "a copyright year"),
    (
        "Copyright 2010-2023 Agency. All rights reserved.",
        "Copyright 2010-2024 Agency. All rights reserved.",
        "a copyright year",
    ),
    ("3 hours ago", "2 days ago", "a relative time"),
    ("News desk | Posted 3 hours ago", "News desk | Posted 5 hours ago", "a relative time"),
    ("Publié il y a 2 jours", "Publié il y a 3 jours", "a relative time"),
    ("1,234 views", "1,301 views", "a counter"),
    ("Comments (12)", "Comments (15)", "a counter"),
    ("Shares: 12 | Views: 340", "Shares: 14 | Views: 341", "a counter"),
    ("1 of 5", "2 of 5", "a counter"),
    ("View comments (3)", "View comments (7)", "a counter"),
    ("12 commentaires", "15 commentaires", "a counter"),
    ("You are visitor number 10234", "You are visitor number 10235", "a counter"),
    ("Vous êtes le 10 234e visiteur", "Vous êtes le 10 290e visiteur", "a counter"),
    ("Request ID: 8f3a-22bc", "Request ID: 91c0-aa01", "a token"),
    ("Ray ID: 7d2f1c9a8b3e4f50", "Ray ID: 7d2f1c9a8b3e4f99", "a token"),
    ("Form 550e8400-e29b-41d4-a716-446655440000", "Form 123e4567-e89b-12d3-a456-426614174000", "a token"),
    ("nonce=Xy12Zq99", "nonce=Pq77Tz01", "a token"),
    ("See style.css?v=20240501", "See style.css?v=20240612", "a cache version"),
    ("Today is Friday, May 3, 2024", "Today is Monday, May 6, 2024", "a clock"),
    ("10:22:31", "11:02:05", "a clock"),
    ("Alma: 12 °C, cloudy", "Alma: 18 °C, sunny", "the weather"),
    ("Page loaded in 0.123 seconds", "Page loaded in 0.98 seconds", "a loading time"),
    ("Quote of the day: Know thyself.", "Quote of the day: Less is more.", "a rotating text"),
    ("Citation du jour : Connais-toi.", "Citation du jour : Rien de trop.", "a rotating text"),
]

LASTING = [
    ("The ban begins on 3 May 2024.", "The ban begins on 5 May 2024."),
    ("L'interdiction commence le 3 mai 2024.", "L'interdiction commence le 5 mai 2024."),
    (
        "The guideline was last updated in May 2023 and covers adults.",
        "The guideline was last updated in June 2024 and covers adults.",
    ),
    ("Last updated: 3 May 2024. The fee is $5.", "Last updated: 5 May 2024. The fee is $6."),
    ("Comments are due by 3 May 2024", "Comments are due by 5 May 2024"),
    ("Deadline: 3 May 2024", "Deadline: 5 May 2024"),
    ("Guidance on lead (updated 3 May 2024)", "Guidance on zinc (updated 3 May 2024)"),
    ("3 May 2024", "5 May 2024"),
    ("Friday, May 3, 2024, 10:00 AM", "Monday, May 6, 2024, 10:00 AM"),
    ("There were 12 cases", "There were 15 cases"),
    ("12 cases", "15 cases"),
    ("The park has 1,200 visitors a year.", "The park has 1,500 visitors a year."),
    ("Price: $12", "Price: $15"),
    ("Take 200 mg every 4 hours", "Take 400 mg every 4 hours"),
    ("Open 9:00 am to 5:00 pm", "Open 10:00 am to 5:00 pm"),
    ("Call 1-800-555-0142", "Call 1-800-555-0199"),
    ("If you were vaccinated less than 2 weeks ago, wait.", "If you were vaccinated less than 4 weeks ago, wait."),
    ("Store at 4 °C", "Store at 8 °C"),
    ("Version: 1.2.3", "Version: 1.2.4"),
    ("SHA-256: 9f86d081884c7d659a2feaa0c55ad015", "SHA-256: 60303ae22b998861bce3b28f33eec1be"),
    ("The Copyright Act of 1976 applies", "The Copyright Board applies"),
    ("Reference number: 12345678", "Reference number: 87654321"),
]


def line(text: str, kind: str = "p", is_main: bool = True) -> PageLine:
    return PageLine(text, kind, is_main=is_main)


def edit(old: str | None, new: str | None, section: str = "") -> LineEdit:
    kind = EditKind.ADDED if old is None else EditKind.REMOVED if new is None else EditKind.CHANGED
    if old == new:
        kind = EditKind.SAME
    return LineEdit(kind, line(old) if old else None, line(new) if new else None, section=section)


@pytest.mark.parametrize(("old", "new", "kind"), VOLATILE)
def test_what_changes_by_itself_has_one_mask_and_a_reason(old: str, new: str, kind: str) -> None:
    assert mask(old) == mask(new) != old
    assert kind in (volatile_reason(line(old), line(new)) or "")


@pytest.mark.parametrize(("old", "new"), LASTING)
def test_facts_in_the_text_are_not_volatile(old: str, new: str) -> None:
    assert volatile_reason(line(old), line(new)) is None
    assert [e.ignored for e in mark_volatile([edit(old, new), edit(old, None), edit(None, new)])] == [None] * 3


def test_a_line_without_volatile_parts_is_its_own_mask() -> None:
    assert mask("The river rose by 2 m in 2024.") == "The river rose by 2 m in 2024."
    assert volatile_reason(line("Same"), line("Same")) is None


def test_a_date_alone_is_volatile_outside_of_the_content_only() -> None:
    old, new = "Friday, May 3, 2024", "Monday, May 6, 2024"
    assert volatile_reason(line(old, is_main=False), line(new, is_main=False))
    assert volatile_reason(line(old), line(new)) is None


def test_a_date_after_a_label_of_its_own_is_a_stamp() -> None:
    edits = [edit("Date modified:", "Date modified:"), edit("2024-05-01", "2024-05-09")]
    assert "a date stamp" in (mark_volatile(edits)[1].ignored or "")
    assert mark_volatile([edit("Deadline:", "Deadline:"), edits[1]])[1].ignored is None


def test_volatile_lines_that_were_not_paired_are_ignored_too() -> None:
    edits = [
        edit("Agency, 12 views, Alma", None),
        edit(None, "Agency, 15 views, Alma"),
        edit(None, "Last updated: 3 May 2024"),
    ]
    assert all(marked.ignored for marked in mark_volatile(edits))
    assert mark_volatile(edits[:1])[0].ignored is None


def test_text_under_the_heading_of_a_rotating_text_is_ignored_but_not_a_warning() -> None:
    section = "Tip of the day"
    edits = [edit("Plant a tree.", "Save water.", section), edit("Save water.", "Recall: do not use it.", section)]
    assert [bool(marked.ignored) for marked in mark_volatile(edits)] == [True, False]


HISTORY = [
    ["Town hall", "Open to all", "Gauge 12 at 10:00", "Know thyself", "Fees and forms", "The fee is due soon."],
    ["Town hall", "Open to all", "Gauge 17 at 11:30", "Less is more", "Fees and forms", "The fee is due soon."],
    ["Town hall", "Open to all", "Gauge 13 at 09:10", "Rien de trop", "Fees and forms", "The fee is due now."],
    ["Town hall", "Open to all", "Gauge 14 at 12:20", "Carpe diem", "Fees and forms", "The fee is due now."],
]


def test_lines_that_changed_in_most_captures_are_learned() -> None:
    learned = learn_volatile(HISTORY)
    edits = [
        edit("Open to all", "Open to all"),
        edit("Gauge 14 at 12:20", "Gauge 19 at 13:00"),
        edit("Carpe diem", "Memento mori"),
        edit("Fees and forms", "Fees and forms"),
        edit("The fee is due now.", "The fee is overdue."),
    ]
    marked = mark_volatile(edits, learned)
    assert [LEARNED in (e.ignored or "") for e in marked] == [False, True, True, False, False]
    assert learn_volatile(HISTORY[:2]) == frozenset()


def test_learned_places_never_hide_warnings_doses_or_prices() -> None:
    history = [[f"Alma pays ${n} now", "Rules", f"{word} {word}", "End"] for n, word in enumerate("abcd")]
    learned = learn_volatile(history)
    same, price = edit("Rules", "Rules"), edit("Alma pays $3 now", "Alma pays $9 now")
    slot = [same, edit("d d", "Recall: stop using it."), edit("End", "End")]
    assert mark_volatile([price, *slot], learned) == (price, *slot)
    assert mark_volatile([same, edit("d d", "e e"), edit("End", "End")], learned)[1].ignored


def test_a_paragraph_that_is_edited_again_and_again_is_not_learned() -> None:
    text = "The council meets in the hall and decides about the {} of the town"
    history = [["Town", text.format(word), "End"] for word in ("roads", "parks", "schools", "bridges")]
    edits = [edit("Town", "Town"), edit(text.format("bridges"), text.format("taxes")), edit("End", "End")]
    assert mark_volatile(edits, learn_volatile(history))[1].ignored is None


@pytest.mark.parametrize("piece", ["1", "1 ", "last updated ", "a1", "© ", "may 1 ", "1:1", "| 1 views ", "é", "-a1"])
@pytest.mark.timeout(20)
def test_a_crafted_line_is_looked_at_within_bounds(piece: str) -> None:
    for size in (3_900, 100_000):
        text = (piece * size)[:size]
        assert mask(text)
        assert volatile_reason(line(text), line(f"{text}x")) is None


@given(st.text(max_size=200))
def test_any_line_has_a_mask_that_stays_the_same(text: str) -> None:
    assert mask(text) == mask(text)
    assert volatile_reason(line(text), line(text)) is None
