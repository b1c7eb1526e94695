"""An ARC file as a job: registered, indexed, found and shown like a WARC file."""

from pathlib import Path

import pytest

from tests.replay.test_copies import archived
from tests.support.arcs import V1, V2, arc_file, arc_records, page
from webstrata.db.engine import Database
from webstrata.db.operations import catalog
from webstrata.index.pipeline import index_job
from webstrata.jobs.folders.registering import register_job_dir
from webstrata.replay.raw import raw_page

SITE = "http://www.dryswamp.edu/"


@pytest.mark.parametrize(("version", "packed"), [(V1, True), (V2, False)])
def test_the_pages_of_an_arc_file_are_indexed_and_shown(
    database: Database, tmp_path: Path, version: int, packed: bool
) -> None:
    root, file = tmp_path / "archive", tmp_path / "disk" / "IA-001102.arc.gz"
    root.mkdir()
    file.parent.mkdir()
    dated = (f"{SITE}one", "19961104142103", "text/html", page("One"))
    undated = (f"{SITE}two", "1996", "text/html", page("Two"))
    file.write_bytes(arc_file(arc_records(version, dated, ("dns:a", "0", "text/dns", b"x"), undated), packed=packed))
    job_id, shown = archived(database, root, file)
    pages = [raw_page(database, root, snapshot_id) for snapshot_id in shown]
    assert [found.content for found in pages] == [page(name).partition(b"\n\n")[2] for name in ("One", "Two")]
    assert [found.snapshot.title for found in pages] == ["One", "Two"]
    assert [f"{found.snapshot.captured_at:%Y-%m-%d %H:%M:%S}" for found in pages] == [
        "1996-11-04 14:21:03",
        "1996-11-04 14:21:06",
    ]
    with database.read() as session:
        job = catalog.job(session, job_id)
    assert job is not None
    assert (job.name, job.index_problem_count, job.warc_file_count) == ("IA-001102", 0, 1)
    file.rename(tmp_path / "moved.arc.gz")
    moved = register_job_dir(database, root, "hc", tmp_path / "moved.arc.gz").job_id
    assert index_job(moved, database=database, archive_root=root) == 0
    assert [raw_page(database, root, snapshot_id).content for snapshot_id in shown] == [one.content for one in pages]
