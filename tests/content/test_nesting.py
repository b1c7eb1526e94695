"""No page nests deeper than its tags are said to: what stalls a parser is cut, whatever it looks like."""

import random

import pytest
from selectolax.lexbor import LexborHTMLParser

from webstrata.content.defuse import DEEPEST, defused
from webstrata.content.html import parse_page, parsed
from webstrata.content.nesting import TOKEN, Nesting

MOST_FOR_ONE = 6
"""How many elements a parser may make of one that is counted: a table's cell brings a row and a body along."""

AND_SOME = 25
NAMES = [
    *("div", "p", "span", "b", "i", "a", "li", "ul", "dd", "dt", "dl", "x", "table", "tr", "td", "th"),
    *("caption", "select", "option", "optgroup", "svg", "math", "title", "style", "script", "g", "path"),
    *("foreignObject", "desc", "mi", "mtext", "annotation-xml", "button", "form", "h1", "h2", "object"),
    *("template", "textarea", "ruby", "rt", "rb", "font", "nobr", "body", "html", "head", "frameset"),
    *("noframes", "iframe", "xmp", "noscript", "section", "br", "img", "input", "mglyph", "marquee", "pre"),
    *("center", "em", "plaintext", "col", "colgroup", "tbody", "image", "article", "summary", "label"),
]
ATTRIBUTES = ["", "", "", "", " a=b", " color=x", "/", " a=/", ' x="<!--"', ' ="> y', " encoding=text/html"]
OTHERS = [
    *("x", " ", "<!--", "-->", "<!--x-->", "<!x>", "<!a<!--b>", "<![CDATA[", "]]>", '"', "'", "<?x>", "</>", "<3"),
    *("</ x>", "<div\v>", "</script x>", "<script><!--<script>", '<a b="', "<svg/>", "<svg><title>", "</title>"),
    *("</svg>", "</select>", "--!>", "<!-->"),
]


def depth_of(tree: LexborHTMLParser) -> int:
    node, depth, deepest = tree.root, 1, 0
    while node is not None:
        deepest = max(deepest, depth)
        if node.child is not None:
            node, depth = node.child, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None
    return deepest


def told_depth(html: bytes) -> int | None:
    """Return how deep a page is said to nest, or None when that is unclear."""
    nesting, position, deepest = Nesting(), 0, 0
    while token := TOKEN.search(html, position):
        position = nesting.take(html, token)
        deepest = max(deepest, nesting.depth)
        if not nesting.is_clear:
            return None
    return deepest


def piece(chance: random.Random) -> str:
    kind, name = chance.random(), chance.choice(NAMES)
    if kind < 0.5:
        return f"<{name}{chance.choice(ATTRIBUTES)}>"
    return f"</{name}>" if kind < 0.88 else chance.choice(OTHERS)


def repetitive(chance: random.Random) -> bytes:
    """Return a page that does something over and over: what that adds to its depth shows."""
    before, over_and_over, behind = (
        "".join(piece(chance) for _ in range(chance.randint(fewest, most))) for fewest, most in ((0, 3), (1, 7), (0, 2))
    )
    return (before + 60 * over_and_over + behind).encode()


def assert_told(html: bytes) -> None:
    told = told_depth(html)
    assert told is None or depth_of(parsed(html)) <= MOST_FOR_ONE * told + AND_SOME, html


@pytest.mark.parametrize(
    "over_and_over",
    [
        "<div></x>",
        "<x><div></x></div>",
        "<x><p></x></p>",
        "<ul><li></x>",
        "<li><dd>",
        "<rt>",
        "<optgroup>",
        "<form><div></form>",
        "<div><object></div></object>",
        "<noscript><div></noscript>",
        "<button><button></button><li></button><button><button></button><dd></button>",
        "<div\v></div>",
        "<div a=b='></div>'>",
        "<svg><title><b></title><section/>",
        "<svg><foreignObject><svg></foreignObject></svg></foreignObject><section/>",
        "<svg><title><a></svg>",
        "<form><svg></form><td></y>",
        "<div><x></div><svg></x><td></y>",
        "<math><mi><a></math></a></mi><td></y>",
    ],
)
def test_a_page_is_said_to_be_as_deep_as_it_is(over_and_over: str) -> None:
    assert_told(over_and_over.encode() * 200)
    assert_told(b"<title>x</title>" + over_and_over.encode() * 200)


@pytest.mark.parametrize(
    "before",
    [
        "<!a<!--b>",
        "<title-x>",
        "<script x='</script><!--'></script>",
        "<script></scriptx><!--</script>",
        "<script><!--<script></script><!-- </script>",
        "<iframe><!--</iframe>",
        '<div =">',
        '<div a=b=">',
        "<svg><title>",
        "<svg><style>",
        "<svg><![CDATA[<!--]]>",
        "<math><annotation-xml encoding=text/html><style></style>",
        "<svg><desc><p></desc></svg></p></desc><title>",
        "<svg><foreignObject><div><b></div></foreignObject><title>",
    ],
)
def test_nothing_hides_what_nests(before: str) -> None:
    page = f"<title>x</title>{'<br>' * 20_000}{before}{'<div>' * 3 * DEEPEST}\"'-->]]>".encode()
    assert depth_of(parsed(page)) > 3 * DEEPEST
    assert depth_of(parsed(defused(page))) < 2 * DEEPEST


def test_pages_of_any_kind_are_as_deep_as_they_are_said_to_be() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        assert_told(repetitive(chance))


@pytest.mark.soak
def test_many_more_pages_are_as_deep_as_they_are_said_to_be() -> None:
    chance = random.Random()
    for _ in range(300_000):
        assert_told(repetitive(chance))


@pytest.mark.parametrize(
    "over_and_over",
    [
        "<svg viewBox='0 0 9 9'><g><path d='M0 0'/><use href=#a /><circle r=1 /></g></svg>",
        "<svg><path d=x><path d=y></svg>",
        "<svg><style><![CDATA[a > b {}]]></style><title>An icon</title><rect/></svg>",
        "<svg><foreignObject><p>one<p>two<br></p></foreignObject></svg>",
        "<a href=x><svg><path></path></i></svg></a>",
        "<math><mi>x</mi><mspace/><annotation-xml encoding='MathML-Content'><ci>x</ci></annotation-xml></math>",
        "<script>document.write('<div>'); if (a<b) c = '<!--'</script>",
        "<script><!-- document.write('<script>x</script>') //--></script>",
        "<ul><li>one<li>two<ul><li>three</ul></ul><dl><dt>a<dd>b<dd>c</dl>",
        "<table><tr><td><p>one<td>two<tr><th>three</table>",
        "<select><optgroup label=a><option>b<option>c<optgroup label=d><option>e</select>",
        "<ruby>x<rt>y<rt>z</ruby><p>one<div>two</div><h2>three<p>four</h2>",
        "<form><p>one</form><input name='a > b'><textarea><div></textarea><xmp><div></xmp><iframe><div></iframe>",
        "<!doctype html><!-- <div> --><? x ?><div title='<div>' data-x=\"<p>\">x</div></>",
    ],
)
def test_a_page_of_many_tags_is_read_to_its_end(over_and_over: str) -> None:
    page = f"<title>x</title>{over_and_over * (25_000 // over_and_over.count('<') + 1)}<p>The end".encode()
    assert defused(page) == page
    assert parse_page(page).text.endswith("The end")
