"""A disk that fills up while a crawl runs."""

import threading

import pytest

from tests.crawl.runs import Archive, assert_sound
from tests.support.web_server import Answer, WebServer, linked_site
from webstrata.crawl import engine
from webstrata.errors import StorageError
from webstrata.model.crawl.tasks import TaskStatus


def test_a_crawl_ends_when_the_room_does_and_continues_once_there_is_some(
    archive: Archive, web_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_ROOM_EVERY", 0.05)
    never = threading.Event()
    web_server.answers |= linked_site(5)
    slow = web_server.answers["/page/3"]
    web_server.answers["/page/3"] = Answer(waits_for=never)

    def room() -> None:
        if len(archive.captures()) >= 5:
            raise StorageError("/archive: 12 bytes free, 500 wanted")

    with pytest.raises(StorageError, match="12 bytes free, 500 wanted"):
        archive.crawl(web_server.url(), room=room)
    never.set()
    kept = {capture.url for capture in archive.captures()}
    assert len(kept) >= 5
    assert archive.urls(TaskStatus.IN_PROGRESS) == set()
    assert_sound(archive)
    web_server.answers["/page/3"] = slow
    assert archive.crawl(web_server.url()).counts.finished == 11
    assert kept < {capture.url for capture in archive.captures()}
    assert_sound(archive)
