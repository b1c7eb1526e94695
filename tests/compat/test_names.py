"""Every name of the HealthArchive backend, called as a script written for it would call it."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.fetched import NOON, fetched, write_warc
from tests.support.web_server import WebServer, page
from tools.console import ROOT
from webstrata import compat
from webstrata.compat import (
    MAX_CRAWL_RETRIES,
    ArchiveJob,
    ArchiveJobConfig,
    ArchiveRecord,
    ArchiveToolConfig,
    ArchiveToolOptions,
    Base,
    CrawlState,
    DatabaseConfig,
    RuntimeArchiveJob,
    Snapshot,
    Source,
    SourceJobConfig,
    build_job_config,
    build_output_dir_for_job,
    cleanup_temp_dirs,
    create_job_for_source,
    detect_language,
    discover_warcs_for_job,
    extract_text,
    extract_title,
    find_all_warc_files,
    find_latest_temp_dir_fallback,
    find_record_for_snapshot,
    generate_job_name,
    get_session,
    index_job,
    iter_html_records,
    make_snippet,
    parse_last_stats_from_log,
    record_to_snapshot,
    run_persistent_job,
    run_worker_loop,
    update_job_stats_from_logs,
    validate_tool_options,
)
from webstrata.db.engine import Database
from webstrata.errors import NotFoundError

NOW = datetime(2025, 12, 9, 21, 9, 11, tzinfo=UTC)
HOME = "https://www.canada.ca/en/health-canada.html"
OPTIONS = {"cleanup": False, "overwrite": False, "enable_monitoring": False, "initial_workers": 1, "log_level": "INFO"}
HC = SourceJobConfig("hc", "hc-{date:%Y%m%d}", [HOME], ["--lang", "en"], OPTIONS, "monthly")


@pytest.fixture
def root(database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The archive root that the environment names, as that system's variables do, beside a database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEALTHARCHIVE_ARCHIVE_ROOT", str(tmp_path / "jobs"))
    monkeypatch.setenv("HEALTHARCHIVE_DATABASE_URL", database_url)
    monkeypatch.setenv("WEBSTRATA_ALLOW_PRIVATE_NETWORKS", "127.0.0.1/32")
    return tmp_path / "jobs"


@pytest.fixture
def queued(root: Path, web_server: WebServer) -> int:
    """A job of a source that was added as a row, like a script does."""
    web_server.answers["/"] = page("Fever")
    with get_session() as session:
        session.add(Source(code="site", name="Site", base_url=web_server.url()))
        session.flush()
        job = create_job_for_source("site", session=session, overrides={"relax_perms": False})
    return job.id


def stored(job_id: int) -> ArchiveJob:
    with get_session() as session:
        return session.get_one(ArchiveJob, job_id)


def test_every_name_is_documented() -> None:
    text = (ROOT / "docs" / "compat.md").read_text(encoding="utf-8")
    assert [name for name in compat.__all__ if f"`{name}" not in text] == []
    assert all(hasattr(compat, name) for name in compat.__all__)


def test_the_configuration_is_read_when_it_is_requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (ArchiveToolConfig().archive_tool_cmd, "sqlite:///" in DatabaseConfig().database_url) == (
        "archive-tool",
        True,
    )
    monkeypatch.setenv("HEALTHARCHIVE_ARCHIVE_ROOT", str(tmp_path / "jobs"))
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", "python run_archive.py")
    monkeypatch.setenv("HEALTHARCHIVE_DATABASE_URL", "postgresql://me:s3cret@db/archive")
    config = ArchiveToolConfig()
    assert (config.archive_root, config.archive_tool_cmd) == (tmp_path / "jobs", "python run_archive.py")
    config.ensure_archive_root()
    assert config.archive_root.is_dir()
    assert DatabaseConfig().database_url == "postgresql://me:s3cret@db/archive"
    assert "s3cret" not in repr(DatabaseConfig())
    assert ArchiveToolConfig(tmp_path, "x") == ArchiveToolConfig(archive_root=tmp_path, archive_tool_cmd="x")


def test_a_session_commits_at_its_end_and_in_between_and_rolls_back_on_an_error(root: Path) -> None:
    with get_session() as session:
        session.add(Source(code="hc", name="Health Canada"))
        session.commit()
        session.add(Source(code="phac", name="PHAC"))

    def fail() -> None:
        with get_session() as session:
            session.add(Source(code="lost", name="Lost"))
            session.flush()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    with get_session() as session:
        assert sorted(source.code for source in session.query(Source)) == ["hc", "phac"]


def test_the_models_know_each_other(root: Path) -> None:
    assert {"sources", "archive_jobs", "snapshots"} <= {*Base.metadata.tables}
    with get_session() as session:
        source = Source(code="hc", name="Health Canada")
        job = ArchiveJob(source=source, name="hc-1", output_dir=str(root / "one"), status="indexed")
        session.add(Snapshot(job=job, source=source, url=HOME, capture_timestamp=NOW, warc_path="one.warc.gz"))
    with get_session() as session:
        (found,) = session.query(Source).all()
        assert [job.name for job in found.jobs] == ["hc-1"]
        assert [snapshot.job for snapshot in found.snapshots] == found.jobs
        assert found.jobs[0].cleanup_status == "none"


def test_jobs_are_named_placed_and_configured_by_the_registry(tmp_path: Path) -> None:
    assert generate_job_name(HC, NOW) == "hc-20251209"
    folder = build_output_dir_for_job("hc", "hc-20251209", tmp_path, NOW)
    assert folder == tmp_path / "hc" / "20251209T210911Z__hc-20251209"
    config = build_job_config(HC, [f"{HOME}?more"], {"initial_workers": 3})
    assert (config["seeds"], config["zimit_passthrough_args"]) == ([HOME, f"{HOME}?more"], ["--lang", "en"])
    options = config["tool_options"]
    assert isinstance(options, dict)
    assert options == {**options, **OPTIONS, "initial_workers": 3}


@pytest.mark.parametrize(
    "overrides",
    [
        {"enable_adaptive_workers": True},
        {"enable_vpn_rotation": True, "vpn_connect_command": "vpn up"},
        {"enable_monitoring": True, "enable_vpn_rotation": True},
    ],
)
def test_options_that_do_not_go_together_are_value_errors(overrides: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="enable_"):
        build_job_config(HC, overrides=overrides)
    with pytest.raises(ValueError, match="enable_"):
        validate_tool_options(ArchiveToolOptions.from_json(overrides))
    validate_tool_options(ArchiveToolOptions(enable_monitoring=True, enable_adaptive_workers=True))


def test_a_stored_configuration_comes_back_as_it_was() -> None:
    config = ArchiveJobConfig.from_json(build_job_config(HC))
    assert (config.seeds, config.zimit_passthrough_args) == ((HOME,), ("--lang", "en"))
    assert config.to_json() == build_job_config(HC)


def test_a_job_is_queued_for_a_known_source_only(root: Path) -> None:
    with get_session() as session:
        with pytest.raises(NotFoundError, match="there is no source 'hc'"):
            create_job_for_source("hc", session=session)
        session.add(Source(code="hc", name="Health Canada"))
        session.flush()
        job = create_job_for_source("hc", session=session, overrides={"initial_workers": 2})
        assert (job.status, job.source is not None, job.queued_at is not None) == ("queued", True, True)
    config = stored(job.id).config or {}
    assert (config["seeds"], config["tool_options"]["initial_workers"]) == ([HOME], 2)
    assert Path(job.output_dir).parent == root / "hc"


def test_a_run_of_the_moment_calls_the_configured_tool(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, script = tmp_path / "argv.json", tmp_path / "tool.py"
    script.write_text(f"import json, sys; open({str(said)!r}, 'w').write(json.dumps(sys.argv[1:])); sys.exit(3)")
    monkeypatch.setenv("HEALTHARCHIVE_TOOL_CMD", f"{sys.executable} {script}")
    job = RuntimeArchiveJob("trial", [HOME])
    folder = tmp_path / "elsewhere"
    code = job.run(2, True, False, "DEBUG", ["--", "--pageLimit", "1"], True, folder)
    called = ["--seeds", HOME, "--name", "trial", "--output-dir", str(folder), "--log-level", "DEBUG"]
    assert code == 3
    assert json.loads(said.read_text()) == [*called, "--initial-workers", "2", "--cleanup", "--", "--pageLimit", "1"]
    assert job.run() == 3
    assert json.loads(said.read_text())[5].startswith(str(root / "canada-ca"))


def test_a_job_is_crawled_read_indexed_and_viewed(queued: int, root: Path) -> None:
    assert run_persistent_job(queued) == 0
    job = stored(queued)
    assert (job.status, job.crawler_exit_code, job.crawler_status) == ("completed", 0, "success")
    (warc,) = discover_warcs_for_job(job, allow_fallback=True)
    (record,) = [record for record in iter_html_records(warc) if record.status_code == 200]
    assert isinstance(record, ArchiveRecord)
    html = record.body_bytes.decode("utf-8", errors="replace")
    with get_session() as session:
        source = session.query(Source).one()
    title, text = extract_title(html), extract_text(html)
    language = detect_language(text, record.headers)
    snapshot = record_to_snapshot(job, source, record, title, make_snippet(text), language)
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.title, snapshot.url, snapshot.job_id) == ("Fever", record.url, queued)
    unsaved = find_record_for_snapshot(snapshot)
    assert unsaved is not None
    assert (unsaved.url, unsaved.body_bytes, unsaved.warc_record_id) == (
        record.url,
        record.body_bytes,
        record.warc_record_id,
    )
    assert index_job(queued) == 0
    assert stored(queued).status == "indexed"
    with get_session() as session:
        (indexed,) = session.query(Snapshot).all()
    assert (indexed.title, indexed.content_hash) == (snapshot.title, snapshot.content_hash)
    assert (indexed.warc_path, indexed.normalized_url_group) == (snapshot.warc_path, snapshot.normalized_url_group)
    found = find_record_for_snapshot(indexed)
    assert found is not None
    assert (found.capture_timestamp, found.warc_path) == (record.capture_timestamp, record.warc_path)
    warc.unlink()
    assert find_record_for_snapshot(indexed) is None


def test_statistics_come_from_the_newest_log(queued: int) -> None:
    assert run_persistent_job(queued) == 0
    with get_session() as session:
        job = session.get_one(ArchiveJob, queued)
        job.pages_crawled = job.combined_log_path = None
        update_job_stats_from_logs(job)
    job = stored(queued)
    stats = parse_last_stats_from_log(Path(str(job.combined_log_path)))
    assert stats is not None
    assert (job.pages_crawled, job.pages_total, job.pages_failed) == (stats["crawled"], stats["total"], 0)
    assert job.last_stats_json == {**(job.last_stats_json or {}), **stats}


def test_temporary_folders_are_known_searched_and_deleted(tmp_path: Path) -> None:
    temporary = tmp_path / ".tmpabc"
    archive = temporary / "collections" / "crawl-1" / "archive"
    archive.mkdir(parents=True)
    write_warc(archive / "rec-1.warc.gz", [fetched(at=NOON)])
    assert CrawlState(tmp_path, 1).get_temp_dir_paths() == []
    assert find_latest_temp_dir_fallback(tmp_path) == temporary
    job = ArchiveJob(name="one", output_dir=str(tmp_path))
    assert discover_warcs_for_job(job, allow_fallback=False) == []
    assert discover_warcs_for_job(job) == find_all_warc_files([temporary]) == [archive / "rec-1.warc.gz"]
    state = CrawlState(tmp_path, 1)
    state.add_temp_dir(temporary)
    state.save()
    assert CrawlState(tmp_path, 1).get_temp_dir_paths() == [temporary]
    cleanup_temp_dirs([temporary], state.state_file_path)
    assert [*tmp_path.iterdir()] == []


def test_the_worker_takes_the_job_that_has_waited_longest_to_its_end(queued: int) -> None:
    assert MAX_CRAWL_RETRIES == 2
    with get_session() as session:
        session.add(ArchiveJob(name="without a source", output_dir="nowhere", config={"seeds": [HOME]}))
        session.flush()
        selected = compat._select_next_crawl_job(session)
    assert (selected is not None, selected and selected.id) == (True, queued)
    assert compat._process_single_job()
    assert stored(queued).status == "indexed"
    assert not compat._process_single_job()
    with get_session() as session:
        assert compat._select_next_crawl_job(session) is None
        session.get_one(ArchiveJob, queued).status = "retryable"
    run_worker_loop(1, True)
    assert stored(queued).status == "indexed"
