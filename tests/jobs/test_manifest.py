import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.schema.tables import Source
from webstrata.errors import NotFoundError
from webstrata.jobs.folders.manifest import JOB_FILE, SOURCES_FILE, read_manifests, write_manifest, write_sources
from webstrata.model.jobs.job import JobConfig, JobStatus

NOW = datetime(2026, 5, 4, 3, 2, 1, 99, tzinfo=UTC)


def add_job(database: Database, output_dir: Path) -> int:
    with database.write() as session:
        source_id = jobs.ensure_source(session, "hc", name="Health", base_url="https://example.org/")
        session.get_one(Source, source_id).page_parameters = ["id"]
        config = JobConfig(("https://example.org/",), {"max_pages": 3})
        job_id = jobs.add_job(session, source_id, name="é", output_dir=str(output_dir), config=config, queued_at=NOW)
        jobs.set_job(session, job_id, status=JobStatus.INDEXED, pages_crawled=7, finished_at=NOW)
    return job_id


def test_what_is_written_down_of_a_job_is_what_is_read(database: Database, root: Path) -> None:
    folder = root / "hc" / "20260504T030201Z__hc"
    folder.mkdir(parents=True)
    job_id = add_job(database, folder)
    write_manifest(database, job_id, archive_root=root)
    write_sources(database, root)
    found = read_manifests(root)
    assert found.problems == []
    (manifest,) = found.jobs
    assert manifest.output_dir == folder
    job = manifest.job
    assert (job["id"], job["name"], job["status"], job["pages_crawled"]) == (job_id, "é", "indexed", 7)
    assert (job["finished_at"], job["queued_at"]) == (NOW, NOW)
    assert (manifest.source["code"], manifest.source["page_parameters"]) == ("hc", ["id"])
    assert [source["code"] for source in found.sources] == ["hc"]
    assert not {"lease_token", "lease_owner", "output_device"} & job.keys()


def test_only_its_owner_can_read_it_and_no_half_of_it_is_ever_there(database: Database, root: Path) -> None:
    root.mkdir()
    write_manifest(database, add_job(database, root), archive_root=root)
    assert stat.S_IMODE((root / JOB_FILE).stat().st_mode) == 0o600
    assert [file.name for file in root.iterdir()] == [JOB_FILE]


def test_nothing_is_written_into_a_folder_outside_of_the_archive(
    database: Database, root: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    job_id = add_job(database, elsewhere)
    write_manifest(database, job_id, archive_root=root)
    assert list(elsewhere.iterdir()) == []
    (manifest,) = read_manifests(root).jobs
    assert (manifest.output_dir, manifest.job["id"]) == (elsewhere, job_id)


def test_a_folder_that_is_gone_is_not_made_again(database: Database, root: Path) -> None:
    job_id = add_job(database, root / "gone")
    with capture_logs() as logs:
        write_manifest(database, job_id, archive_root=root)
    assert not root.exists()
    assert [line["reason"] for line in logs] == ["the job's folder is gone"]
    with pytest.raises(NotFoundError, match="no job 99"):
        write_manifest(database, 99)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("no JSON", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it was not written by Webstrata"),
        ('{"kind": "somebody-elses"}', "it was not written by Webstrata"),
        ('{"kind": "webstrata-job", "version": 7}', "its version is 7; this program reads 1"),
        ('{"kind": "webstrata-job", "version": 1}', "it has no job"),
        ('{"kind": "webstrata-job", "version": 1, "job": {"name": ""}, "source": {}}', "it has no name"),
        ('{"kind": "webstrata-job", "version": 1, "job": {"name": 7}, "source": {}}', "its name cannot be '7'"),
        (
            '{"kind": "webstrata-job", "version": 1, "job": {"name": "a", "created_at": "soon"}, "source": {}}',
            "its created_at cannot be 'soon'",
        ),
        ('{"kind": "webstrata-job", "version": 1, "job": {"name": "a", "id": true}, "source": {}}', "its id cannot be"),
        ('{"kind": "webstrata-job", "version": 1, "job": {"name": "a", "id": -1}, "source": {}}', "its id cannot be"),
    ],
)
def test_what_is_no_manifest_is_reported_by_its_name(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "hc" / "job").mkdir(parents=True)
    (tmp_path / "hc" / "job" / JOB_FILE).write_text(content)
    (tmp_path / SOURCES_FILE).write_text(json.dumps({"kind": "webstrata-sources", "version": 1, "sources": [1]}))
    found = read_manifests(tmp_path)
    assert found.jobs == []
    assert found.problems[0].startswith(f"{tmp_path / 'hc' / 'job' / JOB_FILE}: {problem}")
    assert found.problems[1] == f"{tmp_path / SOURCES_FILE}: it lists no sources"


def test_links_are_not_followed_and_unreadable_folders_are_reported(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "hc").mkdir()
    found = read_manifests(tmp_path)
    assert (found.jobs, found.problems) == ([], [])
    if os.geteuid() != 0:
        (tmp_path / "hc").chmod(0)
        assert read_manifests(tmp_path).problems == [f"{tmp_path / 'hc'}: Permission denied"]
