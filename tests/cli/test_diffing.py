"""`webstrata diff`: two saved pages, or two snapshots."""

import gzip
import json
from pathlib import Path

import pytest

from tests.changes.building import Pair, all_pairs
from tests.cli.conftest import CommandLine
from tests.support.web_server import Answer, WebServer

KEYS = {
    *("changed", "changeType", "significance", "reasons", "addedSections", "removedSections", "changedSections"),
    *("addedLines", "removedLines", "changeRatio", "highNoise", "summary"),
}


@pytest.fixture(scope="module")
def pairs() -> dict[str, Pair]:
    return {pair.name: pair for pair in all_pairs()}


def saved(folder: Path, pair: Pair, suffix: str = ".html") -> tuple[str, str]:
    names = []
    for side, capture in (("old", pair.old), ("new", pair.new)):
        path = folder / f"{side}{suffix}"
        path.write_bytes(gzip.compress(capture.body) if suffix.endswith(".gz") else capture.body)
        names.append(str(path))
    return names[0], names[1]


@pytest.mark.parametrize("suffix", [".html", ".html.gz"])
def test_two_saved_pages_are_compared_without_an_archive(
    plain_webstrata: CommandLine, data_dir: Path, tmp_path: Path, pairs: dict[str, Pair], suffix: str
) -> None:
    ended = plain_webstrata("diff", *saved(tmp_path, pairs["dose-adults"], suffix), "--json")
    found = json.loads(ended.out)
    assert ended.code == 0
    assert found.keys() >= KEYS
    assert (found["changed"], found["changeType"]) == (True, "updated")
    assert found["significance"] >= 0.3
    assert "200 mg → 400 mg" in found["reasons"][0]["text"]
    assert (found["addedLines"], found["removedLines"], found["changedSections"]) == (1, 1, 1)
    assert not data_dir.exists()


def test_ignored_lines_are_listed_with_the_reason(
    plain_webstrata: CommandLine, tmp_path: Path, pairs: dict[str, Pair]
) -> None:
    found = json.loads(plain_webstrata("diff", *saved(tmp_path, pairs["date-modified"]), "--json").out)
    assert (found["changed"], found["changeType"], found["significance"]) == (False, "unchanged", 0.0)
    ((text, reason),) = [(line["text"], line["reason"]) for line in found["ignored"]]
    assert text == "Date modified: 2026-04-11"
    assert "date stamp" in reason


def test_a_block_page_is_no_edit(plain_webstrata: CommandLine, tmp_path: Path, pairs: dict[str, Pair]) -> None:
    found = json.loads(plain_webstrata("diff", *saved(tmp_path, pairs["rejected-with-status-200"]), "--json").out)
    assert found["changeType"] == "unavailable"


def test_a_person_sees_the_words_that_changed(
    plain_webstrata: CommandLine, tmp_path: Path, pairs: dict[str, Pair]
) -> None:
    ended = plain_webstrata("diff", *saved(tmp_path, pairs["not-added"]))
    shown = " ".join(ended.out.split())
    assert "updated: 1 section changed" in shown
    assert "Applicants who rent their home are {+not+} eligible." in shown
    assert "a negation was added: not" in shown


def test_a_page_cannot_command_the_terminal(plain_webstrata: CommandLine, tmp_path: Path) -> None:
    for side, word in (("old", "tea"), ("new", "coffee")):
        html = f"<title>Menu</title><p>We sell {word}\x1b[2J and \u202ecake, every day of the week.</p>"
        (tmp_path / f"{side}.html").write_text(html, encoding="utf-8")
    ended = plain_webstrata("diff", str(tmp_path / "old.html"), str(tmp_path / "new.html"))
    assert "coffee" in ended.out
    assert not {"\x1b", "\u202e"} & set(ended.out)


def test_pdfs_are_compared(plain_webstrata: CommandLine, tmp_path: Path, pairs: dict[str, Pair]) -> None:
    found = json.loads(plain_webstrata("diff", *saved(tmp_path, pairs["pdf-dose"], ".pdf"), "--json").out)
    assert found["reasons"][0]["code"] == "dose"


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b"\x89PNG\r\n\x1a\n", "is neither an HTML page nor a PDF")]
)
def test_what_cannot_be_compared_is_named(
    plain_webstrata: CommandLine, tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "picture.png"
    if content is not None:
        path.write_bytes(content)
    ended = plain_webstrata("diff", str(path), str(path))
    assert ended.code != 0
    assert message in ended.message


def test_an_empty_file_is_a_page_that_is_not_available(
    plain_webstrata: CommandLine, tmp_path: Path, pairs: dict[str, Pair]
) -> None:
    old, new = saved(tmp_path, pairs["dose-adults"])
    Path(new).write_bytes(b"")
    assert json.loads(plain_webstrata("diff", old, new, "--json").out)["changeType"] == "unavailable"


def test_two_snapshots_are_compared(
    webstrata: CommandLine, web_server: WebServer, pairs: dict[str, Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_CAPTURE_REQUISITES", "false")
    pair = pairs["dose-adults"]
    web_server.answers["/"] = [Answer(pair.old.body), Answer(pair.new.body), Answer(b"<p>Gone</p>", status=404)]
    for _ in range(3):
        webstrata("archive", web_server.url(), "--max-pages", "1")
    found = json.loads(webstrata("diff", "1", "2", "--json").out)
    assert (found["changeType"], found["reasons"][0]["code"]) == ("updated", "dose")
    assert found["ignored"] == []
    assert json.loads(webstrata("diff", "2", "3", "--json").out)["changeType"] == "unavailable"
    assert json.loads(webstrata("diff", "3", "2", "--json").out)["changeType"] == "restored"
    assert json.loads(webstrata("diff", "1", "1", "--json").out)["changeType"] == "unchanged"
    assert "there is no snapshot 99" in webstrata("diff", "1", "99").message
    assert "there is no snapshot 999" in webstrata("diff", "1", "9" * 30).message
