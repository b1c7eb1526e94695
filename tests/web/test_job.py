"""What a job's page tells beyond its progress, and what can be done there."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.archive import SITE, Answer, change, keep, queue
from tests.web.conftest import OWN_ORIGIN, TOKEN, MakeClient, Page
from webstrata.app import App
from webstrata.db.captures import captures, problems
from webstrata.db.captures.new_rows import Problem
from webstrata.db.operations import catalog
from webstrata.model.archive import JobView
from webstrata.model.crawl.monitoring import Decision
from webstrata.model.crawl.monitoring import RecoveryAction as MonitorAnswer
from webstrata.storage.combined_log import INITIAL_CRAWL, RESUME_CRAWL, combined_log_name, statistics_line
from webstrata.storage.crawl_state import CrawlState

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)
COMMAND = "vpn-connect --key hunter2"


def stored(app: App, job_id: int) -> JobView:
    with app.database.read() as session:
        found = catalog.job(session, job_id)
    assert found is not None
    return found


def folder(app: App, job_id: int) -> Path:
    path = Path(stored(app, job_id).output_dir)
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_log(app: App, job_id: int, lines: Sequence[str]) -> Path:
    path = folder(app, job_id) / combined_log_name(INITIAL_CRAWL, 1, NOON)
    path.write_text("".join(line if line.endswith("\n") else f"{line}\n" for line in lines))
    return path


def statistics(count: int) -> list[str]:
    return [
        statistics_line(
            NOON + timedelta(seconds=n), crawled=10 * n, total=500, pending=500 - 10 * n, failed=n, most=0, hit=False
        )
        for n in range(count)
    ]


def test_a_crawls_log_is_shown_at_its_end_and_harmless(client: TestClient, app: App) -> None:
    job_id = queue(app)
    log = write_log(
        app, job_id, ["early"] * 300 + ["<script>alert(1)</script>", "postgresql://me:hunter2@db/x", "done"]
    )
    page = Page(client.get(f"/jobs/{job_id}"))
    shown = page.one(".log").text().splitlines()
    assert len(shown) == 100
    assert shown[-3:] == ["<script>alert(1)</script>", "postgresql://me:********@db/x", "done"]
    assert not page.all("main script")
    assert log.name in page.text("section[aria-labelledby=log-title]")


def test_the_admin_token_does_not_show_in_a_log(make_client: MakeClient, app: App) -> None:
    job_id = queue(app)
    write_log(app, job_id, [f"somebody wrote {TOKEN} here"])
    page = Page(make_client(token=TOKEN).get(f"/jobs/{job_id}", headers={"X-Admin-Token": TOKEN}))
    assert page.text(".log") == "somebody wrote ******** here"


def test_a_job_without_a_log_reports_it(client: TestClient, app: App) -> None:
    job_id = queue(app)
    assert "No log yet." in Page(client.get(f"/jobs/{job_id}")).text("section[aria-labelledby=log-title]")
    change(app, job_id, status="stopped")
    page = Page(client.get(f"/jobs/{job_id}"))
    assert "No log." in page.text("section[aria-labelledby=log-title]")
    assert not page.all(".plot, .log")


def test_the_course_of_a_crawl_is_shown_as_plot_and_table(client: TestClient, app: App) -> None:
    job_id = queue(app)
    write_log(app, job_id, statistics(40))
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.text(".plot desc") == "390 pages crawled within 39 s, 39 failed, 110 waiting at the end."
    assert page.texts(".plot-names li") == ["Crawled: 390", "Waiting: 110", "Failed: 39"]
    assert len(page.all(".plot > svg polyline")) == 3
    picture = page.one(".plot > svg").attributes
    assert picture["role"] == "img"
    assert {node.attributes["id"] for node in page.all(".plot > svg > [id]")} == set(
        (picture["aria-labelledby"] or "").split()
    )
    assert page.texts(".plot tbody tr:last-child td") == ["390", "110", "39"]
    assert "Up to 500 URLs" in page.text(".plot")


def test_the_configuration_is_shown_without_its_secrets(client: TestClient, app: App) -> None:
    job_id = queue(app)
    options = {"enable_monitoring": True, "enable_vpn_rotation": True, "vpn_connect_command": COMMAND}
    change(app, job_id, config={"seeds": [SITE], "crawl": {"max_pages": 40}, "tool_options": options, "plugins": None})
    page = Page(client.get(f"/jobs/{job_id}"))
    told = dict(zip(page.texts(".about-list dt"), page.texts(".about-list dd"), strict=True))
    assert told["Vpn connect command"] == "********"
    assert told["Enable monitoring"] == "yes"
    assert told["Max pages"] == "40"
    assert "Plugins" not in told
    assert "hunter2" not in page.html


def write_decisions(app: App, job_id: int, *decisions: Decision) -> None:
    state = CrawlState(folder(app, job_id), initial_workers=8)
    for decision in decisions:
        state.note_decision(decision)


def test_a_jobs_attempts_are_listed_and_its_plot_spans_them(client: TestClient, app: App) -> None:
    job_id = queue(app)
    later = NOON + timedelta(seconds=20)
    change(app, job_id, status="running", started_at=NOON, crawler_stage="resume_crawl")
    write_log(app, job_id, statistics(20))
    second = folder(app, job_id) / combined_log_name(RESUME_CRAWL, 1, later)
    second.write_text("".join(statistics(40)[20:]))
    page = Page(client.get(f"/jobs/{job_id}"))
    section = "section[aria-labelledby=attempts-title]"
    assert page.text(f"{section} .hint") == "Crawled by the built-in crawler. Now: Resumed crawl."
    first, resumed = page.texts(f"{section} tbody tr")
    assert first.startswith("First crawl, attempt 13 May 2024, 12:00:00 UTC")
    assert first.endswith("190 of 50019")
    assert resumed.startswith("Resumed crawl, attempt 13 May 2024, 12:00:20 UTC")
    assert page.text(".plot desc") == "390 pages crawled within 39 s, 39 failed, 110 waiting at the end."
    assert "A new attempt begins" in page.text(".plot-names")


def test_what_the_monitor_did_is_reported_with_its_reason_and_without_secrets(client: TestClient, app: App) -> None:
    job_id = queue(app)
    change(app, job_id, config={"seeds": [SITE], "tool_options": {"engine": "zimit", "vpn_connect_command": COMMAND}})
    wait = timedelta(minutes=5)
    write_decisions(
        app,
        job_id,
        Decision(NOON, "timeout", "10 timeouts <b>", MonitorAnswer.FEWER_WORKERS, workers=1),
        Decision(NOON, "crashed", f"it ran {COMMAND}", MonitorAnswer.ROTATE_VPN, workers=1),
        Decision(NOON + wait, "stall", "no page more", MonitorAnswer.BACK_OFF, workers=1, wait=wait),
        Decision(NOON + wait, "stall", "no page more", MonitorAnswer.GIVE_UP, workers=1),
    )
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.texts("section[aria-labelledby=decisions-title] tbody tr") == [
        "Timeouts3 May 2024, 12:00:00 UTC10 timeouts <b>Continued with 1 worker",
        "Crashed3 May 2024, 12:00:00 UTCit ran ********Changed the VPN and restarted",
        "Stalled3 May 2024, 12:05:00 UTCno page morePaused for 5 min",
        "Stalled3 May 2024, 12:05:00 UTCno page moreGave up",
    ]
    assert "hunter2" not in page.html
    assert "Crawled by zimit, in a container." in page.text("section[aria-labelledby=attempts-title]")


def test_a_job_without_attempts_or_decisions_gives_the_reason(client: TestClient, app: App) -> None:
    job_id = queue(app)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert "the first one begins with the crawl" in page.text("section[aria-labelledby=attempts-title]")
    decided = "section[aria-labelledby=decisions-title]"
    assert "Monitoring is off for this crawl." in page.text(decided)
    change(app, job_id, config={"seeds": [SITE], "tool_options": {"enable_monitoring": True}})
    assert "No problems so far" in Page(client.get(f"/jobs/{job_id}")).text(decided)
    change(app, job_id, status="failed")
    page = Page(client.get(f"/jobs/{job_id}"))
    assert "The monitor found no problems." in page.text(decided)
    assert "No attempt has a log." in page.text("section[aria-labelledby=attempts-title]")


def test_a_job_of_files_that_were_there_already_is_not_reported_to_have_crawled(client: TestClient, app: App) -> None:
    job_id = queue(app)
    change(app, job_id, config={"seeds": []}, status="indexed", started_at=NOON, finished_at=NOON, indexed_page_count=7)
    shown = Page(client.get(f"/jobs/{job_id}")).text("main")
    assert "Not crawled: this job registered" in shown
    assert not [words for words in ("URLs crawled", "Took", "built-in crawler", "Nobody watched") if words in shown]
    listed = Page(client.get("/jobs"))
    assert "7 snapshots" in listed.text('td[data-label="URLs"]')
    assert "took" not in listed.text('td[data-label="Started"]')


def test_a_state_that_was_cut_off_costs_only_the_decisions(client: TestClient, app: App) -> None:
    job_id = queue(app)
    (folder(app, job_id) / ".archive_state.json").write_text('{"decisions": [{"at"')
    page = Page(client.get(f"/jobs/{job_id}"))
    assert (page.status, page.all("section[aria-labelledby=decisions-title] table")) == (200, [])


def test_what_a_job_takes_is_shown_by_kind(client: TestClient, app: App) -> None:
    job_id = queue(app)
    section = "section[aria-labelledby=storage-title]"
    assert "Not yet" in Page(client.get(f"/jobs/{job_id}")).text(section)
    sizes = {"warc_bytes_total": 1_000, "output_bytes_total": 5_000_000, "tmp_bytes_total": 2_000}
    change(app, job_id, **sizes, tmp_non_warc_bytes_total=7, storage_scanned_at=NOON)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.texts(f"{section} dd")[:4] == ["1.0 kB", "5.0 MB", "2.0 kB", "7 bytes"]
    assert "3 May 2024, 12:00 UTC" in page.text(section)


def test_places_that_could_not_be_indexed_are_listed(client: TestClient, app: App) -> None:
    job_id = queue(app)
    with app.database.write() as session:
        warc_id = captures.add_warc_file(session, job_id, "health/job/warcs/a.warc.gz")
        broken = [Problem(1_000 * n, f"record {n} <is> damaged") for n in range(1, 31)]
        problems.replace_problems(session, job_id, warc_id, (0, 10**6), broken)
    change(app, job_id, index_problem_count=1_030)
    page = Page(client.get(f"/jobs/{job_id}"))
    assert page.text("#problems h2") == "1,030 problems in the WARC files"
    assert "The first 20 are listed." in page.text("#problems")
    assert page.texts("#problems tbody tr")[0] == "a.warc.gz1,000record 1 <is> damaged"
    assert len(page.all("#problems tbody tr")) == 20
    assert Page(client.get("/jobs")).links("tbody a")["1,030"] == f"/jobs/{job_id}#problems"


def test_a_job_without_problems_states_nothing_of_them(client: TestClient, app: App) -> None:
    assert not Page(client.get(f"/jobs/{queue(app)}")).all("#problems")


def test_a_paused_job_states_until_when(client: TestClient, app: App) -> None:
    job_id = queue(app)
    soon = datetime.now(UTC) + timedelta(hours=1)
    change(app, job_id, status="retryable", status_reason="the disk is full", not_before=soon)
    assert (
        f"not before {soon.day} {soon:%B} {soon.year}, {soon:%H:%M} UTC." in Page(client.get(f"/jobs/{job_id}")).text()
    )


@pytest.mark.parametrize(("status", "after"), [("failed", "↻ Will be tried again"), ("index_failed", "▸ Crawled")])
def test_a_job_that_failed_is_tried_again_where_it_failed(
    client: TestClient, app: App, status: str, after: str
) -> None:
    job_id = queue(app)
    change(app, job_id, status=status)
    assert Page(client.get(f"/jobs/{job_id}")).one("#progress form").attributes["action"] == f"/jobs/{job_id}/retry"
    page = Page(client.post(f"/jobs/{job_id}/retry", headers=OWN_ORIGIN))
    assert page.status == 200
    assert page.text("#progress .lead").startswith(after)


def test_what_did_not_fail_is_not_tried_again(make_client: MakeClient, app: App) -> None:
    page = Page(make_client().post(f"/jobs/{queue(app)}/retry", headers=OWN_ORIGIN))
    assert page.status == 409
    assert "only failed and index_failed" in page.text()


def with_temporary_files(app: App) -> tuple[int, Path]:
    """Return a job that is done and whose crawler left something behind."""
    keep(app, [Answer(SITE, "Front", "Hello.")])
    with app.database.read() as session:
        job_id = catalog.jobs(session)[0][0].id
    temporary = folder(app, job_id) / ".tmpabc"
    temporary.mkdir()
    (temporary / "pages.jsonl").write_bytes(b"x" * 2_000)
    return job_id, temporary


def test_what_would_be_deleted_is_shown_first(client: TestClient, app: App) -> None:
    job_id, temporary = with_temporary_files(app)
    assert f"/jobs/{job_id}/cleanup" in Page(client.get(f"/jobs/{job_id}")).links().values()
    plan = Page(client.get(f"/jobs/{job_id}/cleanup"))
    assert plan.text("h1") == "Clean up"
    assert "would free 2.0 kB. Nothing has been deleted yet." in plan.text(".lead")
    assert plan.texts(".brief li") == [".tmpabc 2.0 kB"]
    assert plan.text("main button") == "Delete 2.0 kB"
    assert temporary.exists()
    mode = plan.one("input[name=mode]").attributes["value"]
    done = Page(client.post(f"/jobs/{job_id}/cleanup", data={"mode": mode or ""}, headers=OWN_ORIGIN))
    assert done.text("h1") == "Cleaned up"
    assert not temporary.exists()
    assert stored(app, job_id).cleanup_status == "temp_cleaned"
    assert "Cleaned up" in Page(client.get(f"/jobs/{job_id}")).texts(".about-list dt")


def test_a_job_that_left_nothing_has_nothing_to_clean_up(client: TestClient, app: App) -> None:
    keep(app, [Answer(SITE, "Front", "Hello.")])
    with app.database.read() as session:
        job_id = catalog.jobs(session)[0][0].id
    folder(app, job_id)
    page = Page(client.get(f"/jobs/{job_id}/cleanup"))
    assert "has no temporary files" in page.text(".lead")
    assert not page.all("main form")


def test_a_job_under_way_cannot_be_cleaned_up(make_client: MakeClient, app: App) -> None:
    job_id = queue(app)
    folder(app, job_id)
    assert not Page(make_client().get(f"/jobs/{job_id}")).all("a[href$=cleanup]")
    for page in (
        Page(make_client().get(f"/jobs/{job_id}/cleanup")),
        Page(make_client().post(f"/jobs/{job_id}/cleanup", data={"mode": "temp"}, headers=OWN_ORIGIN)),
    ):
        assert page.status == 409
        assert f"job {job_id} is queued" in page.text(".notice")
        assert not page.all("main button")


@pytest.mark.parametrize("order", ["retry", "cleanup"])
def test_commands_are_accepted_from_our_own_pages_and_administrators_only(
    make_client: MakeClient, app: App, order: str
) -> None:
    job_id, temporary = with_temporary_files(app)
    path, data = f"/jobs/{job_id}/{order}", {"mode": "temp"}
    for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert make_client().post(path, data=data, headers=headers).status_code == 403
    assert make_client(token=TOKEN).post(path, data=data, headers=OWN_ORIGIN).status_code == 403
    assert make_client(token=TOKEN).get(path).status_code in {403, 405}
    assert temporary.exists()
    assert stored(app, job_id).status == "indexed"


@pytest.mark.parametrize("path", ["/jobs/77/cleanup", "/jobs/77"])
def test_a_job_that_is_not_there_has_no_page(make_client: MakeClient, path: str) -> None:
    assert Page(make_client().get(path)).status == 404
