"""A folder of WARC files that is lost, and its copy: what the copy holds is shown for both."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.index.test_foreign_shapes import ANSWER, PAGE, URL, packed, record
from webstrata.assets.page import PagePlugin
from webstrata.assets.registry import PluginRegistry
from webstrata.assets.stage import run_plugins
from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Snapshot
from webstrata.errors import NotFoundError
from webstrata.index.pipeline import index_job
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.replay.raw import raw_page

DIGEST = "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"
ORIGINAL = "<urn:uuid:00000000-0000-4000-8000-abcdefabcdef>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
SECOND = {"WARC_Date": "2015-01-27T17:12:38Z", "WARC_Payload_Digest": DIGEST}


def folder_of_revisits(folder: Path) -> Path:
    """Write a page and three revisits of it, which name it by its record, by its URL and time, and by its digest."""
    folder.mkdir(parents=True)
    records = [
        record("response", URL, ANSWER, WARC_Record_ID=ORIGINAL, WARC_Payload_Digest=DIGEST),
        record("revisit", f"{URL}named", HEAD, WARC_Refers_To=ORIGINAL, **SECOND),
        record(
            "revisit",
            f"{URL}dated",
            HEAD,
            WARC_Refers_To_Target_URI=URL,
            WARC_Refers_To_Date="2014-01-27T17:12:38Z",
            **SECOND,
        ),
        record("revisit", f"{URL}digest", HEAD, **SECOND),
    ]
    (folder / "one.warc.gz").write_bytes(packed(records))
    return folder


def archived(database: Database, root: Path, folder: Path) -> tuple[int, list[int]]:
    """Register and index a folder, and return its job and its snapshots."""
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="Health", base_url=URL)
    job_id = register_job_dir(database, root, "hc", folder).job_id
    assert index_job(job_id, database=database, archive_root=root) == 0
    with database.read() as session:
        return job_id, list(session.scalars(select(Snapshot.id).where(Snapshot.job_id == job_id).order_by(Snapshot.id)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def test_every_page_of_a_lost_folder_is_shown_from_its_copy(database: Database, root: Path, tmp_path: Path) -> None:
    lost = folder_of_revisits(tmp_path / "a")
    _, first = archived(database, root, lost)
    lost.rename(tmp_path / "b")
    copy, second = archived(database, root, tmp_path / "b")
    assert (len(first), len(second)) == (4, 4)
    assert [raw_page(database, root, snapshot_id).content for snapshot_id in first + second] == [PAGE] * 8
    summary = run_plugins(copy, database=database, archive_root=root, registry=PluginRegistry([PagePlugin()]))
    assert (summary.captures, summary.failed) == (4, 0)


def test_a_page_that_only_looks_the_same_by_its_digest_is_not_shown(
    database: Database, root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "one.warc.gz").write_bytes(packed([record("response", URL, ANSWER, WARC_Payload_Digest=DIGEST)]))
    _, (lost,) = archived(database, root, folder)
    shutil.rmtree(folder)
    (tmp_path / "b").mkdir()
    forged = record("response", f"{URL}b", ANSWER + b"<p>forged", WARC_Payload_Digest=DIGEST)
    (tmp_path / "b" / "two.warc.gz").write_bytes(packed([forged]))
    _, (other,) = archived(database, root, tmp_path / "b")
    assert raw_page(database, root, other).content == PAGE + b"<p>forged"
    with pytest.raises(NotFoundError, match=r"^Underlying WARC file for this snapshot is missing$"):
        raw_page(database, root, lost)
