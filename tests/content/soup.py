"""Markup of all kinds, from well formed to hopeless, made of the pieces that parsers have rules for."""

import random
from collections.abc import Iterator

TAGS = [
    *("a", "b", "i", "em", "code", "u", "font", "small", "nobr", "span", "span", "my-tag", "object", "marquee"),
    *(
        "div",
        "div",
        "p",
        "p",
        "ul",
        "ol",
        "li",
        "li",
        "dl",
        "dt",
        "dd",
        "h1",
        "h2",
        "h3",
        "form",
        "pre",
        "xmp",
        "listing",
    ),
    *("table", "tbody", "thead", "tr", "td", "th", "caption", "col", "colgroup", "ruby", "rt", "rp", "dir", "menu"),
    *("button", "label", "select", "option", "optgroup", "textarea", "datalist", "fieldset", "legend", "input"),
    *("section", "article", "nav", "header", "footer", "main", "aside", "search", "address", "center", "blockquote"),
    *("figure", "details", "summary", "dialog", "title", "script", "style", "noscript", "template", "iframe"),
    *("svg", "g", "path", "desc", "image", "math", "audio", "video", "canvas", "source", "track", "img", "area"),
    *("br", "hr", "link", "meta", "base", "html", "head", "body", "noframes", "noembed", "frame"),
]
RAW = {"script", "style", "textarea", "title", "iframe", "xmp", "noframes", "noembed"}
IN_RAW = ["", " ", "x", "a<b>", "&nbsp;", "\n", "<!--<script>x</script>y--> ", "<!--></script", "a<!--b<script c"]
TEXTS = [
    *("a", " ", "\n", "word ", "  x", "&amp;", "&nbsp;", "&copy", "&#233;", "&notit;", "é ", "\xad", "\u2003", "x<y"),
    *("\t", "&#x80;", "日本", "1 < 2", "&lt;p&gt;", "\r\n", "\x0b", "\x1c", "&#0;", "&#xD800;", "&nGt;", "\0", "&"),
]
ATTRIBUTES = [
    *('class="cookie-banner"', "id=nav", 'role=" Navigation "', 'href="/x?a=1&amp;b&copy=2"', "src=y", 'alt="Alt t"'),
    *('id="onetrust-x"', "lang=en", "href", 'href=""', 'class="My-Cookie Notice"', "role=alert", "id=header", "a=1 b"),
    *("href=/z/", "/", "href=1 href=2", "class='ⱥ cookiebar'", "id=É", 'alt="&#10;"', "ROLE=Main", "=x href=y"),
    "xml:lang=de",
]
OTHERS = [
    *("<!-- c -->", "<!-->", "<!--->", "<!x>", "<?y>", "</ z>", "<![CDATA[q]]>", "<!--a--!>", "</>", "</source>"),
    *("</y>", "<!-- -- -->", "<!doctype html>", "</br>", "</p>"),
]


def soup(chance: random.Random) -> str:
    """Return a page of some pieces, more or less in order."""
    return "".join(_pieces(chance))


def _pieces(chance: random.Random) -> Iterator[str]:
    if chance.random() < 0.7:
        yield "<!doctype html>"
    if chance.random() < 0.9:
        yield "<title>T &amp; x</title>"
    if chance.random() < 0.5:
        yield "<body>"
    disorder, tags, still_open = chance.random() / 2, chance.sample(TAGS, chance.randint(3, 14)), list[str]()
    for _ in range(chance.randint(1, 40)):
        kind = chance.random()
        if kind < 0.35:
            yield chance.choice(TEXTS)
        elif kind < 0.7:
            yield from _element(chance, chance.choice(tags), still_open)
        elif kind < 0.95:
            in_order = still_open and chance.random() > disorder
            yield f"</{still_open.pop() if in_order else chance.choice(tags)}>"
        else:
            yield chance.choice(OTHERS)


def _element(chance: random.Random, tag: str, still_open: list[str]) -> Iterator[str]:
    attributes = f" {chance.choice(ATTRIBUTES)}" if chance.random() < 0.4 else ""
    yield f"<{tag}{attributes}{'/' if chance.random() < 0.1 else ''}>"
    if tag in RAW:
        yield f"{chance.choice(IN_RAW)}</{tag}>"
    else:
        still_open.append(tag)
