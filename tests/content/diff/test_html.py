import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.diff.alignment import align
from webstrata.content.diff.html import diff_html
from webstrata.model.changes.values import EditKind, Limits, LineEdit, PageLine

TEXTS = st.text(alphabet="<>&\"'/ab =!-", min_size=1, max_size=20) | st.sampled_from(
    ["<script>alert(1)</script>", "</div></ins>", '"><img src=x onerror=y>', "&lt;b&gt;", "<!--", "]]>"]
)
LINES = st.lists(st.builds(PageLine, TEXTS, st.sampled_from("12pt")), max_size=12)
OWN_TAGS = {"div", "h4", "ins", "del"}


class Balance(HTMLParser):
    """Checks that tags are the diff's own, and that each is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.others: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        assert {name for name, _ in attributes} <= {"class", "title"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def line(text: str, kind: str = "p") -> PageLine:
    return PageLine(text, kind)


@given(LINES, LINES, st.none() | TEXTS, st.integers(0, 1_500))
def test_no_text_of_a_page_opens_a_tag_and_a_cut_diff_is_balanced(
    old: list[PageLine], new: list[PageLine], ignored: str | None, longest: int
) -> None:
    edits = [edit._replace(ignored=ignored) for edit in align(old, new, Limits()).edits]
    edits += align(new, old, Limits()).edits
    whole, whole_is_cut = diff_html(edits, Limits())
    html, is_cut = diff_html(edits, Limits(max_html_characters=longest))
    for written in (whole, html):
        balance = Balance(written)
        assert (balance.open, balance.others) == ([], [])
        assert balance.tags <= OWN_TAGS
    assert not whole_is_cut
    assert len(html) <= longest
    assert is_cut is (len(whole) > longest)


def test_a_diff_shows_sections_and_marks_and_folds_what_did_not_change() -> None:
    before = [line("Ibuprofen", "1"), *(line(f"Fact {number}") for number in range(5))]
    after = [line(f"Note {number}") for number in range(4)]
    dose = "Take {} mg <daily>."
    old = [*before, line(dose.format(200)), line("Not with alcohol."), *after, line("Page 17")]
    new = [*before, line(dose.format(400)), *after, line("Page 18")]
    edits = [
        edit._replace(ignored="counter") if edit.new == line("Page 18") else edit
        for edit in align(old, new, Limits()).edits
    ]
    html, is_cut = diff_html(edits, Limits())
    marks = '<del class="diff-removed">200</del><ins class="diff-added">400</ins>'
    assert not is_cut
    assert re.findall(r"<(?:div|h4) class=\"diff-.*?</(?:div|h4)>", html) == [
        '<div class="diff-fold">4 unchanged lines</div>',
        '<h4 class="diff-section">Ibuprofen</h4>',
        '<div class="diff-line diff-context">Fact 3</div>',
        '<div class="diff-line diff-context">Fact 4</div>',
        f'<div class="diff-line diff-changed">Take {marks} mg &lt;daily&gt;.</div>',
        '<div class="diff-line diff-removed"><del class="diff-removed">Not with alcohol.</del></div>',
        '<div class="diff-line diff-context">Note 0</div>',
        '<div class="diff-line diff-context">Note 1</div>',
        '<div class="diff-fold">2 unchanged, 1 ignored lines</div>',
    ]


def test_a_very_long_line_is_shortened_around_its_change() -> None:
    half = "lorem ipsum " * 100_000
    edits = align([line(f"{half}200 mg {half}")], [line(f"{half}400 mg {half}")], Limits()).edits
    html, is_cut = diff_html(edits, Limits())
    assert is_cut
    assert len(html) < 10_000
    assert 'ipsum <del class="diff-removed">200</del><ins class="diff-added">400</ins> mg lorem' in unescape(html)


def test_a_line_that_was_not_compared_word_by_word_is_shown_as_a_whole() -> None:
    edits = [
        LineEdit(EditKind.MOVED, line("Moved & kept"), line("Moved & kept")),
        LineEdit(EditKind.ADDED, None, line("New")),
    ]
    html, _ = diff_html(edits, Limits())
    assert '<div class="diff-line diff-moved">Moved &amp; kept</div>' in html
    assert '<div class="diff-line diff-added"><ins class="diff-added">New</ins></div>' in html
