import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.blocks import CELL
from webstrata.content.html import extract_text, extract_title, make_snippet, parse_page
from webstrata.content.page_file import page_file

UTF8 = "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A\n page </title>", "A page"),
        ("<title></title><h1>A <b>heading</b></h1>", "A heading"),
        ("<h2>Second</h2><h1>First</h1>", "Second"),
        ("<svg><title>icon</title></svg><h1>Heading</h1>", "Heading"),
        ("<title>&lt;b&gt; &amp; &eacute;</title>", "<b> & é"),
        ("<title>日本語 😀</title>", "日本語 😀"),
        ("<title>" + "x" * 10_000 + "</title>", "x" * 500),
        ("<p>none", ""),
        ("", ""),
    ],
)
def test_a_page_is_called_by_its_title_else_by_its_heading(html: str, title: str) -> None:
    assert parse_page(html.encode(), UTF8).title == title


def test_a_reader_sees_text_and_neither_scripts_nor_styles() -> None:
    html = (
        "<head><style>p{}</style></head><script>var hidden</script><p>one</p><p>two<br>three</p><img alt='a picture'>"
    )
    text = parse_page(html.encode(), UTF8).text
    assert [line for line in text.splitlines() if line] == ["one", "two", "three", "a picture"]


def test_the_cells_of_a_row_keep_their_boundaries_and_column_headers_are_marked() -> None:
    table = (
        "<table><tr><th>Dose</th><th>Age</th></tr><tr><td>10</td><td>mg</td></tr><tr><td>5</td><td></td></tr>"
        "<tr><td></td><td>1 &shy;2</td></tr><tr><td colspan=2>A note</td></tr></table>"
    )
    rows = [f"Dose{CELL}Age{CELL}", f"10{CELL}mg", "5", f"{CELL}1 2", "A note"]
    assert parse_page(table.encode()).text.split("\n") == rows
    assert extract_text(table).split("\n") == ["Dose Age", "10 mg", "5", "1 2", "A note"]
    assert page_file("", "\n".join(rows)) == page_file("", extract_text(table))


def test_items_and_paragraphs_stand_on_lines_of_their_own() -> None:
    html = "<ul><li>one</li><li>two</li></ul><p>three</p>four<dl><dt>five</dt><dd>six</dd></dl>"
    assert parse_page(html.encode(), UTF8).text.split() == ["one", "two", "three", "four", "five", "six"]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("<p>one</p><p>two<br>three</p><img alt='a picture'><style>p{}</style>", ["one", "two", "three", "a picture"]),
        ("lead<p>in\nthe <b>mid</b>dle</p>four <i>words</i> here", ["lead", "in the middle", "four words here"]),
        ("<b>two</b> <i>words</i><span>and</span><span>one</span>", ["two wordsandone"]),
        (
            "<p>a<noscript>x</noscript><template>y</template><select><option>z</select><svg><text>b</text></svg></p>",
            ["ab"],
        ),
        ("<div>a<div>b</div>c<object>d</object><button>e</button><textarea>f</textarea></div>", ["a", "b", "cd"]),
        ("<div>a<iframe>g</iframe><noscript><div>n</div></noscript>b</div>", ["ab"]),
        ("<div>a<p></p>b</div>", ["a", "b"]),
        ("<h3><button>Folded</button></h3><svg><g><title>icon</title></g></svg>", ["Folded"]),
        ("syl\xadlable<pre> kept\n   as it\n\n is</pre>", ["syllable", " kept", "   as it", " is"]),
        ("a<label>x </label>b <i>c</i><select><option>y<br>z</select>d", ["ab cd"]),
        ("one<label> <b>x</b></label>two<button>y</button>three", ["one twothree"]),
        ("<pre>  <b>if</b> a:\n    <b>b</b></pre>", ["  if a:", "    b"]),
        (
            "a\0b<p>c\0</p><pre>d\0e</pre><svg>f\0<text>g</text></svg><img alt='h\0'>",
            ["ab", "c", "de", "f\ufffdg h\ufffd"],
        ),
        ("<frameset><frame src=a></frameset>", []),
        ("", []),
    ],
)
def test_a_text_has_the_lines_that_a_reader_sees(source: str, lines: list[str]) -> None:
    text = parse_page(source.encode(), UTF8).text
    assert text.split("\n") == (lines or [""])


def test_a_vast_page_is_read_to_its_end() -> None:
    assert parse_page(b"<p>word by word</p>" * 100_000, UTF8).text.count("word by word\n") == 99_999


def test_the_parts_of_a_page_can_be_had_one_by_one() -> None:
    html = "<title>A page</title><p>one</p><p>two</p>"
    assert (extract_title(html), extract_text(html)) == ("A page", "one\ntwo")
    assert extract_text("half a \ud800 pair") == "half a ? pair"


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_page_breaks_the_reading(body: bytes, content_type: str) -> None:
    page = parse_page(body, content_type)
    for text in (page.title, page.text, make_snippet(page.text)):
        text.encode()


@given(st.text(alphabet="<>/!-='\"apdiv ", max_size=200))
def test_markup_of_any_kind_is_harmless(html: str) -> None:
    assert isinstance(parse_page(html.encode(), UTF8).text, str)


def test_a_snippet_is_the_beginning_of_the_text_cut_at_a_word() -> None:
    assert make_snippet(" one\n two ") == "one two"
    assert make_snippet("x" * 280) == "x" * 280
    snippet = make_snippet("word " * 100)
    assert snippet.endswith("word …")
    assert len(snippet) <= 282
    assert len(make_snippet("x" * 1_000)) <= 282
