from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.diff import alignment
from webstrata.content.diff.alignment import align
from webstrata.model.changes.values import EditKind, Limits, LineEdit, PageLine

LINES = st.builds(
    PageLine,
    text=st.text(alphabet="ab 1.", min_size=1, max_size=12) | st.sampled_from(["Read more", "Take 200 mg every day"]),
    kind=st.sampled_from("12plt"),
    is_main=st.sampled_from([True, True, False]),
)


@st.composite
def two_pages(draw: st.DrawFn) -> tuple[list[PageLine], list[PageLine]]:
    """Return a page and a page that was made of it, or any two pages."""
    old = draw(st.lists(LINES, max_size=60))
    new = [line for line in old if draw(st.integers(0, 9))]
    for _ in range(draw(st.integers(0, 5))):
        new.insert(draw(st.integers(0, len(new))), draw(LINES | st.sampled_from(old or [PageLine("x", "p")])))
    return old, draw(st.sampled_from([new, new[len(new) // 2 :] + new[: len(new) // 2]]))


def page(*lines: str) -> list[PageLine]:
    """Return a page of lines such as `2 Dosage` (a heading), `t Aspirin 100 mg` (a row), `- Home` (a menu's entry)."""
    kinds = {"-": PageLine("", "l", "n", is_main=False)}
    made = []
    for line in lines:
        kind, _, text = line.partition(" ")
        like = kinds.get(kind, PageLine("", kind))
        made.append(PageLine(text, like.kind, like.region, like.is_main))
    return made


def edits_of(old: list[PageLine], new: list[PageLine]) -> list[str]:
    """Return the edits of two pages, without the equal lines."""
    return [shown(edit) for edit in align(old, new, Limits()).edits if edit.kind is not EditKind.SAME]


def shown(edit: LineEdit) -> str:
    return f"{edit.kind} " + " => ".join(line.text for line in (edit.old, edit.new) if line)


@given(two_pages(), st.sampled_from([Limits(), Limits(max_word_pairs=1, max_line_characters=3)]))
def test_every_line_of_both_pages_is_there_once(pages: tuple[list[PageLine], list[PageLine]], limits: Limits) -> None:
    old, new = pages
    edits = align(old, new, limits).edits
    assert [edit.new for edit in edits if edit.new] == new
    assert Counter(edit.old for edit in edits if edit.old) == Counter(old)
    still = [edit.old for edit in edits if edit.old and edit.kind is not EditKind.MOVED]
    moved = Counter(edit.old for edit in edits if edit.old and edit.kind is EditKind.MOVED)
    assert still == _without(old, moved, still)
    for edit in edits:
        is_equal = edit.old is not None and edit.new is not None and edit.old.text == edit.new.text
        assert is_equal is (edit.kind is EditKind.SAME or (edit.kind is EditKind.MOVED and not edit.words))
        assert (edit.old is None, edit.new is None) == (edit.kind is EditKind.ADDED, edit.kind is EditKind.REMOVED)


def _without(lines: list[PageLine], moved: Counter[PageLine], still: list[PageLine]) -> list[PageLine]:
    """Return lines without those that moved; of equal lines, those that leave `still`."""
    left, wanted = Counter(moved), iter(still)
    kept = []
    upcoming = next(wanted, None)
    for line in lines:
        if line == upcoming:
            kept.append(line)
            upcoming = next(wanted, None)
        else:
            left[line] -= 1
    assert not any(left.values())
    return kept


def test_a_row_is_known_by_its_first_cell_also_where_cells_look_like_one_large_number() -> None:
    before, after = page("t 3 244 20 264", "t 4 213 21 247"), page("t 3 244 20 264", "t 4 216 22 251", "t 5 187 19 218")
    assert edits_of(before, after) == ["changed 4 213 21 247 => 4 216 22 251", "added 5 187 19 218"]


def test_a_row_or_a_column_that_is_added_to_a_table_does_not_shift_the_others() -> None:
    rows = ["t Drug Dose Price", "t Aspirin 100 mg 5.00", "t Ibuprofen 200 mg 7.50", "t Codeine 30 mg 9.00"]
    changed = [*rows[:1], "t Amoxicillin 500 mg 4.00", rows[1], "t Ibuprofen 400 mg 7.90", rows[3]]
    assert edits_of(page(*rows), page(*changed)) == [
        "added Amoxicillin 500 mg 4.00",
        "changed Ibuprofen 200 mg 7.50 => Ibuprofen 400 mg 7.90",
    ]
    wider = ["t Drug Form Dose Price", *(row.replace(" mg", " mg tablets") for row in [*rows[1:], "t Insulin 3 mg 8"])]
    assert edits_of(page(*rows), page(*wider)) == [
        "changed Drug Dose Price => Drug Form Dose Price",
        "changed Aspirin 100 mg 5.00 => Aspirin 100 mg tablets 5.00",
        "changed Ibuprofen 200 mg 7.50 => Ibuprofen 200 mg tablets 7.50",
        "changed Codeine 30 mg 9.00 => Codeine 30 mg tablets 9.00",
        "added Insulin 3 mg tablets 8",
    ]
    years = [f"t {year} {year * 7 % 100} {year * 3 % 50}" for year in range(2000, 2020)]
    later = ["t 1999 1 2", *(f"{row}5" for row in years)]
    assert edits_of(page(*years), page(*later)) == [
        "added 1999 1 2",
        *(f"changed {row[2:]} => {row[2:]}5" for row in years),
    ]
    assert edits_of(
        page("t France 100 5", "t Spain 50 2", "t Italy 7 9"), page("t Spain 51 2", "t Italy 7 9", "t France 120 5")
    ) == [
        "changed Spain 50 2 => Spain 51 2",
        "moved France 100 5 => France 120 5",
    ]


def test_versions_of_a_line_are_paired_and_lines_on_other_subjects_are_not() -> None:
    old = page(
        "1 Ibuprofen",
        "p Take one tablet after a meal, twice a day.",
        "p Do not take it with alcohol.",
        "2 Side effects",
        "l Headache",
        "l Feeling tired during the day",
        "p 1,204 people read this",
        "2 Contact",
        "p Write to us.",
    )
    new = page(
        "1 Ibuprofen",
        "p Keep out of the reach of children and pets.",
        "p Take two tablets after a meal, twice a day.",
        "2 Adverse reactions",
        "l Headaches",
        "l Nausea",
        "l Feeling very tired during the day",
        "p 1,377 people read this",
        "p Contact",
        "p Write to us.",
    )
    assert edits_of(old, new) == [
        "added Keep out of the reach of children and pets.",
        "changed Take one tablet after a meal, twice a day. => Take two tablets after a meal, twice a day.",
        "removed Do not take it with alcohol.",
        "changed Side effects => Adverse reactions",
        "changed Headache => Headaches",
        "added Nausea",
        "changed Feeling tired during the day => Feeling very tired during the day",
        "changed 1,204 people read this => 1,377 people read this",
    ]
    assert edits_of(
        old, [PageLine("Adverse reactions", "2") if line.text == "Side effects" else line for line in old]
    ) == ["changed Side effects => Adverse reactions"]
    for kind, became in (("2", "changed Dose => Contact"), ("p", "removed Dose, added Contact")):
        edits = edits_of(page("p A", "2 Dose", "p B"), page("p A", f"{kind} Contact", "p B"))
        assert ", ".join(edits) == became


def test_repeated_lines_do_not_lead_versions_astray() -> None:
    titles = ["The winter menu of our kitchen", "A walk along the river bank", "Opening hours in the holidays"]
    old = page(*(line for title in titles for line in (f"p {title}", "p Read more", "p Share")))
    changed = ["Meet the new cook of the house", *(f"{title} (2024)" for title in titles)]
    new = page(*(line for title in changed for line in (f"p {title}", "p Read more", "p Share")))
    assert edits_of(old, new) == [
        "added Meet the new cook of the house",
        "added Read more",
        "added Share",
        *(f"changed {title} => {title} (2024)" for title in titles),
    ]


def test_moved_lines_are_moved_and_short_ones_only_with_their_section_or_neighbours() -> None:
    dosage = ["2 Dosage", "p Take one tablet after each meal.", "p None"]
    storage = ["2 Storage", "p Keep in a dry place below 25 degrees.", "l In the fridge", "l In the bag", "p Daily"]
    assert edits_of(page(*dosage, *storage), page(*storage, *dosage)) == [
        "moved Dosage => Dosage",
        "moved Take one tablet after each meal. => Take one tablet after each meal.",
        "moved None => None",
    ]
    old = page("p A", "2 Allergies", "p None", "p B", "p C", "2 Interactions", "p D")
    new = page("p A", "2 Allergies", "p B", "p C", "2 Interactions", "p D", "p None")
    assert edits_of(old, new) == ["removed None", "added None"]
    items = ["l Monday", "l Tuesday", "l Friday", "l Sunday"]
    assert edits_of(page(*items), page(*items[1:], items[0])) == ["moved Monday => Monday"]
    moved = page(*storage, *dosage[:1], "p Take two tablets after each meal.", dosage[2])
    assert edits_of(page(*dosage, *storage), moved)[1] == (
        "moved Take one tablet after each meal. => Take two tablets after each meal."
    )
    words = next(edit.words for edit in align(page(*dosage, *storage), moved, Limits()).edits if edit.words)
    assert [word.text for word in words] == ["Take ", "one tablet", "two tablets", " after each meal."]


def test_text_that_only_became_another_kind_of_block_is_the_same() -> None:
    lines = page("- Home", "1 Title", "p First of all", "o And then", "- Contact")
    turned = [PageLine(line.text, "o", "o", is_main=not line.is_main) for line in lines]
    assert edits_of(lines, turned) == []
    assert edits_of(page("- Dosage", "p A", "p B"), page("p A", "2 Dosage", "p B")) == [
        "removed Dosage",
        "added Dosage",
    ]


def test_lines_know_the_heading_they_are_under_on_their_page() -> None:
    old = page("p Start", "1 Title", "p A", "2 Old part", "p B is here", "- Menu", "p C")
    new = page("p Start", "1 Title", "p A", "2 New part", "- Menu", "p C")
    edits = align(old, new, Limits()).edits
    assert [(shown(edit), edit.section) for edit in edits] == [
        ("same Start => Start", ""),
        ("same Title => Title", "Title"),
        ("same A => A", "Title"),
        ("changed Old part => New part", "New part"),
        ("removed B is here", "Old part"),
        ("same Menu => Menu", ""),
        ("same C => C", "New part"),
    ]


def test_pathological_pages_end_and_name_the_limit() -> None:
    random = Random(1)
    words = ["".join(random.choices("abcdefghij", k=7)) for _ in range(3_000)]
    distinct = [[PageLine(" ".join(random.choices(words, k=12)), "p") for _ in range(10_000)] for _ in range(2)]
    limits: list[tuple[list[PageLine], list[PageLine], str | None]] = [
        (distinct[0], distinct[1], alignment.TOO_DIFFERENT),
        (distinct[0], distinct[0][5_000:] + distinct[0][:5_000], None),
        ([PageLine("same", "p")] * 10_000, [PageLine("same", "p")] * 9_000 + [PageLine("x", "p")], None),
        (
            [PageLine(f"old line {number}", "p") for number in range(5_000)],
            [PageLine(f"new line {number}", "p") for number in range(5_000)],
            alignment.TOO_MANY_WORDS,
        ),
        (
            [PageLine("x " * 2_500_000, "p")],
            [PageLine("x x y " * 800_000, "p")],
            alignment.TOO_LONG_LINES.format(20_000),
        ),
        ([PageLine("x " * 2_500_000, "p")], [PageLine("y " * 2_500_000, "p")], alignment.TOO_LONG_LINES.format(20_000)),
        (distinct[0] * 2 + distinct[1][:1], distinct[0] * 2, alignment.TOO_MANY_LINES.format(20_000)),
    ]
    for old, new, limit in limits:
        assert align(old, new, Limits()).limit == limit
