"""Crawling a site again: what did not change is not stored again, and nothing is missed because of that."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from tests.crawl.runs import NOT_MODIFIED, Archive, answering_conditions, make_unreadable, next_job
from tests.support.web_server import Answer, WebServer, page
from webstrata.db.queue import jobs
from webstrata.db.schema.crawl_tables import CaptureLinks
from webstrata.db.schema.tables import Capture
from webstrata.index.pipeline import index_job
from webstrata.model.jobs.job import JobStatus
from webstrata.model.search.values import SearchRequest
from webstrata.replay.raw import raw_page
from webstrata.search.service import search
from webstrata.warc.verify import verify


def warcs(*archives: Archive) -> list[Path]:
    return [archive.path(file) for archive in archives for file in archive.warc_files()]


@pytest.fixture
def chain(web_server: WebServer) -> WebServer:
    """A site whose every page is reached only through the one before."""
    for number in range(4):
        path = "/" if number == 0 else f"/{number}"
        web_server.answers[path] = answering_conditions(page(f"Page {number}", f"/{number + 1}", text=f"word{number}"))
    web_server.answers["/4"] = answering_conditions(page("Page 4"))
    return web_server


def test_an_unchanged_site_is_recorded_as_revisits_down_to_the_same_depth(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    again = next_job(archive)
    end = again.crawl(chain.url())
    assert end.counts.finished == 5
    assert {record.kind for record in again.records()} == {"warcinfo", "request", "revisit"}
    assert {capture.url for capture in again.captures()} == {capture.url for capture in archive.captures()}
    assert verify(warcs(archive, again)).findings == []


def test_a_third_crawl_refers_to_the_first_one_which_holds_the_payload(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    second = next_job(archive)
    second.crawl(chain.url())
    third = next_job(second)
    third.crawl(chain.url())
    holders = {capture.warc_record_id for capture in archive.captures()}
    assert {capture.refers_to for capture in third.captures()} == holders


def test_a_page_that_changed_is_stored_whole(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    chain.answers["/2"] = answering_conditions(page("Page 2, new", "/3"))
    again = next_job(archive)
    again.crawl(chain.url())
    kinds = {capture.url: capture.record_type for capture in again.captures()}
    assert kinds.pop(chain.url("/2")) == "response"
    assert set(kinds.values()) == {"revisit"}


def test_the_same_payload_without_a_validator_is_stored_once(archive: Archive, web_server: WebServer) -> None:
    web_server.answers |= {"/": page("Home", "/a", "/b"), "/a": page("Twin"), "/b": page("Twin")}
    archive.crawl(web_server.url())
    again = next_job(archive)
    again.crawl(web_server.url())
    assert [capture.record_type for capture in archive.captures()] == ["response", "response", "revisit"]
    assert {capture.record_type for capture in again.captures()} == {"revisit"}
    assert {
        record.headers["WARC-Profile"].rpartition("/")[2] for record in again.records() if record.kind == "revisit"
    } == {"identical-payload-digest"}
    assert verify(warcs(archive, again)).findings == []


def test_errors_redirects_and_empty_responses_are_never_revisits(archive: Archive, web_server: WebServer) -> None:
    empty = Answer(b"")
    web_server.answers |= {
        "/": page("Home", "/gone", "/gone-too", "/moved", "/empty", "/empty-too"),
        "/moved": Answer(b"moved", status=301, headers=(("Location", "/"), ("ETag", '"x"'))),
        "/empty": empty,
        "/empty-too": empty,
    }
    archive.crawl(web_server.url())
    again = next_job(archive)
    again.crawl(web_server.url())
    kinds = {capture.url: capture.record_type for capture in again.captures()}
    assert kinds.pop(web_server.url()) == "revisit"
    assert set(kinds.values()) == {"response"}


def test_a_304_to_a_page_whose_record_is_gone_is_requested_again(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    for path in warcs(archive):
        path.unlink()
    again = next_job(archive)
    end = again.crawl(chain.url())
    assert end.counts.finished == 5


def test_what_an_unchanged_page_wished_the_last_time_still_holds(archive: Archive, web_server: WebServer) -> None:
    shown = page("Home", "/next")
    wish = b'<meta name="robots" content="nofollow"><body>'
    web_server.answers["/"] = answering_conditions(replace(shown, body=shown.body.replace(b"<body>", wish)))
    archive.crawl(web_server.url(), max_depth=0)
    again = next_job(archive)
    again.crawl(web_server.url(), respect_nofollow=True)
    assert {capture.url: capture.record_type for capture in again.captures()} == {web_server.url(): "revisit"}


def test_a_304_without_a_conditional_request_is_an_ordinary_response(archive: Archive, web_server: WebServer) -> None:
    web_server.answers["/"] = NOT_MODIFIED
    archive.crawl(web_server.url())
    (capture,) = archive.captures()
    assert (capture.status_code, capture.record_type) == (304, "response")


def test_a_revisit_is_found_and_shown_like_the_page_it_stands_for(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    again = next_job(archive)
    again.crawl(chain.url())
    for each in (archive, again):
        with each.database.write() as session:
            jobs.set_job(session, each.job_id, status=JobStatus.COMPLETED)
        assert index_job(each.job_id, database=each.database, archive_root=each.target.archive_root) == 0
    found = search(archive.database, SearchRequest(q="word2", include_duplicates=True))
    assert [view.job_id for view in found.results] == [again.job_id, archive.job_id]
    newest = raw_page(archive.database, archive.target.archive_root, found.results[0].id)
    assert b"word2" in newest.content
    assert found.results[0].status_code == 200


def test_what_lay_in_a_file_that_is_gone_is_stored_again(archive: Archive, chain: WebServer) -> None:
    chain.answers["/2"] = page("Page 2", "/3", text="word2")  # no validator: known only by its payload
    archive.crawl(chain.url())
    for file in warcs(archive):
        file.unlink()
    again = next_job(archive)
    again.crawl(chain.url())
    assert [record.kind for record in again.records()].count("response") == 5
    assert verify(warcs(again)).findings == []


@pytest.mark.parametrize("validated", [True, False], ids=["304", "the same payload"])
def test_an_unchanged_page_needs_neither_its_warc_record_nor_a_parser(
    archive: Archive, web_server: WebServer, validated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        shown = page(f"Page {number}", f"/{(number + 1) % 4 or ''}", text=f"word{number}")
        web_server.answers[f"/{number or ''}"] = answering_conditions(shown) if validated else shown
    archive.crawl(web_server.url())
    for path in warcs(archive):
        path.write_bytes(b"")
    make_unreadable(monkeypatch, "")
    again = next_job(archive)
    again.crawl(web_server.url())
    assert {url: task.last_error for url, task in again.tasks().items()} == dict.fromkeys(archive.tasks())
    assert [capture.record_type for capture in again.captures()] == ["revisit"] * 4


def test_captures_without_stored_links_are_read_once_more_and_then_have_them(
    archive: Archive, chain: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.crawl(chain.url())
    with archive.database.write() as session:
        session.execute(delete(CaptureLinks))
    second = next_job(archive)
    assert second.crawl(chain.url()).counts.finished == 5
    make_unreadable(monkeypatch, "")
    third = next_job(second)
    assert third.crawl(chain.url()).counts.finished == 5
    with archive.database.read() as session:
        assert session.scalar(select(func.count()).select_from(CaptureLinks)) == 5


def test_urls_with_the_same_payload_have_links_of_their_own(archive: Archive, web_server: WebServer) -> None:
    twin = answering_conditions(page("Twin", "next"))
    web_server.answers |= {"/": page("Home", "/a/", "/b/"), "/a/": twin, "/b/": twin}
    archive.crawl(web_server.url())
    assert {web_server.url("/a/next"), web_server.url("/b/next")} < {*archive.tasks()}
    second = next_job(archive)
    second.crawl(web_server.url())
    third = next_job(second)
    third.crawl(web_server.url())
    assert {*second.tasks()} == {*third.tasks()} == {*archive.tasks()}


def test_what_headers_ask_of_robots_now_counts_for_an_unchanged_payload(
    archive: Archive, web_server: WebServer
) -> None:
    shown = page("Home", "/next")
    web_server.answers["/"] = shown
    archive.crawl(web_server.url())
    web_server.answers["/"] = replace(shown, headers=(*shown.headers, ("X-Robots-Tag", "nofollow")))
    again = next_job(archive)
    again.crawl(web_server.url(), respect_nofollow=True)
    assert {*again.tasks()} == {web_server.url()}


def test_stored_links_go_with_their_capture(archive: Archive, chain: WebServer) -> None:
    archive.crawl(chain.url())
    with archive.database.write() as session:
        session.execute(delete(Capture).where(Capture.url == chain.url("/2")))
        assert session.scalar(select(func.count()).select_from(CaptureLinks)) == 4
