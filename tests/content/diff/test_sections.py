import pytest

from webstrata.content.diff.alignment import align
from webstrata.content.diff.sections import Sections, changed_sections, summary_sentence
from webstrata.model.changes.values import Limits, PageLine

OLD = """
1 Ibuprofen
p What it is used for.
2 Dosage
p Take 200 mg every four hours.
3 Children
p Ask a doctor about the right dose.
2 Side effects
l Headache
2 Storage
p Keep it dry and below 25 degrees.
3 At home
p In a cupboard of the kitchen.
"""


def page(text: str) -> list[PageLine]:
    return [PageLine(line[2:], line[0]) for line in text.strip().splitlines()]


def compared(new: str) -> tuple[Sections, str]:
    edits = align(page(OLD), page(new), Limits()).edits
    sections = changed_sections(edits)
    return sections, summary_sentence(sections, edits)


@pytest.mark.parametrize(
    ("new", "sections", "summary"),
    [
        (OLD, Sections(), "no visible change"),
        (OLD.replace("200 mg", "400 mg"), Sections(changed=("Dosage",)), "1 section changed"),
        (
            OLD.replace("200 mg", "400 mg").replace("l Headache", "l Headache\nl Nausea"),
            Sections(changed=("Dosage", "Side effects")),
            "2 sections changed; 1 line added",
        ),
        (
            OLD.partition("2 Storage")[0],
            Sections(removed=("Storage",)),
            "1 section removed; 4 lines removed",
        ),
        (
            OLD.replace("used for.", "good for.")
            + "2 Warnings\np Not with alcohol.\n3 Driving\np It makes you sleepy.",
            Sections(added=("Warnings",), changed=("Ibuprofen",)),
            "1 section changed; 1 added; 4 lines added",
        ),
        (
            OLD.replace("3 Children", "3 Children under 12"),
            Sections(changed=("Children under 12",)),
            "1 section changed",
        ),
        (
            f"1 Medicines\n{OLD.strip()}".replace("200 mg", "400 mg"),
            Sections(added=("Medicines",), changed=("Dosage",)),
            "1 section changed; 1 added; 1 line added",
        ),
        (OLD.replace("2 Side effects\nl Headache\n", "") + "2 Side effects\nl Headache", Sections(), "2 lines moved"),
    ],
)
def test_sections_are_counted_by_their_headings(new: str, sections: Sections, summary: str) -> None:
    assert compared(new) == (sections, summary)


def test_ignored_edits_change_no_section() -> None:
    edits = align(page(OLD), page(OLD.replace("200", "400") + "2 Menu\np A menu"), Limits()).edits
    ignored = [edit._replace(ignored="template") for edit in edits]
    assert summary_sentence(changed_sections(ignored), ignored) == "no visible change"
