import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content import html as content_html
from webstrata.content.defuse import DEEPEST, MOST_ATTRIBUTES, defused
from webstrata.content.html import charset_of, make_snippet, page_text, parse_page

UTF8 = "text/html; charset=utf-8"
FRENCH = "<title>Déjà l'été: élèves, garçons, hôpitaux, où ça, forêt, naïveté</title>"
RUSSIAN = "<title>Грипп и прививки: что нужно знать о сезонной вакцинации</title>"


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        (codecs.BOM_UTF8 + b"<meta charset=koi8-r>", "text/html; charset=iso-8859-1", "utf-8"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), UTF8, "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), None, "utf-16-be"),
        (b"<meta charset=koi8-r>", UTF8, "utf-8"),
        (b"<meta charset=koi8-r>", 'text/html;x="y"; Charset="Windows-1251"', "cp1251"),
        (b"<meta charset=koi8-r>", "text/html; charset=nonsense", "koi8-r"),
        (b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'>", "text/html", "cp1251"),
        (b"<!-- <meta charset=koi8-r> --><meta charset='windows-1251'>", None, "cp1251"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html>", "application/xhtml+xml", "iso8859-2"),
        (b"x" * 2_000 + b"<meta charset=koi8-r>", None, "koi8-r"),
        (b"<meta charset=iso-8859-1>", None, "cp1252"),
        (b"<meta charset=latin1>", None, "cp1252"),
        (b"<meta charset=us-ascii>", None, "cp1252"),
        (b"<meta charset=utf-16>", None, "utf-8"),
        (FRENCH.encode("utf-8"), None, "utf-8"),
        (FRENCH.encode("latin-1"), "text/html", "cp1252"),
        (RUSSIAN.encode("cp1251"), None, "cp1251"),
        ("<p>東京の天気".encode(), None, "utf-8"),
        (b"", None, "utf-8"),
    ],
)
def test_the_charset_comes_from_the_mark_then_http_then_the_page_then_its_bytes(
    body: bytes, content_type: str | None, charset: str
) -> None:
    assert charset_of(body, content_type) == charset


@pytest.mark.parametrize("name", ["rot13", "hex", "zlib", "idna", "utf-7", "unicode_escape", "undefined", "\0", "é"])
def test_a_name_that_is_no_charset_of_the_web_is_ignored(name: str) -> None:
    assert page_text("é".encode(), f"text/html; charset={name}") == "é"


@given(
    st.binary().map(lambda body: bytes(byte & 127 for byte in body))
    | st.text("ab~{}\x1b$(B\0+-", min_size=1).map(str.encode)
)
def test_a_body_that_needs_no_detection_reads_as_if_it_had_been_detected(body: bytes) -> None:
    assert page_text(body) == body.decode(charset_of(body, None), "replace")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-1", "“quoted” – €5"),
        ("shift_jis", "①髙﨑"),
        ("euc-kr", "똠방각하"),
        ("gb2312", "镕"),
        ("big5", "嘅"),
        ("euc-jp", "日本語"),
        ("iso-8859-15", "€œ"),
        ("windows-874", "ภาษาไทย"),
    ],
)
def test_a_page_reads_as_in_a_browser(charset: str, text: str) -> None:
    written = {"iso-8859-1": "cp1252", "shift_jis": "cp932", "euc-kr": "cp949", "gb2312": "gbk", "big5": "big5hkscs"}
    body = text.encode({"windows-874": "cp874"}.get(charset, written.get(charset, charset)))
    assert page_text(body, f"text/html; charset={charset}") == text


def test_the_byte_order_mark_is_no_part_of_the_page() -> None:
    assert page_text(codecs.BOM_UTF8 + b"<p>x", None) == "<p>x"
    assert parse_page(codecs.BOM_UTF16_LE + "<p>x".encode("utf-16-le")).text == "x"


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


def test_cells_of_a_table_do_not_run_together() -> None:
    html = (
        "<table><tr><th>Dose</th><th>Age</th></tr><tr><td>10</td><td>mg</td></tr><tr><td>5</td><td>ml</td></tr></table>"
    )
    assert parse_page(html.encode(), UTF8).text.splitlines() == ["Dose Age", "10 mg", "5 ml"]


def test_items_and_paragraphs_stand_on_lines_of_their_own() -> None:
    html = "<ul><li>one</li><li>two</li></ul><p>three</p>four<dl><dt>five</dt><dd>six</dd></dl>"
    assert parse_page(html.encode(), UTF8).text.split() == ["one", "two", "three", "four", "five", "six"]


@pytest.mark.parametrize(
    "source",
    [
        "<script>var x</script><p>one</p><p>two<br>three</p><img alt='a picture'><style>p{}</style>",
        "<table><tr><th>Dose</th><th>Age</th></tr><tr><td>10</td><td>mg</td></tr></table>",
        "lead<p>in\nthe <b>mid</b>dle</p>four <i>words</i> here<dl><dt>five</dt><dd>six</dd></dl>",
        "<p>a<noscript>x</noscript><template>y</template><select><option>z</select><svg><text>b</text></svg></p>",
        "<div>a<div>b</div>c<object>d</object><button>e</button><textarea>f</textarea><iframe>g</iframe></div>",
        "",
    ],
)
def test_a_vast_page_reads_like_any_other(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = parse_page(source.encode(), UTF8).text
    monkeypatch.setattr(content_html, "_VAST", -1)
    assert parse_page(source.encode(), UTF8).text.splitlines() == [
        line.strip() for line in usual.splitlines() if line.strip()
    ]


def test_a_page_on_which_the_usual_reading_would_not_end_is_vast() -> None:
    page = parse_page(b"<p>word by word</p>" * 100_000, UTF8)
    assert page.is_vast
    assert page.text.count("word by word\n") == 99_999
    assert not parse_page(b"<p>word by word</p>" * 1_000, UTF8).is_vast


HOSTILE = {
    "deep": "<div>" * 100_000 + "deep",
    "deep and closed": "<div>" * 100_000 + "deep" + "</div>" * 100_000,
    "deep lists": "<ul><li>" * 100_000 + "deep",
    "deep tables": "<table><tr><td>" * 30_000 + "deep",
    "deep formatting": "<b><i>" * 50_000 + "deep",
    "deep strangers": "<x-y>" * 100_000 + "<div></div>" * 100_000,
    "many attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">text",
    "attributes with brackets": "<p " + "".join(f"a{n}='<>'" for n in range(100_000)) + ">text",
    "attributes with slashes": "<p " + "/".join(f"a{n}" for n in range(100_000)) + ">text",
    "huge attribute": f"<p title='{'x' * 5_000_000}'>text",
    "unclosed comment": "<!--" + "x" * 2_000_000,
    "empty comments": "<!-->" * 200_000 + "text",
    "unclosed script": "<script>" + "<div>" * 200_000,
    "unclosed quotes": "<a href='" * 200_000,
    "brackets": "<" * 1_000_000,
    "nuls": "<title>a\0b</title><p>c\0d</p>",
    "bad references": "<title>&#xD800;</title><p>&#0;&#x110000;&#xDFFF;",
    "control characters": "".join(map(chr, range(32))) * 100,
    "right to left": "\u202e\u2066<p>\u200f",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_read_like_any_other(name: str) -> None:
    page = parse_page(HOSTILE[name].encode(), UTF8)
    for text in (page.title, page.text):
        text.encode()
    assert page.language(None) is None


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>one</p>" * 50_000,
        "<p>unclosed" * 20_000,
        "<table>" + "<tr><td>x<td>y" * 20_000 + "</table>",
        "<div>" * (DEEPEST - 1) + "x",
        f"<img src='data:image/png;base64,{'ab/cd+ ' * 100_000}'>",
        f"<img src=data:image/png;base64,{'ab/cd+' * 100_000}>",
        "<p " + " ".join(f"a{n}" for n in range(MOST_ATTRIBUTES - 10)) + ">x",
        "<script>" + "if (a<b) x='<div>';" * 20_000 + "</script><p>text",
        "<!--" + "<div>" * 20_000 + "--><p>text",
        "<div><br><img></div>" * 20_000,
    ],
)
def test_a_large_page_is_not_cut(html: str) -> None:
    assert defused(html) == html


def test_a_page_that_nests_beyond_reason_is_cut_there() -> None:
    html = "<p>before</p>" + "<div>" * 50_000 + "behind"
    assert defused(html) == "<p>before</p>" + "<div>" * DEEPEST


@pytest.mark.parametrize("before", range(0, 30_000, 1_999))
def test_a_tag_beyond_reason_is_found_wherever_it_stands(before: int) -> None:
    bomb = f"<p {' '.join(f'a{n}' for n in range(4 * MOST_ATTRIBUTES))}>"
    assert defused("x" * before + bomb) == "x" * before
    assert defused("<i>x</i>" * (before // 8) + bomb + "behind") == "<i>x</i>" * (before // 8) + "behind"


def test_only_the_tag_with_too_many_attributes_goes() -> None:
    bomb = "<p " + " ".join(f"a{n}" for n in range(50_000)) + ">"
    assert defused(f"<p>before{bomb}behind") == "<p>beforebehind"


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_page_breaks_the_reading(body: bytes, content_type: str) -> None:
    page = parse_page(body, content_type)
    for text in (page.title, page.text, make_snippet(page.text)):
        text.encode()


@given(st.text(alphabet="<>/!-='\"apdiv ", max_size=200))
def test_markup_of_any_kind_is_harmless(html: str) -> None:
    assert defused(html) == html
    assert isinstance(parse_page(html.encode(), UTF8).text, str)


def test_a_snippet_is_the_beginning_of_the_text_cut_at_a_word() -> None:
    assert make_snippet(" one\n two ") == "one two"
    assert make_snippet("x" * 280) == "x" * 280
    snippet = make_snippet("word " * 100)
    assert snippet.endswith("word …")
    assert len(snippet) <= 282
    assert len(make_snippet("x" * 1_000)) <= 282
