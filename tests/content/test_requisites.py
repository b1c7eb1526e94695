"""What a browser loads to show a page is found in its markup and in its style sheets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.content.html import read_links
from webstrata.content.reader.page_requests import ReadLinks
from webstrata.content.requisites.css import MAX_REFERENCES, may_refer, sheet_references, text_references
from webstrata.content.requisites.markup import MAX_CANDIDATES
from webstrata.model.crawl.tasks import TaskType

PAGE = "https://example.org/folder/page"
BASE = "https://example.org/folder/"
SVG = ["s.svg", "x.png", "f.png"]
CDN = ["https://cdn.example/c", "https://cdn.example/a"]


def shown(html: str) -> list[str]:
    links = read_links(html.encode(), "text/html; charset=utf-8", PAGE).links
    return [link.url.removeprefix(BASE) for link in links if link.task_type is TaskType.MEDIA]


@pytest.mark.parametrize(
    ("html", "requisites"),
    [
        ("<img src=a srcset='b 1x, //cdn.example/c 2x,d'>", ["a", "b", "https://cdn.example/c", "d"]),
        ("<picture><source srcset='a.avif 100w, b.avif 200w'><img src=c></picture>", ["c", "a.avif", "b.avif"]),
        ("<link rel=preload as=image href=a imagesrcset='b 1x, c 2x'>", ["a", "b", "c"]),
        ("<link rel='Preload' as=font href=f.woff2><link rel=modulepreload href=m.js>", ["f.woff2", "m.js"]),
        ("<link rel=preload as=document href=next><link rel=prefetch href=x><link rel=canonical href=y>", []),
        ("<video poster=p src=v><track src=t></video>", ["v", "p", "t"]),
        ("<object data=o></object><object type='text/html' data=frame></object><embed src=e>", ["e", "o"]),
        ("<input type=Image src=i><input type=text src=no>", ["i"]),
        ("<svg><use href='s.svg#a'/><use href='#own'/><image xlink:href=x.png /><feImage href=f.png /></svg>", SVG),
        ("<body background=b><table background='t'>", ["b", "t"]),
        ("<p style='background:url(&quot;a b.png&quot;)'><i style='color:red'><b style=x:URL(c)>", ["a%20b.png", "c"]),
        ("<style>@import 's.css'; @media x { a { b: image-set('i' 1x, url(j) 2x) } }</style>", ["s.css", "i", "j"]),
        ("<base href=//cdn.example/><p style='x:url(a)'><style>a{b:url(c)}</style>", CDN),
        ("<img src=data:image/png;base64,AA srcset=' , ,'><p style='fill:url(#f)'><input type=image src=''>", []),
        ("<!-- <img srcset=a> --><template><img srcset=b></template>", []),
    ],
)
def test_requisites_are_what_a_browser_would_load(html: str, requisites: list[str]) -> None:
    assert shown(html) == requisites


def test_no_list_of_candidates_is_endless() -> None:
    assert len(shown(f"<img srcset='{','.join(f'i{n} {n}w' for n in range(1, 1_000))}'>")) == MAX_CANDIDATES


@pytest.mark.parametrize(
    ("css", "references"),
    [
        ("@import url(a.css) screen; @import 'b.css' layer(x);", ["a.css", "b.css"]),
        ("@font-face{src:url(f.woff2) format('woff2'),url('f.svg#x')}", ["f.woff2", "f.svg#x"]),
        ("a{b:url( c );&:hover{d:-webkit-image-set('e' 1x type('image/png'))}}", ["c", "e"]),
        ("a{b:u\\72l(c)} @\\69mport 'd';", ["c", "d"]),
        ("/* url(a) */ a{content:'url(b)';c:url(#d)} @namespace x url(e); @document url(f){a{b:url(g)}}", ["g"]),
        ("a{b:url(c", ["c"]),
        ("a{b:url(c'd)} e{f:url(g)}", ["g"]),
    ],
)
def test_a_style_sheet_loads_what_it_imports_and_shows(css: str, references: list[str]) -> None:
    assert sheet_references(css.encode(), "text/css") == references


@pytest.mark.parametrize(
    ("sheet", "content_type"),
    [
        ("a{b:url(é)}".encode(), "text/css"),
        ("a{b:url(é)}".encode("latin-1"), 'text/css; charset="iso-8859-1"'),
        ('@charset "windows-1252";a{b:url(é)}'.encode("cp1252"), "text/css"),
        ("a{b:url(é)}".encode("utf-16"), "text/css; charset=latin1"),
    ],
)
def test_a_style_sheet_is_read_in_its_charset(sheet: bytes, content_type: str) -> None:
    assert sheet_references(sheet, content_type) == ["é"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["{", "a([", "url(", 'url("', "\\", "/*", "@import ", "a{b:url(c)}"])
def test_a_hostile_style_sheet_is_read_in_linear_time(unit: str) -> None:
    assert len(text_references("url(x);" + unit * (30_000 // len(unit)))) <= 3


def test_the_references_of_a_style_sheet_are_limited() -> None:
    assert len(text_references("".join(f"url({n})" for n in range(2 * MAX_REFERENCES)))) == MAX_REFERENCES


@given(st.lists(st.sampled_from(["url(", "'", '"', ")", "a", "{", "}", "@import ", "\\", ";", "/*", "é"])).map("".join))
def test_any_style_sheet_can_be_read(css: str) -> None:
    references = sheet_references(css.encode(), None)
    assert may_refer(css.encode()) or not references


def test_a_style_sheet_that_may_refer_to_something_is_never_read_on_the_event_loop() -> None:
    def request(body: bytes) -> ReadLinks:
        return ReadLinks(f"{BASE}s.css", body, "text/css", None, None, "tester").simplified()

    assert request(b"a{color:red}").is_small
    assert not request(b"a{b:url(c)}").is_small
    assert [link.url for link in request(b"a{b:url(c)}").read().links] == [f"{BASE}c"]
