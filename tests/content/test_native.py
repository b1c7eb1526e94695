"""The native library says of every page what the tree says, or nothing."""

import os
import random
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.content.soup import soup
from webstrata.content import html, native
from webstrata.content.defuse import defused
from webstrata.content.fingerprint import _majority, _shingles
from webstrata.content.html import Page, parse_page
from webstrata.content.layout import LAYOUT, TagLayout

UTF8 = "text/html; charset=utf-8"
SOURCES = Path(__file__).parents[2] / "native"
CHECKED = (
    "-g",
    "-O1",
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover",
)
WELL_FORMED = "<!doctype html><html lang=fr><head><title>A page</title></head><body>{}</body></html>"


def by_tree(source: bytes) -> Page:
    return html._of_tree(html.parsed(defused(source)))


def by_scan(source: bytes) -> Page | None:
    page = native.scanned(source)
    return None if page is None else html._of_scan(page)


def comparable(page: Page) -> Page:
    """Return a page with a language that is stated as nothing stated as none."""
    return Page(page.title, page.text, page.blocks, page.stated_language or None, page.references, page.base)


def assert_same(source: bytes) -> bool:
    """Compare what both ways say of a page and tell whether the library said anything."""
    page = by_scan(source)
    assert page is None or comparable(page) == comparable(by_tree(source)), source
    return page is not None


@pytest.mark.parametrize(
    "body",
    [
        "<p>One<p>Two<ul><li>a<li>b</ul><h2>Three</h2>",
        "<div id=footer>x</div><div role=main>y</div><aside>z</aside><header><h1>t</h1>u</header>",
        "<table><caption>c<tr><td>1<td>2<tr><th>3</table>after",
        "<table><form><tr><td>x</td></tr></form></table>",
        "<a href='?a=1&amp;b=2&copy=3'>l</a><iframe src=//other/></iframe><area href=x#y>",
        "<base href=/b/><a href=c>",
        "a<label>x </label>b<label>y</label>c<select><option> <option>z</select>d<button> </button>e",
        "<h3><button>Folded</button></h3><h3><span><button>Too</button></span></h3><p><button>not</button>",
        "<b>bold<p>still</b>not</p><i>x<div>y</i>z</div>",
        "<pre>\n  kept\n\n as\tis \n</pre><xmp><b>raw</b></xmp>",
        "<svg><title>icon</title><a href=s><text>drawn</text></a><image src=i /></svg>",
        "<template><p>unseen<a href=t></template><noscript>unseen<a href=n></noscript>",
        "<script>'</scrip' + '<!--<script>' + '</script>' //--></script>seen",
        "<dl><dt>a<dd>b<dt>c</dl><ruby>x<rt>y<rp>z</ruby>",
        "é\xad&shy;&#173;&nbsp;\u2003ü&euro;&#x80;&notit;&amp;amp;",
        "<form><p>x</form><form><div>y</div></form>z</p>w",
        "<div class='Cookie-Consent'>ok?</div><p>&lt;b&gt;",
        "<video><source></source><track></track></video>x</br>y",
    ],
)
def test_what_is_written_plainly_is_read_without_a_tree(body: str) -> None:
    assert assert_same(WELL_FORMED.format(body).encode())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "<p>no title",
        "<title> </title>",
        "<title>x</title><table>text between cells<tr><td>",
        "<title>x</title>nul\0nul",
        "<title>x</title><frameset>",
        "<title>x</title><p>unclosed <a href='",
        "<title>x</title><!-- unclosed",
        "<title>x</title><script>unclosed",
        "<title>x</title><p>in quirks mode<table><tr><td>a table may stand in a paragraph",
        "<title>x</title>" + "<div>" * 2_000,
        "<title>x</title><p " + " ".join(f"a{n}" for n in range(3_000)) + ">",
    ],
)
def test_what_would_have_to_be_repaired_is_left_to_the_tree(source: str) -> None:
    assert native.scanned(source.encode()) is None
    assert isinstance(parse_page(source.encode(), UTF8).text, str)


T = "<!doctype html><title>x</title>"


@pytest.mark.parametrize(
    "source",
    [
        f"{T}{'<basefont>' * 20_001}<p>after",
        f"{T}{'<!<b>' * 20_001}after",
        f"{T}<iframe>{'<div>' * 20_001}</iframe>after",
        f"{T}<script><!--<script></script>{'<b>' * 20_001}--></script>after",
        f"""{T}<a ="b="{"x " * 15_000}" href=/foo>""",
        f"""{T}<a c=\v"b d={"x " * 15_000}" href=/foo>""",
        f"{T}<script>'<div {'x ' * 15_000}</script>after",
        "<head><!doctype html><title>x</title><p>a<table><tr><td>b</table>c",
        "<!doctype foo><!doctype html><title>x</title><p>a<table><tr><td>b</table>c",
        f"{T}<noscript></head></noscript><noscript><p>hello</p></noscript>",
        f"{T}<noscript></body></noscript><noscript><p>hello</p></noscript>",
        f"{T}&#32;<noscript><p>hello</p></noscript>",
        f"{T}<template><svg><![CDATA[></svg></template>hidden]]></svg></template>seen",
        f"{T}<a href=1><table><td><object></table><label>x<a href=2>y</a>z",
        f"{T}<template><a href=1><object></template>x",
        f"{T}<template><b><object></template><h1><i><button>x",
        f"{T}<base href='b\r\nc'><a href='c\r\nd'>",
        "<!doctype html><html lang='e\rn'><title>x</title>",
        f"{T}a<label> <!doctype html>x</label>b",
        f"{T}a<label> </body><!--c-->x</label>b",
        f"{T}a<noscript><p><b></p> </b>x</noscript>c",
        f"{T}a<label><pre>&#10;</pre></label>b",
        f"{T}a<label><pre></>\n</pre></label>b",
        f"{T}a<textarea>&#10;</textarea>b",
        f"{T}<div id=x class='coo\u212aie-bar'>q",
        f"{T}<b><span><sub><b></sub></b><label></span>n",
        f"{T}a<tqw7b\x1e\x02;\x06\x1a\x1e\x0b\x05\x06\x1c\x04\x04\x05\x02\x01>seen</tqw7b\x1e\x02;\x06>b",
    ],
)
def test_what_is_easily_got_wrong_is_the_same_both_ways(source: str) -> None:
    assert_same(source.encode())


def test_a_page_that_only_looks_too_deep_for_a_tree_is_read_to_its_end() -> None:
    source = f"{T}{'<h1></a>' * 20_001}after".encode()
    page = by_scan(source)
    assert page is not None
    assert page.text == "after"
    assert by_tree(source).text == ""


def test_a_vast_page_leaves_no_vast_memory_behind() -> None:
    native.scanned(WELL_FORMED.encode())
    before = resident_megabytes()
    native.scanned(WELL_FORMED.format(f"<pre>{'x' * 60_000_000}</pre><a href={'y' * 60_000_000}>").encode())
    native.scanned(WELL_FORMED.encode())
    assert resident_megabytes() - before < 60


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@given(st.integers(0, 2**64))
def test_both_ways_say_the_same_of_any_page(number: int) -> None:
    chance = random.Random(number)
    for _ in range(20):
        assert_same(soup(chance).encode())


def test_disorder_alone_does_not_call_for_a_tree() -> None:
    chance = random.Random(7)
    taken = sum(assert_same(soup(chance).encode()) for _ in range(500))
    assert taken > 200


@given(st.binary(max_size=400))
def test_both_ways_say_the_same_of_any_bytes(body: bytes) -> None:
    assert_same(b"<title>x</title>" + body.decode("utf-8", "replace").encode())


@given(st.text(max_size=60))
def test_both_ways_make_the_same_lines_of_any_text(text: str) -> None:
    source = text.replace("<", "&lt;").encode("utf-8", "replace")
    assert_same(b"<title>x</title><p>" + source + b"</p><pre>" + source + b"</pre><label>" + source + b"</label>y")


@given(st.lists(st.text(min_size=1, max_size=9), min_size=3, max_size=60))
def test_fingerprints_are_the_same_both_ways(texts: list[str]) -> None:
    words = " ".join(texts).encode("utf-8", "replace").split()
    found = native.most_common_bits(b"\n".join(words), 50)
    assert found is not None
    bits, count = found
    assert count == min(len(words), 50)
    if count > 2:
        assert bits == _majority(_shingles(words[:50]), count - 2)


@given(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))))
@example(b"\xed\xa0\x80")
@example(b"\xc0\x80")
@example(b"\xf4\x90\x80\x80")
@example("plain and plain é".encode()[:-1])
def test_utf8_is_known_as_python_knows_it(body: bytes) -> None:
    assert native.is_utf8(body) is (body.decode("utf-8", "ignore").encode() == body)


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Let the library be looked for anew, before and after."""
    native._library.cache_clear()
    yield
    native._library.cache_clear()


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("content", [None, b"", b"no library at all"])
def test_without_a_library_that_can_be_used_pages_are_read_all_the_same(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "_native.so"
    if content is not None:
        place.write_bytes(content)
    monkeypatch.setattr(native, "_LIBRARY", place)
    assert not native.is_there()
    assert parse_page(WELL_FORMED.format("<p>x").encode(), UTF8).text == "x"


def test_a_library_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = replace(LAYOUT, tags=(*LAYOUT.tags, TagLayout("no-such-tag", is_block=True)))
    monkeypatch.setattr(native, "LAYOUT", unknown)
    monkeypatch.setattr(native, "_of_this_thread", threading.local())
    assert native.scanned(WELL_FORMED.encode()) is None
    assert not native.is_there()
    assert parse_page(WELL_FORMED.format("<p>x").encode(), UTF8).text == "x"


def test_threads_do_not_get_into_each_others_pages() -> None:
    pages = [WELL_FORMED.format(f"<p>page {number}</p>" * 2_000).encode() for number in range(4)]
    wrong: list[int] = []

    def read(number: int) -> None:
        for _ in range(50):
            page = native.scanned(pages[number])
            if page is None or set(page.text.split("\n")) != {f"page {number}"}:
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_time_grows_with_the_length_of_a_page_whatever_is_in_it() -> None:
    for piece in ("<a href=x>", "<p>", "<b><div>", "</x>", "<!", "<li>", "&", "<table>", "<svg>", "<option>", "<h1>"):
        native.scanned(f"<title>x</title>{piece * 300_000}".encode())
    native.scanned(b"<title>x</title>" + (b"<a" + b"x" * 10_001) * 900)


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that scans what it is given, and ends when memory is touched that is not its own."""
    program = tmp_path_factory.mktemp("sanitized") / "scan"
    sources = [*SOURCES.glob("*.c"), Path(__file__).with_name("scan_pages.c")]
    subprocess.run(["cc", *CHECKED, f"-I{SOURCES}", "-o", program, *sources], check=True)
    return program


def test_no_page_touches_memory_that_is_not_its_own(sanitized: Path) -> None:
    assert_harmless(sanitized, mangled(random.Random(1), 3_000))


@pytest.mark.soak
def test_no_page_of_very_many_touches_memory_that_is_not_its_own(sanitized: Path) -> None:
    assert_harmless(sanitized, mangled(random.Random(), 300_000))


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_both_ways_say_the_same_of_very_many_pages() -> None:
    chance = random.Random()
    for _ in range(300_000):
        assert_same(soup(chance).encode())


def assert_harmless(program: Path, pages: Iterator[bytes]) -> None:
    """Let the program scan pages, each behind its length."""
    given = b"".join(len(page).to_bytes(4, "little") + page for page in pages)
    ran = subprocess.run([program], input=given, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode("utf-8", "replace")


def mangled(chance: random.Random, count: int) -> Iterator[bytes]:
    """Yield pages, many of them cut off or with some bytes changed."""
    for _ in range(count):
        page = bytearray(soup(chance).encode())
        for _ in range(chance.choice((0, 0, 1, 5))):
            start, stop = (chance.randrange(len(page) or 1) for _ in range(2))
            page[start:stop] = chance.randbytes(chance.randint(0, 3))
        yield bytes(page[: chance.randint(0, len(page))] if chance.random() < 0.3 else page)
