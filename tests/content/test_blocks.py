import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.blocks import HEADINGS, Block, blocks_of, main_text
from webstrata.content.comparing.page_text import page_lines
from webstrata.content.html import parse_page
from webstrata.model.changes.values import PageLine

UTF8 = "text/html; charset=utf-8"
KINDS = f"{HEADINGS}pltqco"


def blocks(html: str) -> list[tuple[str, str, bool]]:
    page = parse_page(html.encode(), UTF8)
    return [(block.text, block.kind, block.is_main) for block in page_lines(page.text, page.blocks)]


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<h1>a</h1><h2>b</h2><h6>c</h6>", "126"),
        ("<p>a<p>b<br>c", "ppp"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul><dl><dt>d<dd>e</dl>", "lllll"),
        ("<ul><li><p>a</p><p>b</p></ul>", "ll"),
        ("<table><caption>a</caption><tr><th>b<th>c<tr><td>d<td>e</table>", "ott"),
        ("<table><tr><td><p>a</p><h2>b</h2></table>", "p2"),
        ("<blockquote>a<p>b</p></blockquote><p>c", "qqp"),
        ("<pre>a\n  b</pre>", "cc"),
        ("a<div>b</div><section>c</section>d", "oooo"),
        ("<h2><span>a</span> <a href=x>b</a></h2>", "2"),
        ("<li>a</li><div><p>b</p></div>", "lp"),
        ("<ul><li><b><i><q>a<p>b</p></q></i></b></li></ul><p>c</p>d", "llpo"),
        ("<h1>a</h1><div><template shadowrootmode=open><ul><li>b</ul></template>c</div>d", "1loo"),
        ("<p>a</p><script>x</script> b<pre> c</pre> \n <h2>d", "poc2"),
    ],
)
def test_every_line_states_what_kind_of_block_it_is(html: str, kinds: str) -> None:
    assert "".join(kind for _, kind, _ in blocks(html)) == kinds


@pytest.mark.parametrize(
    ("html", "main"),
    [
        ("<nav>-</nav><p>+</p>", "+"),
        ("<header>-<h1>+</h1><nav><h1>-</h1></nav></header>+<footer>-</footer>", "++"),
        ("<main><header>+<h1>+</h1></header><aside>+</aside><footer>+</footer><nav>-</nav></main>", "++++"),
        ("<article><footer>+</footer></article><aside>-<article>-</article></aside>", "+"),
        ("<div role=navigation>-</div><div role=main>+</div><div role=contentinfo>-</div>", "+"),
        ("<div role=banner>-</div><div role=search>-</div><form role=Search>-</form>+", "+"),
        ("<footer>-<div role=alert><p>+</p></div></footer>", "+"),
        ("<div id=footer>-</div><div id=Nav>-</div><div id=content>+</div><p id=footer>+</p>", "++"),
        ("<div id=cookie-banner><p>-</p></div><div class='x CookieConsent'>-</div><div id=onetrust-x>-</div>+", "+"),
        ("<footer>-<main>+</main>-</footer>", "+"),
    ],
)
def test_what_a_page_is_about_is_distinguished_from_what_is_around_it(html: str, main: str) -> None:
    assert "".join(text for text, _, is_main in blocks(html) if is_main) == main
    assert all(is_main == (text == "+") for text, _, is_main in blocks(html))


@pytest.mark.parametrize(
    "attribute",
    [
        *("class=banner", "class=notification", "id=alert-banner", "class='warning notice'", "class=recall-popup"),
        *("id=consent", "class=informed-consent", "class=cookie-recipes", "role=status", "role=dialog"),
    ],
)
def test_recalls_and_warnings_are_no_boilerplate_whatever_their_class_says(attribute: str) -> None:
    assert blocks(f"<div {attribute}><p>Do not take it</p></div>") == [("Do not take it", "p", True)]


def test_a_body_or_a_root_that_mentions_cookies_is_no_cookie_bar() -> None:
    html = "<html class=cookie-bar-shown><body class=cookie-notice id=footer><p>text"
    assert blocks(html) == [("text", "p", True)]


def test_boilerplate_is_written_in_upper_case() -> None:
    page = parse_page(b"<footer><h2>a</h2><p>b</p><ul><li>c</ul></footer><h2>d</h2>", UTF8)
    assert page.blocks == "VPL2"
    assert main_text(page.text, page.blocks) == "d"


def test_a_page_of_nothing_but_boilerplate_is_about_that() -> None:
    assert main_text("a\nb", "PP") == "a\nb"


def test_a_text_that_was_cut_keeps_its_first_blocks() -> None:
    assert list(page_lines("one\ntw", "ppp")) == [PageLine("one", "p"), PageLine("tw", "p")]


made = st.builds(Block, st.text(), st.sampled_from(KINDS), st.booleans())


@given(st.lists(made, max_size=8))
def test_there_is_a_letter_for_every_line_whatever_the_blocks_say(given_blocks: list[Block]) -> None:
    text, letters = blocks_of(given_blocks)
    assert text.splitlines() == (text.split("\n") if text else [])
    assert len(letters) == len(text.splitlines())
    found = list(page_lines(text, letters))
    assert [(block.kind, block.is_main) for block in found] == [
        (block.kind, block.is_main)
        for block in given_blocks
        for line in (
            block.text.replace("\xad", "").splitlines() if block.kind == "c" else [block.text.replace("\xad", "")]
        )
        if line.replace("\xad", "").strip()
    ]


tags = st.sampled_from(
    ["p", "div", "li", "pre", "h2", "nav", "span", "td", "br", "main", "script", "noscript", "button"]
)
markup = st.recursive(
    st.text(alphabet="a \n\x0b\x85\u2028\xad", max_size=5),
    lambda inner: st.builds(lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", tags, st.lists(inner, max_size=4)),
    max_leaves=12,
)


@given(markup)
def test_there_is_a_letter_for_every_line_whatever_the_markup(html: str) -> None:
    page = parse_page(html.encode(), UTF8)
    assert len(page.blocks) == len(page.text.splitlines())
    assert page.text.splitlines() == (page.text.split("\n") if page.text else [])
    assert not any(line.isspace() or not line for line in page.text.splitlines())
