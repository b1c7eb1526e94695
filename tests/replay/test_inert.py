"""Links of an archived page that lead nowhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import Document, parse

from webstrata.replay.inert import with_inert_links

PAGE = """<!doctype html><html><head><title>Links</title></head><body class="x">
<a href="/one">1</a> <A class=x HREF=/two>2</A> <a/href='three'>3</a> <a\nhref = four title="<a href=no>">4</a>
<map><area shape=rect coords="0,0,9,9" href="https://live.example/"></map>
<svg><a xlink:href="/five"><text>5</text></a></svg> <a href="#here">6</a> <a href=" #there ">7</a> <a name=href>8</a>
<a data-x=\'"\' href="/nine">9</a> <p href="/ten" id=here>href="/ten" <b>a href</b></p>
<!-- " --><a href=/end>11</a></body></html>"""


@pytest.mark.parametrize(
    ("encoded", "charset"),
    [
        (PAGE.encode(), "utf-8"),
        (PAGE.encode("utf-16"), None),
        (PAGE.encode("utf-16-be"), "utf-16be"),
    ],
)
def test_only_links_within_the_page_lead_anywhere(encoded: bytes, charset: str | None) -> None:
    changed = with_inert_links(encoded, charset).decode(charset or "utf-16")
    tree = parse(changed)
    assert targets_of(tree) == ["#here", " #there "]
    assert not [link for link in tree.select("svg a") if "xlink:href" in link.attrs]
    assert len(tree.select("[x-to]")) + len(tree.select("svg a")) == 8
    assert [dict(paragraph.attrs) for paragraph in tree.select("p")] == [{"href": "/ten", "id": "here"}]
    assert tree.select_one("body > style") is not None
    assert text_of(tree) == text_of(parse(PAGE))


def targets_of(tree: Document) -> list[str]:
    return [str(link.attrs["href"] or "") for link in tree.select("a[href], area[href]")]


def text_of(tree: Document) -> str:
    tree.remove("style")
    body = tree.select_one("body")
    assert body is not None
    return body.text


@given(
    st.lists(
        st.sampled_from([*"<a hrefHREF=\"'/>#!- x\n", "<a ", "<area ", "href=", "<!--", "-->", "<svg>", "<p>"]),
        max_size=60,
    )
)
def test_no_link_gets_away(pieces: list[str]) -> None:
    tree = parse(with_inert_links("".join(pieces).encode(), "utf-8").decode())
    assert [value for value in targets_of(tree) if not value.strip().startswith("#")] == []


@pytest.mark.parametrize("piece", ["<a ", "<a x", "<a x='", '<a x="', "<a href=/x ", "<a/", "<area href"])
def test_a_hostile_page_takes_no_longer_than_its_size_warrants(piece: str) -> None:
    hostile = piece.encode() * 100_000
    assert len(with_inert_links(hostile, "utf-8")) < len(hostile) + 200
