import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from webstrata.content.html import parse_page, read_links
from webstrata.content.links import _cached_link, followed, outlinks
from webstrata.model.crawl.tasks import Link, TaskType
from webstrata.model.urls import join, parse_url, url_group

PAGE = "https://example.org/folder/page?q=1"


def links_in(html: str, url: str) -> tuple[Link, ...]:
    return read_links(html.encode("utf-8", "replace"), "text/html; charset=utf-8", url).links


def urls(html: str) -> list[str]:
    return [link.url for link in links_in(html, PAGE)]


def test_a_page_leads_to_pages_and_shows_media() -> None:
    html = """
        <link rel="shortcut icon" href="/i.ico"><link rel=stylesheet href=s.css><link rel=canonical href=/c>
        <script src=s.js></script><a href=a>a</a><map><area href=b></map><iframe src=c></iframe>
        <img src=d.png><video src=e.mp4><source src=f.webm></video><audio src=g.ogg></audio><embed src=h.swf>
    """
    found = links_in(html, PAGE)
    base = "https://example.org/folder/"
    assert {link.url for link in found if link.task_type is TaskType.PAGE} == {base + "a", base + "b", base + "c"}
    media = {"s.css", "s.js", "d.png", "e.mp4", "f.webm", "g.ogg", "h.swf"}
    shown = {link.url for link in found if link.task_type is TaskType.MEDIA}
    assert shown == {base + name for name in media} | {"https://example.org/i.ico"}


def test_each_link_comes_once_and_in_order() -> None:
    assert urls("<a href=b><a href=a><a href=b#part><a href='./a'>") == [
        "https://example.org/folder/b",
        "https://example.org/folder/a",
    ]


def test_frames_are_followed() -> None:
    assert links_in("<frameset><frame src=a><frame src=b></frameset>", PAGE) == (
        Link("https://example.org/folder/a"),
        Link("https://example.org/folder/b"),
    )


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("<base href='https://other.example/d/'>", "https://other.example/d/x"),
        ("<base href='/top/'>", "https://example.org/top/x"),
        ("<base href='sub/'>", "https://example.org/folder/sub/x"),
        ("<base href='//other.example'>", "https://other.example/x"),
        ("<base href='https://other.example/d/#a/b'>", "https://other.example/d/x"),
        ("<base target=_blank><base href=/first/><base href=/second/>", "https://example.org/first/x"),
        ("<base href>", "https://example.org/folder/x"),
        ("<base href='javascript:1'>", "https://example.org/folder/x"),
        ("<base href='https://[broken'>", "https://example.org/folder/x"),
        ("<base href='data:text/html,x'>", "https://example.org/folder/x"),
    ],
)
def test_links_are_relative_to_the_base_if_it_is_one(base: str, target: str) -> None:
    assert urls(f"{base}<a href=x>") == [target]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<a>",
        "<a name=x>",
        "<a href='javascript:void(0)'>",
        "<a href='mailto:me@example.org'>",
        "<a href='https://[broken'>",
        f"<a href='{'x' * 3_000_000}'>",
        f"<img src='data:image/png;base64,{'A' * 1_000_000}'>",
        "<!-- <a href=x> -->",
        "<script>'<a href=x>'</script>",
        "<template><a href=x></template>",
    ],
)
def test_what_leads_nowhere_is_no_link(html: str) -> None:
    assert urls(html) == []


@pytest.mark.parametrize("attribute", ["href", "href=''", "href='#top'"])
def test_a_link_to_the_page_itself_is_the_page(attribute: str) -> None:
    assert urls(f"<a {attribute}>") == [PAGE]


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "<a href=deep>",
        "<p " + " ".join(f"a{n}" for n in range(100_000)) + "><a href=behind>",
        "<a href='" * 200_000,
        "<a href=x>" * 50_000,
        "\0<a\0href=x>\0",
    ],
)
def test_the_links_of_a_hostile_page_are_read_like_any_others(html: str) -> None:
    links = urls(html)
    assert len(links) <= 1


@given(st.text())
def test_any_reference_gives_a_proper_url_or_none(reference: str) -> None:
    escaped = reference.replace("&", "&amp;").replace('"', "&quot;")
    for url in urls(f'<a href="{escaped}">'):
        assert parse_url(url).href == url


KINDS = (
    "a[href], area[href], frame[src], iframe[src], img[src], script[src], source[src], audio[src], video[src],"
    ' embed[src], link[rel~="stylesheet"][href], link[rel~="icon"][href]'
)
LEADING = ("a", "area", "frame", "iframe")


def links_by_the_standards(html: str, url: str) -> tuple[Link, ...]:
    """Return what selectors find and the URL standard makes of it, one by one."""
    tree = parse(html)
    base = tree.select_one("base[href]")
    start = (join(url, base.attr("href") or "") if base is not None else None) or url
    found: dict[str, Link] = {}
    for element in tree.select(KINDS):
        name = "href" if element.tag in ("a", "area", "link") else "src"
        target = join(start, element.attr(name) or "")
        if target is not None:
            link = Link(target, TaskType.PAGE if element.tag in LEADING else TaskType.MEDIA)
            if found.setdefault(target, link).task_type is TaskType.MEDIA:
                found[target] = link
    return tuple(found.values())


tags = st.sampled_from(
    ["a", "area", "base", "iframe", "img", "script", "source", "video", "embed", "link", "p", "form"]
)
rels = st.sampled_from(
    ["icon", "ICON", "a\ticon", "stylesheet\fb", "a\u00a0icon", "icons", "", "canonical", "\u0131con", "x\x0bicon"]
)
REFERENCES = (
    *(
        "",
        "a",
        "/a",
        "./a",
        "../a",
        "a#b",
        "#b",
        "?q",
        "//h/a",
        "/a b",
        "/%2e%2e/a",
        "/a/..",
        "\\a",
        "mailto:a",
        "x" * 400,
    ),
    *(
        "https://example.org/a",
        "https://example.org/folder/a",
        "https://example.orgx/a",
        "https:?q",
        "https:a",
        "HTTP://h",
    ),
)
references = st.sampled_from(REFERENCES) | st.text(alphabet="ab/.?#:\\@ \t%é", max_size=8)
elements = st.builds(
    lambda tag, rel, href, src: (
        f'<{tag} rel="{rel}"'
        + (f' href="{href}"' if href is not None else "")
        + (f' src="{src}"' if src is not None else "")
        + f"></{tag}>"
    ),
    tags,
    rels,
    st.none() | references,
    st.none() | references,
)


@given(
    st.lists(elements, max_size=6).map("".join),
    st.sampled_from([PAGE, "https://example.org/folder/?p=/", "http://h/"]),
)
def test_links_are_what_selectors_and_the_url_standard_say(html: str, url: str) -> None:
    assert links_in(html, url) == links_by_the_standards(html, url)


def test_links_that_are_shared_by_pages_are_made_once() -> None:
    (one,), (other,) = (links_in("<a href=/menu>", f"https://example.org/{page}") for page in ("a", "b/c?d"))
    assert one is other


def test_long_references_are_not_kept_in_memory() -> None:
    before = _cached_link.cache_info().currsize
    links_in("".join(f"<a href='/{'x' * 400}{n}'>" for n in range(20)), PAGE)
    assert _cached_link.cache_info().currsize == before


@pytest.mark.parametrize(
    ("rel", "nofollow"),
    [("nofollow", True), ("external NoFollow\tx", True), ("nofollowed", False), ("", False), ("ugc", False)],
)
def test_a_link_states_when_the_page_asks_not_to_follow_it(rel: str, nofollow: bool) -> None:
    (link,) = links_in(f'<a rel="{rel}" href=x>', PAGE)
    assert link.nofollow is nofollow


def test_one_link_that_may_be_followed_is_enough() -> None:
    html = "<a rel=nofollow href=x><a href=x#part><a rel=nofollow href=x><a rel=nofollow href=y>"
    assert [(link.url[-1], link.nofollow) for link in links_in(html, PAGE)] == [("x", False), ("y", True)]
    allowed = followed(links_in(html, PAGE))
    assert [link.url[-1] for link in allowed] == ["x"]


def outlinks_of(html: bytes) -> tuple[str, ...]:
    page = parse_page(html, "text/html")
    return outlinks(page.references.links, page.references.base, PAGE, url_group)


def test_outlinks_are_the_other_pages_each_once() -> None:
    html = (
        "<base href=/d/><a href=a><a href='a?session=1#x'><a href=/folder/page>"
        "<img src=i.png><iframe src=//www.h/></iframe>"
    )
    found = outlinks_of(html.encode())
    assert found == ("https://example.org/d/a", "https://h/")


@pytest.mark.parametrize(
    ("html", "pages"),
    [
        ("<a href=#part><a href=#><a href><a href='mailto:x@y'><a href='JavaScript:x'><a href=tel:1>", ()),
        ("<base href=/other/><a href=#part>", ("https://example.org/other",)),
        ("<base target=_top><a href=#part>", ()),
        (f"<a href='/{'x' * 400}'>", (f"https://example.org/{'x' * 400}",)),
    ],
)
def test_a_part_of_a_page_is_no_other_page(html: str, pages: tuple[str, ...]) -> None:
    assert outlinks_of(html.encode()) == pages


def test_outlinks_keep_the_parameters_that_tell_pages_apart() -> None:
    page = parse_page(b"<a href='?q=2'><a href='?q=1'><a href='?q=2&x=1'><a href=mailto:x>", "text/html")
    found = outlinks(page.references.links, page.references.base, PAGE, lambda url: url_group(url, ("q",)))
    assert found == ("https://example.org/folder/page?q=2",)
