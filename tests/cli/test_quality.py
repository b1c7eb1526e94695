"""`quality`: judging a saved response from the command line."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

CHALLENGE = "<html><head><title>Just a moment...</title></head><body><div id='challenge-form'></div></body></html>"
ARTICLE = f"<html><title>River</title><body><h1>River</h1>{30 * '<p>The river was cleaned in May.</p>'}</body></html>"
HOSTILE = b"".join(b"<body a%d=1>" % number for number in range(24_000))
"""A page whose tree takes memory with the square of its size."""


def test_a_saved_response_is_judged_as_json(plain_webstrata: CommandLine, tmp_path: Path) -> None:
    saved, headers = tmp_path / "page.html.gz", tmp_path / "headers.json"
    saved.write_bytes(gzip.compress(CHALLENGE.encode()))
    headers.write_text(json.dumps({"CF-Mitigated": "challenge", "Set-Cookie": ["a=1", "b=2"]}))
    options = ("--url", "https://example.org/a", "--status", "200", "--headers", str(headers))
    ended = plain_webstrata("quality", str(saved), *options, "--json")
    assert ended.code == 0
    judged = json.loads(ended.out)
    assert (set(judged), judged["quality"], judged["kind"]) == ({"quality", "kind", "reasons"}, 0.0, "captcha")
    assert "its header cf-mitigated is a marker of Cloudflare" in judged["reasons"]


def test_standard_input_is_read_and_the_verdict_is_a_sentence(
    plain_webstrata: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ARTICLE.encode())))
    good = plain_webstrata("quality", "-")
    assert (good.code, good.out) == (0, "page, quality 1: nothing speaks against it\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ARTICLE.encode())))
    led_home = ("--url", "https://example.org/rivers/9", "--final-url", "https://example.org/")
    assert plain_webstrata("quality", "-", *led_home).out == (
        "soft_404, quality 0.1: it leads to the home page, https://example.org/\n"
    )


@pytest.mark.parametrize("headers", ["[]", '[["location", "/"]]', "{}", '{"content-length": 12}'])
def test_headers_may_be_written_in_several_ways(plain_webstrata: CommandLine, tmp_path: Path, headers: str) -> None:
    (tmp_path / "page.html").write_text(ARTICLE)
    (tmp_path / "headers.json").write_text(headers)
    assert plain_webstrata("quality", "page.html", "--headers", "headers.json").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("page.html", "--status", "99"), 2, "Invalid value for '--status': '99' must be at least 100"),
        (("page.html", "--url", "ftp://example.org/"), 2, "'ftp://example.org/' is not a web address"),
        (("page.html", "--headers", "page.html"), 2, "page.html must hold the headers as a JSON object"),
        ((), 2, "Missing argument 'FILE'"),
        (("nothing.html",), 1, "nothing.html cannot be read: No such file or directory"),
    ],
    ids=str,
)
def test_wrong_usage_is_explained_in_one_line(
    plain_webstrata: CommandLine, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "page.html").write_text(ARTICLE)
    ended = plain_webstrata("quality", *arguments)
    assert ended.code == code
    assert ended.message.startswith(message)


def test_a_hostile_page_ends_in_one_line(plain_webstrata: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(HOSTILE)
    ended = plain_webstrata("quality", "page.html")
    assert ended.code == 1
    assert ended.message.startswith("reading it takes more than")


@pytest.mark.parametrize(
    "junk", [bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n" + bytes(200), b"\x7fELF\2\1\1" + bytes(500)]
)
def test_binary_data_is_no_page(plain_webstrata: CommandLine, tmp_path: Path, junk: bytes) -> None:
    saved = tmp_path / "page.bin"
    saved.write_bytes(junk)
    ended = plain_webstrata("quality", str(saved), "--status", "200", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "is not a page" in ended.err
    assert json.loads(plain_webstrata("quality", str(saved), "--status", "404", "--json").out)["quality"] < 0.5


def test_pages_in_any_charset_are_pages(plain_webstrata: CommandLine, tmp_path: Path) -> None:
    saved = tmp_path / "page.html"
    for charset in ("utf-16", "utf-16-le", "shift_jis", "iso2022_jp", "koi8-r"):
        saved.write_bytes(
            ARTICLE.replace("river", "Привет" if charset == "koi8-r" else "川").encode(charset, "replace")
        )
        assert plain_webstrata("quality", str(saved)).code == 0, charset
