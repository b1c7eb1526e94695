"""Whether a saved response is a good capture: error, block and empty pages, and good pages that look like them."""

from dataclasses import replace

import pytest

from tests.content.quality_cases import URL, QualityCase, quality_cases
from webstrata.content.html import parse_page
from webstrata.content.quality.assessment import judge_page, judge_quality
from webstrata.content.quality.phrases import SENTENCES, ascii_of, plain
from webstrata.content.quality.saved_response import saved_response
from webstrata.content.reader.page_reader import PageReader
from webstrata.content.reader.page_requests import SMALL_PAGE, ReadQuality
from webstrata.model.quality import QualityKind

CASES = quality_cases()
GOOD = [case for case in CASES if case.kinds == ("page",)]
NOTICES = [case for case in CASES if case.name.startswith(("firewalls", "gone", "failures")) and case.status == 200]
PROSE = "<p>The report describes how the river was cleaned, which species came back, and what it cost the towns.</p>"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_response_is_taken_for_what_it_is(case: QualityCase) -> None:
    judged = judge_quality(saved_response(case.url, case.status, case.headers, case.body, case.final_url))
    assert judged.kind in case.kinds, judged
    assert case.lowest <= judged.quality <= case.highest, judged
    assert judged.reasons


def test_the_index_judges_a_page_that_it_read_as_the_command_judges_its_file() -> None:
    for case in CASES:
        for body in (case.body, case.body.replace(b"</body>", 40 * PROSE.encode() + b"</body>")):
            page = parse_page(body, case.headers.get("content-type"))
            judged = judge_page(case.url, case.status, case.headers, page, len(body))
            assert judged == judge_quality(saved_response(case.url, case.status, case.headers, body)), case.name


def test_every_match_of_a_phrase_contains_one_of_its_literals() -> None:
    texts = [plain(line.text) for case in CASES for line in saved_response(case.url, 200, {}, case.body).lines]
    phrases = [phrase for some in SENTENCES.values() for phrase in some]
    found = [(phrase, text) for phrase in phrases for text in texts if phrase.pattern.search(text)]
    assert len(found) > 100
    assert all(phrase.may_be_in(ascii_of(text)) for phrase, text in found)
    assert sum(bool(phrase.literals) for phrase in phrases) > 0.8 * len(phrases)


def test_there_are_many_cases_of_both_sorts() -> None:
    assert len(CASES) - len(GOOD) >= 100
    assert len(GOOD) >= 30
    assert {kind for case in CASES for kind in case.kinds} == set(QualityKind)


@pytest.mark.parametrize("case", NOTICES, ids=lambda case: case.name)
def test_an_article_that_quotes_a_notice_is_a_page(case: QualityCase) -> None:
    """Put what a notice shows, without its markup and title, into the middle of an article."""
    notice = " ".join(line.text for line in saved_response(case.url, 200, {}, case.body).lines)
    body = f"<title>How servers say no</title><h1>How servers say no</h1>{9 * PROSE}<p>{notice}</p>{9 * PROSE}"
    judged = judge_quality(saved_response(URL, 200, {}, body.encode()))
    assert (judged.kind, judged.quality) == (QualityKind.PAGE, 1.0), judged


@pytest.mark.parametrize("status", [400, 403, 404, 410, 418, 429, 451, 500, 503, 999])
def test_no_content_makes_an_error_status_good(status: int) -> None:
    for case in GOOD:
        judged = judge_quality(saved_response(case.url, status, case.headers, case.body))
        assert judged.kind is not QualityKind.PAGE
        assert judged.quality <= 0.2


def test_a_large_page_is_judged_in_the_process_with_limits() -> None:
    reader = PageReader()
    try:
        padding = b"<!--" + SMALL_PAGE * b"x" + b"-->"
        for case in (CASES[0], GOOD[0]):
            here = judge_quality(saved_response(case.url, case.status, case.headers, case.body + padding))
            request = ReadQuality(case.url, case.status, case.headers, case.body + padding, case.final_url)
            assert not request.is_small
            assert reader.quality(request) == here
    finally:
        reader.close()


def test_what_is_no_html_is_judged_by_its_status_and_as_text() -> None:
    image = ReadQuality(URL, 200, {"Content-Type": "image/png"}, b"\x89PNG\r\n")
    assert image.read().quality == 1.0
    assert replace(image, status=404).read().kind is QualityKind.ERROR
    text = ReadQuality(URL, 200, {"content-type": "text/plain"}, b"Access denied\nYour IP address was blocked.\n")
    assert text.read().kind is QualityKind.BLOCKED
