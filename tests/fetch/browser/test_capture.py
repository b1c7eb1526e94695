"""What the browser fetcher returns of a page: every response as it came, and what the page shows."""

import ssl

import pytest

from tests.fetch.browser.opening import browser_fetcher, render_all
from tests.support.scripted_site import PNG, scripted_site
from tests.support.web_server import Answer, WebServer, gzipped, page, redirect, serving
from webstrata.warc.renderings import rendering_records

HTML = (("Content-Type", "text/html"),)


def test_a_page_its_resources_and_requests_are_kept_as_they_went_over_the_wire(web_server: WebServer) -> None:
    framed = gzipped(page("Framed", text="inside"))
    web_server.answers |= scripted_site(1) | {
        "/": Answer(scripted_site(1)["/"].body.replace(b"<div", b"<iframe src=/frame></iframe><div")),  # type: ignore[union-attr]
        "/frame": framed,
    }
    (result,) = render_all(web_server.url(), used=browser_fetcher(screenshots=True))
    rendering = result.rendering
    assert rendering is not None
    assert rendering.screenshot is not None
    assert rendering.screenshot.startswith(PNG[:8])
    assert "The marmalade of number 0" in rendering.text
    assert b'<a href="/page/0">' in rendering.html
    found = {resource.url: resource for resource in (result, *rendering.resources)}
    needed = {"/", "/frame", "/app.js", "/style.css", "/back.png", "/api/", "/image/0.png"}
    assert {web_server.url(path) for path in needed} <= set(found)
    for path in needed:
        answer, resource = web_server.answers[path], found[web_server.url(path)]
        assert isinstance(answer, Answer)
        assert resource.response_head + resource.body == answer.wire()
    heads = {request.head for request in web_server.requests}
    assert {resource.request_head for resource in found.values()} <= heads
    assert b"zstd" not in result.request_head
    assert b"Safari/537.36 tester/1" in result.request_head


def test_encrypted_responses_are_kept_as_well_and_certificates_are_verified(tls: ssl.SSLContext) -> None:
    unknown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    unknown.load_cert_chain("tests/fetch/self-signed.pem")
    with serving({"/": page("Safe", text="hello")}, tls=tls) as server, serving(tls=unknown) as other:
        server.answers["/"] = Answer(f"<p>hello<img src='{other.url('/image.png')}'>".encode())
        (result,) = render_all(server.url().replace("127.0.0.1", "localhost"))
        assert (result.status, result.body[:8]) == (200, b"<p>hello")
        assert result.rendering is not None
        assert result.rendering.text == "hello"
        assert other.requests == []


def test_the_crawl_decides_about_redirects_moves_and_files(web_server: WebServer) -> None:
    pdf = Answer(b"%PDF-1.7 not much", headers=(("Content-Type", "application/pdf"),))
    web_server.answers |= {
        "/moved": redirect("/elsewhere"),
        "/file.pdf": pdf,
        "/scripted": Answer(b"<p>here<script>location.href='/elsewhere'</script>"),
        "/none": Answer(status=204),
        "/saved": Answer(b"<p>as a file", headers=(*HTML, ("Content-Disposition", "attachment; filename=a.html"))),
        "/refresh": Answer(b"<meta http-equiv=refresh content='0; url=/elsewhere'><p>here"),
    }
    urls = [web_server.url(path) for path in ("/moved", "/file.pdf", "/none", "/saved", "/scripted", "/refresh")]
    moved, file, nothing, saved, *pages = render_all(*urls)
    assert (nothing.status, nothing.rendering) == (204, None)
    assert (saved.body, saved.rendering) == (b"<p>as a file", None)
    assert (moved.status, moved.redirect_target, moved.rendering) == (302, "/elsewhere", None)
    assert (file.body, file.rendering) == (pdf.body, None)
    for result in pages:
        assert result.rendering is not None
        assert (result.rendering.text, result.rendering.navigations[:1]) == ("here", (web_server.url("/elsewhere"),))
    assert "/elsewhere" not in web_server.paths()


def test_a_page_is_limited_in_bytes_and_what_it_may_request(web_server: WebServer) -> None:
    large = Answer(b"x" * 400_000, headers=(("Content-Type", "text/plain"),))
    web_server.answers |= {
        "/": Answer(b"<p>first<script>fetch('/1').then(() => fetch('/2')).then(() => fetch('/3'))</script>"),
        **{f"/{n}": large for n in (1, 2, 3)},
        "/other": Answer(b"<p>last<img src=/denied>"),
    }

    async def admit(url: str) -> bool:
        return not url.endswith("/denied")

    used = browser_fetcher(max_bytes=500_000)
    first, _ = render_all(web_server.url(), web_server.url("/other"), used=used, admit=admit)
    assert first.rendering is not None
    assert [resource.url for resource in first.rendering.resources] == [web_server.url("/1")]
    assert not {"/3", "/denied"} & set(web_server.paths())


@pytest.mark.soak
def test_a_page_that_hangs_is_used_as_the_server_sent_it(web_server: WebServer) -> None:
    bomb = b"<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()))</script>"
    web_server.answers |= {
        "/": Answer(b"<p>last<script>for (;;) {}</script>"),
        "/next": page("Next", text="goes on"),
        "/bomb": Answer(b"<p>here" + bomb),
    }
    urls = [web_server.url(path) for path in ("/", "/bomb", "/next")]
    hung, crashed, after = render_all(*urls, used=browser_fetcher(seconds=10))
    assert hung.rendering is not None
    assert crashed.rendering is not None
    assert hung.rendering.problem == "the page takes too long"
    assert "crashed" in crashed.rendering.problem
    stored = b"".join(part for record in rendering_records(hung, "<info>", "<page>") for part in record.parts)
    assert b'"problem":"the page takes too long"' in stored
    assert after.rendering is not None
    assert "goes on" in after.rendering.text
