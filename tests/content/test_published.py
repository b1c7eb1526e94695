"""When a page was published: as it states it, or as it shows near its heading; never a change, a comment or today."""

import json

import pytest

from webstrata.content.extraction import extract_page
from webstrata.content.reading import Body

SENTENCE = "The committee met for the third time this year and could not agree on the plan for the harbour, again. "


def page(head: str = "", by: str = "", foot: str = "", top: str = "", lang: str = "en", tail: str = "") -> str:
    return (
        f"<!doctype html><html lang={lang}><head><meta charset=utf-8><title>Harbour plan fails | News</title>"
        f"{head}</head><body><header>{top}</header><main><article><h1>Harbour plan fails</h1>{by}"
        f"{f'<p>{SENTENCE}</p>' * 6}{tail}</article></main><footer>{foot}© 2026 News</footer></body></html>"
    )


def stated(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


DATED = [
    (
        "ld",
        page(
            stated({"@type": "NewsArticle", "datePublished": "2024-03-05T10:00:00+01:00", "dateModified": "2025-01-01"})
        ),
        "2024-03-05",
    ),
    (
        "ld graph",
        page(stated({"@graph": [{"@type": "WebPage", "datePublished": "2024-03-05", "dateModified": "2025-01-01"}]})),
        "2024-03-05",
    ),
    (
        "ld mainEntity",
        page(stated({"@type": "WebPage", "mainEntity": {"@type": "Article", "datePublished": "2024-03-05"}})),
        "2024-03-05",
    ),
    (
        "ld dateCreated only",
        page(stated({"@type": "Article", "dateCreated": "2024-03-05", "dateModified": "2025-01-01"})),
        "2024-03-05",
    ),
    ("ld modified only", page(stated({"@type": "Article", "dateModified": "2025-01-01"})), None),
    ("ld odd format", page(stated({"@type": "Article", "datePublished": "March 5, 2024"})), "2024-03-05"),
    (
        "ld ld related first",
        page(
            stated(
                [
                    {"@type": "ItemList", "itemListElement": [{"@type": "Article", "datePublished": "2020-01-01"}]},
                    {"@type": "NewsArticle", "headline": "Harbour plan fails", "datePublished": "2024-03-05"},
                ]
            )
        ),
        "2024-03-05",
    ),
    (
        "meta article",
        page(
            '<meta property="article:published_time" content="2024-03-05T10:00:00Z">'
            '<meta property="article:modified_time" content="2025-01-01">'
        ),
        "2024-03-05",
    ),
    (
        "meta modified only",
        page(
            '<meta property="article:modified_time" content="2025-01-01">'
            '<meta property="og:updated_time" content="2025-01-01">'
        ),
        None,
    ),
    ("meta name date", page('<meta name="date" content="2024-03-05">'), "2024-03-05"),
    ("meta parsely", page('<meta name="parsely-pub-date" content="2024-03-05T10:00:00Z">'), "2024-03-05"),
    ("meta sailthru", page('<meta name="sailthru.date" content="2024-03-05 10:00">'), "2024-03-05"),
    ("meta DC.date.issued", page('<meta name="DC.date.issued" content="2024-03-05">'), "2024-03-05"),
    ("meta citation", page('<meta name="citation_publication_date" content="2024/03/05">'), "2024-03-05"),
    ("meta last-modified", page('<meta http-equiv="last-modified" content="2025-01-01">'), None),
    (
        "time datetime",
        page(by='<p class=byline>By Jane <time datetime="2024-03-05T08:00">5 March 2024</time></p>'),
        "2024-03-05",
    ),
    (
        "time pubdate vs updated",
        page(
            by=(
                '<p>Updated <time class=updated datetime="2025-01-01">1 January 2025</time>'
                'Published <time class=published datetime="2024-03-05">5 March 2024</time></p>'
            ),
        ),
        "2024-03-05",
    ),
    (
        "time updated only",
        page(by='<p>Last updated <time class=updated datetime="2025-01-01">1 January 2025</time></p>'),
        None,
    ),
    (
        "time microdata",
        page(
            by=(
                '<span itemprop="datePublished" content="2024-03-05">5 Mar</span>'
                '<span itemprop=dateModified content="2025-01-01"></span>'
            ),
        ),
        "2024-03-05",
    ),
    ("text en", page(by="<p class=meta>5 March 2024 · by Jane</p>"), "2024-03-05"),
    ("text en us", page(by="<div class=byline>March 5, 2024</div>"), "2024-03-05"),
    ("text de", page(by="<p>Veröffentlicht am 5. März 2024</p>", lang="de"), "2024-03-05"),
    ("text de num", page(by="<p class=datum>05.03.2024, 10:15 Uhr</p>", lang="de"), "2024-03-05"),
    (
        "text fr",
        page(by="<p>Publié le 5 mars 2024 à 10h15 - Mis à jour le 1 janvier 2025</p>", lang="fr"),
        "2024-03-05",
    ),
    ("text es", page(by="<p>5 de marzo de 2024</p>", lang="es"), "2024-03-05"),
    ("text it", page(by="<p>5 marzo 2024</p>", lang="it"), "2024-03-05"),
    ("text pt", page(by="<p>Publicado em 5 de março de 2024</p>", lang="pt"), "2024-03-05"),
    ("text nl", page(by="<p>Geplaatst op 5 maart 2024</p>", lang="nl"), "2024-03-05"),
    ("text pl", page(by="<p>5 marca 2024</p>", lang="pl"), "2024-03-05"),
    ("text ru", page(by="<p>5 марта 2024, 10:15</p>", lang="ru"), "2024-03-05"),
    ("text sv", page(by="<p>Publicerad 5 mars 2024</p>", lang="sv"), "2024-03-05"),
    ("text ja", page(by="<p>2024年3月5日 10:15</p>", lang="ja"), "2024-03-05"),
    ("text zh", page(by="<p>发布时间：2024-03-05</p>", lang="zh"), "2024-03-05"),
    ("text ko", page(by="<p>입력 2024.03.05 10:15</p>", lang="ko"), "2024-03-05"),
    (
        "header today",
        page(top="<div class=today>Wednesday, 18 November 2026</div>", by="<p>5 March 2024</p>"),
        "2024-03-05",
    ),
    ("header today only", page(top="<div class=today>Wednesday, 18 November 2026</div>"), None),
    ("comment in script", page(tail="<script>/* start 28/01/2017 */</script><style>/* 2016-02-03 */</style>"), None),
    ("footer date", page(foot="<p>Last modified: 1 January 2025</p>"), None),
    ("modified text", page(by="<p>Last updated on 1 January 2025</p>"), None),
    ("de stand", page(by="<p>Stand: 1. Januar 2025</p>", lang="de"), None),
    (
        "comments later",
        page(
            by="<p>5 March 2024</p>",
            tail="<div class=comments><p>Bob, 7 March 2024: nice</p><p>Ann, 8 March 2024: no</p></div>",
        ),
        "2024-03-05",
    ),
    (
        "date within text only",
        page(tail="<p>The first plan was made on 12 May 1998 and the second plan followed on 3 June 2001.</p>"),
        None,
    ),
]


@pytest.mark.parametrize(("html", "expected"), [row[1:] for row in DATED], ids=[row[0] for row in DATED])
def test_the_day_of_publication_is_read(html: str, expected: str | None) -> None:
    found = extract_page(Body("https://news.example.com/harbour", html.encode(), "text/html; charset=utf-8", None))
    assert (found.published or "")[:10] == (expected or "")


def test_the_address_of_an_article_may_hold_its_day() -> None:
    body = page().encode()
    found = extract_page(Body("https://news.example.com/2024/03/05/harbour", body, "text/html; charset=utf-8", None))
    assert found.published == "2024-03-05"


@pytest.mark.parametrize("unit", ["<time datetime=x>", "<p>5 March ", "1-1-", "5 de marzo de "])
def test_thousands_of_broken_dates_are_no_date(unit: str) -> None:
    found = extract_page(Body("https://news.example.com/h", page(by=unit * 20_000).encode(), "text/html", None))
    assert found.published is None
