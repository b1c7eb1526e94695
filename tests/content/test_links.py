import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.html import page_text
from webstrata.content.links import links_in
from webstrata.model.tasks import Link, TaskType
from webstrata.model.urls import parse_url

PAGE = "https://example.org/folder/page?q=1"


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
    links = urls(page_text(html.encode(), "text/html; charset=utf-8"))
    assert len(links) <= 1


@given(st.text())
def test_any_reference_gives_a_proper_url_or_none(reference: str) -> None:
    escaped = reference.replace("&", "&amp;").replace('"', "&quot;")
    for url in urls(page_text(f'<a href="{escaped}">'.encode("utf-8", "replace"), "text/html; charset=utf-8")):
        assert parse_url(url).href == url
