import json

import pytest

from webstrata.content.html import parse_page
from webstrata.content.metadata import MAX_IMAGES, HtmlMetadata

UTF8 = "text/html; charset=utf-8"
LD = '<script type="application/ld+json">{}</script>'


def stated(html: str) -> HtmlMetadata:
    return parse_page(html.encode(), UTF8).metadata


def test_a_page_states_where_it_belongs_what_it_shows_and_what_it_is() -> None:
    found = stated(
        '<link rel="alternate Canonical" href=" /flu "><link rel=canonical href=/second>'
        '<meta name=Description content=" About flu "><meta property="og:type" content=article>'
        '<meta property="product:price:amount" content="9.90"><meta name=viewport content=x>'
        "<img src=a.png><img src=b.png><img src=a.png><img src=data:image/png;base64,xx><img alt=none>"
    )
    assert (found.canonical, found.images) == ("/flu", ("a.png", "b.png"))
    assert found.metas == {"description": "About flu", "og:type": "article", "product:price:amount": "9.90"}


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ('<meta property="article:published_time" content="2024-05-03T10:00:00Z">', "2024-05-03T10:00:00Z"),
        ('<meta name="DC.date.issued" content="2024-05-03"><meta name=date content="2001-01-01">', "2024-05-03"),
        ('<meta name=date content="yesterday">' + LD.format('{"datePublished": "2024-05-03"}'), "2024-05-03"),
        (LD.format('{"@graph": [{"@type": "WebPage"}, {"datePublished": "20240503"}]}'), "20240503"),
        (LD.format('[{"datePublished": "2024-05"}]'), "2024-05"),
        ("<p>Published 2024-05-03</p>", None),
    ],
)
def test_the_date_of_publication_is_as_the_page_states_it(html: str, published: str | None) -> None:
    assert stated(html).published == published


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Kettle"}',
        '\ufeff{"name": "Kettle"}',
        '{"name": "Kettle",}',
        '{"name": "Kettle"};',
        '<!-- {"name": "Kettle"} -->',
        '//<![CDATA[\n{"name": "Kettle"}\n//]]>',
        '{"name": "Kettle" /* its name */}',
        '{\n// its name\n"name": "Kettle"\n}',
    ],
)
def test_json_is_understood_as_pages_write_it(text: str) -> None:
    assert stated(LD.format(text)).json_ld == ({"name": "Kettle"},)


def test_what_is_in_a_string_is_no_comment() -> None:
    text = '{"url": "https://a.example/ // b", "note": "/* c */",}'
    assert stated(LD.format(text)).json_ld == ({"url": "https://a.example/ // b", "note": "/* c */"},)


def test_microdata_and_rdfa_are_kept_as_json() -> None:
    found = stated(
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Kettle</b></div>'
        '<div vocab="https://schema.org/" typeof=Product><b property=name>Pot</b></div>'
    )
    assert "Kettle" in json.dumps(found.microdata)
    assert "Pot" in json.dumps(found.rdfa)
    assert json.loads(found.as_json()).keys() == {"microdata", "rdfa"}


@pytest.mark.parametrize(
    "html",
    [
        LD.format("[" * 100_000),
        LD.format('"' + "x" * 300_000 + '"'),
        LD.format("{nonsense"),
        "<div itemscope itemprop=a>" * 5_000,
        '<div vocab="a" typeof=b property=c>' * 1_000,
    ],
)
def test_what_is_too_deep_too_long_or_nonsense_is_left_out(html: str) -> None:
    assert stated(html).json_ld == ()


@pytest.mark.timeout(30)
@pytest.mark.parametrize("unit", ['"\\', '"', " ", "/*", "//\n", ",   ", "]]> ", '\n/*"', "[", '{"a":'])
def test_hostile_json_is_read_in_linear_time(unit: str) -> None:
    assert stated(LD.format("{," + unit * (190_000 // len(unit)))).json_ld == ()


def test_no_more_images_are_listed_than_there_is_room_for() -> None:
    assert len(stated("".join(f"<img src={n}.png>" for n in range(2 * MAX_IMAGES))).images) == MAX_IMAGES


def test_a_page_that_states_nothing_takes_no_room() -> None:
    assert stated("<p>words").as_json() == ""
