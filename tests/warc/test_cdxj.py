import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import StorageError
from webstrata.warc.cdxj import JOURNAL_NAME, Journal, JournalLine, journal_folder, promised_in, read_journal

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def line(number: int, **values: object) -> JournalLine:
    made = {
        "url_key": f"org,example)/{number}",
        "captured_at": AT,
        "url": f"https://example.org/{number}",
        "mime_type": "text/html",
        "status_code": 200,
        "digest": "ABC",
        "length": 10,
        "offset": 100 * number,
        "filename": "a.warc.gz",
        "record_type": "response",
        "record_id": f"<urn:uuid:{number}>",
        "capture_id": number + 1,
        "snapshot_id": number + 1_000,
    }
    return JournalLine(**{**made, **values})  # type: ignore[arg-type]


def write(folder: Path, *lines: JournalLine) -> None:
    with Journal(folder) as journal:
        journal.append(lines)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines = [line(1), line(2, snapshot_id=None, status_code=None, digest=None), line(3)]
    write(tmp_path / "warcs", *lines[:2])
    write(tmp_path / "warcs", lines[2])
    assert list(read_journal(tmp_path / "warcs")) == lines


def test_a_line_is_cdxj_as_pywb_reads_it() -> None:
    key, moment, fields = line(1, digest="sha1:ABC", captured_at=datetime(999, 1, 2, tzinfo=UTC)).text().split(" ", 2)
    assert (key, moment) == ("org,example)/1", "09990102000000")
    assert json.loads(fields) == {
        "url": "https://example.org/1",
        "mime": "text/html",
        "status": "200",
        "digest": "ABC",
        "length": "10",
        "offset": "100",
        "filename": "a.warc.gz",
        "type": "response",
        "recordId": "<urn:uuid:1>",
        "capture": 2,
        "snapshot": 1001,
    }
    assert json.loads(line(1, record_type="revisit").text().split(" ", 2)[2])["mime"] == "warc/revisit"


def test_a_torn_last_line_is_ignored_and_what_follows_is_not_glued_to_it(tmp_path: Path) -> None:
    write(tmp_path, line(1), line(2))
    file = tmp_path / JOURNAL_NAME
    file.write_bytes(file.read_bytes()[:-30])
    assert list(read_journal(tmp_path)) == [line(1)]
    write(tmp_path, line(3))
    assert list(read_journal(tmp_path)) == [line(1), line(3)]
    promised = promised_in(tmp_path)
    assert promised.ids("a.warc.gz", 300, "<urn:uuid:3>") == (4, 1003)
    assert promised.ids("a.warc.gz", 200, "<urn:uuid:2>") is None


def test_what_is_no_line_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, line(1))
    with (tmp_path / JOURNAL_NAME).open("ab") as file:
        file.write(b'\n{}\nkey 20260101 {}\nkey 20260101000000 []\n\xff\xfe\nkey 20260101000000 {"offset": 1}\n')
    write(tmp_path, line(2))
    assert list(read_journal(tmp_path)) == [line(1), line(2)]
    assert len(promised_in(tmp_path)) == 2


def test_a_promise_is_for_one_record_and_the_last_word_counts(tmp_path: Path) -> None:
    write(tmp_path, line(1, snapshot_id=None), line(1, filename="b.warc.gz", capture_id=77), line(1, snapshot_id=9))
    promised = promised_in(tmp_path)
    assert promised.ids("a.warc.gz", 100, "<urn:uuid:1>") == (2, 9)
    assert promised.ids("b.warc.gz", 100, "<urn:uuid:1>") == (77, 1001)
    assert promised.ids("a.warc.gz", 100, "<urn:uuid:other>") is None


def test_a_folder_without_a_journal_promises_nothing(tmp_path: Path) -> None:
    assert list(read_journal(tmp_path / "nowhere")) == []
    assert promised_in(tmp_path).ids("a.warc.gz", 0, "") is None


def test_a_disk_that_refuses_is_trouble_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("webstrata.warc.cdxj.os.fdatasync", full)
    with pytest.raises(StorageError, match=r"captures\.cdxj: No space left"):
        write(tmp_path, line(1))


def test_the_journal_lies_with_the_warcs_or_in_the_root_when_those_are_elsewhere(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    assert journal_folder(7, str(root / "hc" / "job"), root) == root / "hc" / "job" / "warcs"
    assert journal_folder(7, str(tmp_path / "usb"), root) == root / ".journals" / "job-7"
    assert journal_folder(7, "", root) == root / ".journals" / "job-7"


@given(url=st.text(max_size=40), name=st.text(max_size=20), record=st.text(max_size=20))
def test_nothing_that_a_server_sends_can_break_a_line(
    tmp_path_factory: pytest.TempPathFactory, url: str, name: str, record: str
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    odd = line(1, url=url, filename=name, record_id=record, mime_type=name or "unk")
    write(folder, odd, line(2))
    lines = list(read_journal(folder))
    assert len(lines) == 2
    assert lines[1] == line(2)
    assert promised_in(folder).ids(name, 100, record) == (2, 1001)
