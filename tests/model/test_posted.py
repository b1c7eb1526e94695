"""URLs of requests with a body: the query that wabac.js asks for during replay."""

import pytest

from webstrata.model.browser.posted import posted_url, request_query, split_posted_url

FORM = "application/x-www-form-urlencoded"
BOUNDARY = "----WebKitFormBoundaryAbC"
MULTIPART = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="q"\r\n\r\ngreen tea\r\n--{BOUNDARY}\r\n'
    f'Content-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nx\r\n'
    f"--{BOUNDARY}--\r\n"
)


@pytest.mark.parametrize(
    ("content_type", "body", "query"),
    [
        (FORM, b"a=1+2&b=%C3%BC", "a=1+2&b=%C3%BC"),
        ("application/json", b'{"q": "tea", "page": [1, 2], "deep": {"n": null}}', "q=tea&page=1&page.2_=2&n=null"),
        ("application/json; charset=utf-8", b'{"b": true, "s": "", "10": 1, "2": "x~y *"}', "2=x%7Ey+*&10=1&b=true"),
        ("application/json", b'{"n": [1.0, 2.50, 1e21, 1e-7, 12345678901234567890]}', None),
        ("application/json", b"no json", ""),
        ("application/json", b"[" * 100_000, ""),
        ("text/plain", b'{"a": 1}', "a=1"),
        ("text/plain;charset=UTF-8", b"some words", ""),
        (f"multipart/form-data; boundary={BOUNDARY}", MULTIPART.encode(), "q=green+tea"),
        ("multipart/form-data; boundary=(((", b"--(((", ""),
        ("application/octet-stream", b"\x01\x02", "__wb_post_data=AQI="),
        ("application/octet-stream", b"\xfa\xfb", "__wb_post_data="),
        ("", b"", "__wb_post_data="),
    ],
)
def test_a_body_becomes_a_query(content_type: str, body: bytes, query: str | None) -> None:
    numbers = "n=1&n.2_=2.5&n.3_=1e%2B21&n.4_=1e-7&n.5_=12345678901234567000"
    assert request_query(content_type, body) == (numbers if query is None else query)


def test_a_request_with_a_body_has_a_url_of_its_own() -> None:
    url = posted_url("https://example.org/api?x=1", "POST", "a=%C3%BC%26&b=c d")
    assert url == "https://example.org/api?x=1&__wb_method=POST&a=%C3%BC%26&b=c%20d"
    assert split_posted_url(url) == ("https://example.org/api?x=1", "POST", "a=%C3%BC%26&b=c%20d")
    assert posted_url("https://example.org/api", "PUT", "%") == "https://example.org/api?__wb_method=PUT&"
    assert posted_url("https://example.org/api", "PUT", "%FF") == "https://example.org/api?__wb_method=PUT&"
    assert split_posted_url("https://example.org/?q=__wb_method=") is None
