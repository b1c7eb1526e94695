"""Sources that jobs are made from, and the jobs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webstrata.db.engine import Database
from webstrata.db.queue import jobs
from webstrata.db.sources import sources
from webstrata.db.sources.sources import NewSource
from webstrata.errors import ConflictError, NotFoundError, OptionsError, StorageError, UsageError
from webstrata.jobs.sources.registry import (
    Added,
    Overlap,
    add_source,
    create_job_for_source,
    import_sources,
    make_job,
    seed_sources,
)
from webstrata.jobs.sources.source_files import read_source_file
from webstrata.model.jobs.job import ArchiveJobConfig
from webstrata.model.jobs.registry import SourceJobConfig, SourceView

NOON = datetime(2025, 12, 9, 21, 9, 11, tzinfo=UTC)
SITE = "https://example.org/"


def view(database: Database, code: str) -> SourceView:
    with database.read() as session:
        return sources.source_view(session, code)


def entry(database: Database, code: str) -> SourceJobConfig:
    with database.read() as session:
        return sources.registry_entry(session, code)


def config_of(database: Database, job_id: int) -> ArchiveJobConfig:
    with database.read() as session:
        return jobs.load_job(session, job_id).config


def add(database: Database, code: str = "example", **values: object) -> None:
    plain = SourceJobConfig.plain(code, (SITE,))
    new = SourceJobConfig(code, plain.name_template, (SITE,), **values)  # type: ignore[arg-type]
    add_source(database, NewSource(new, name="Example", base_url=SITE), NOON)


def test_the_baseline_is_added_once_and_its_first_run_is_not_at_once(database: Database) -> None:
    shared = Overlap("phac", ("hc",))
    assert seed_sources(database, NOON) == Added(added=("hc", "phac", "cihr"), kept=(), overlaps=(shared,))
    assert seed_sources(database, NOON) == Added(added=(), kept=("hc", "phac", "cihr"))
    with database.read() as session:
        found = sources.list_sources(session)
        assert sources.due_sources(session, NOON) == []
    assert [(source.code, source.schedule) for source in found] == [
        ("cihr", "monthly"),
        ("hc", "monthly"),
        ("phac", "monthly"),
    ]
    assert {source.next_run_at for source in found} == {NOON.replace(year=2026, month=1)}


def test_seeding_again_leaves_what_a_person_changed(database: Database) -> None:
    seed_sources(database, NOON)
    with database.write() as session:
        sources.set_schedule(session, "hc", "1d", NOON)
        sources.set_schedule(session, "phac", None, NOON)
        sources.set_enabled(session, "cihr", False)
    before = [view(database, code) for code in ("hc", "phac", "cihr")]
    seed_sources(database, NOON + timedelta(days=400))
    assert [view(database, code) for code in ("hc", "phac", "cihr")] == before


def test_seeding_completes_a_source_that_was_archived_without_an_entry(database: Database) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "hc", name="My name for it", base_url=SITE)
    assert seed_sources(database, NOON).kept == ("hc",)
    assert view(database, "hc").name == "My name for it"
    assert view(database, "hc").schedule is None
    assert entry(database, "hc").default_seeds == ["https://www.canada.ca/en/health-canada.html"]


def test_a_job_is_made_from_its_sources_entry(database: Database, root: Path) -> None:
    seed_sources(database, NOON)
    with database.write() as session:
        job = create_job_for_source("hc", session=session, archive_root=root, now=NOON)
        folder = root / "hc" / "20251209T210911Z__hc-20251209"
        assert (job.name, job.output_dir, job.status) == ("hc-20251209", str(folder), "queued")
        assert job.queued_at == NOON
        assert folder.is_dir()
        assert job.config
        assert job.config["seeds"] == ["https://www.canada.ca/en/health-canada.html"]
        assert job.config["tool_options"]["relax_perms"] is True
        job_id = job.id
    config = config_of(database, job_id)
    assert config.rules.admits("https://www.canada.ca/en/health-canada/services/drugs.html")
    assert config.rules.admits("https://www.canada.ca/etc/designs/canada/wet-boew/css/theme.min.css")
    assert not config.rules.admits("https://www.canada.ca/en/revenue-agency.html")
    with database.read() as session:
        assert jobs.next_in_line(session, NOON) == job_id


def test_two_jobs_of_one_second_do_not_share_a_folder(database: Database, root: Path) -> None:
    seed_sources(database, NOON)
    with database.write() as session:
        made = [create_job_for_source("hc", session=session, archive_root=root, now=NOON) for _ in range(2)]
        assert [Path(job.output_dir).name for job in made] == [
            "20251209T210911Z__hc-20251209",
            "20251209T210911Z__hc-20251209-2",
        ]


def test_a_job_may_get_more_seeds_and_other_options(database: Database, root: Path) -> None:
    add(database, crawl={"max_pages": 3})
    made = make_job(database, root, "example", extra_seeds=[f"{SITE}fr/"], overrides={"max_depth": 1, "cleanup": True})
    config = config_of(database, made.id)
    assert config.seeds == (SITE, f"{SITE}fr/")
    assert config.crawl == {"max_pages": 3, "max_depth": 1}
    assert config.options.cleanup is True
    assert made.beside == ()
    assert make_job(database, root, "example").beside == (made.id,)


def test_options_that_do_not_go_together_make_no_job_and_no_folder(database: Database, root: Path) -> None:
    add(database)
    with pytest.raises(OptionsError, match="needs enable_monitoring"):
        make_job(database, root, "example", overrides={"enable_adaptive_workers": True})
    assert view(database, "example").jobs == 0
    assert not root.exists()


def test_an_unknown_source_is_refused_with_the_known_ones_and_the_way_to_add_it(database: Database, root: Path) -> None:
    with pytest.raises(NotFoundError, match=r"there is no source 'hc' \(there is none yet\); add it") as refused:
        make_job(database, root, "hc")
    assert refused.value.command.startswith("webstrata sources add hc https://example.org/, or the baseline")
    assert refused.value.command.endswith("webstrata seed-sources")
    seed_sources(database, NOON)
    with pytest.raises(NotFoundError, match=r"there is no source 'x' \(known are cihr, hc, phac\)") as refused:
        make_job(database, root, "x")
    assert refused.value.command == "webstrata sources add x https://example.org/"


def test_no_job_is_made_of_a_disabled_source(database: Database, root: Path) -> None:
    add(database)
    with database.write() as session:
        sources.set_enabled(session, "example", False)
    with pytest.raises(ConflictError, match="example is disabled") as refused:
        make_job(database, root, "example")
    assert refused.value.command == "webstrata sources enable example"


def test_a_folder_that_cannot_be_made_is_reported_and_no_job_is_left(database: Database, root: Path) -> None:
    add(database)
    root.parent.mkdir(exist_ok=True)
    root.write_text("a file where the archive should be")
    with pytest.raises(StorageError, match=str(root)):
        make_job(database, root, "example")
    assert view(database, "example").jobs == 0


def test_without_an_entry_the_next_job_is_like_the_last(database: Database, root: Path) -> None:
    with database.write() as session:
        source_id = jobs.ensure_source(session, "site", name="Site", base_url=SITE)
        config = ArchiveJobConfig((f"{SITE}a",), {"max_pages": 2}, {"deny_paths": ("/x",)}, ("page",))
        jobs.add_job(session, source_id, name="x", output_dir="", config=config, queued_at=NOON)
    made = config_of(database, make_job(database, root, "site").id)
    assert (made.seeds, made.crawl, made.scope, made.plugins) == (
        config.seeds,
        config.crawl,
        config.scope,
        config.plugins,
    )


def test_without_an_entry_and_a_job_the_sources_address_is_where_to_begin(database: Database, root: Path) -> None:
    with database.write() as session:
        jobs.ensure_source(session, "site", name="Site", base_url=SITE)
        jobs.ensure_source(session, "nowhere", name="Nowhere", base_url=None)
    assert config_of(database, make_job(database, root, "site").id).seeds == (SITE,)
    with pytest.raises(UsageError, match="nowhere has no seed"):
        make_job(database, root, "nowhere")
    made = make_job(database, root, "nowhere", extra_seeds=[f"{SITE}b"])
    assert config_of(database, made.id).seeds == (f"{SITE}b",)


def test_a_source_is_added_once(database: Database) -> None:
    add(database, schedule_hint="7d")
    assert view(database, "example").next_run_at == NOON, "a source that somebody wants scheduled is due at once"
    with pytest.raises(ConflictError, match="there is a source example already"):
        add(database)


def test_a_source_that_no_job_could_be_made_of_is_not_added(database: Database) -> None:
    with pytest.raises(UsageError, match="'often' is not a schedule"):
        add(database, schedule_hint="often")
    with database.read() as session:
        assert sources.list_sources(session) == []


WHOLE = """\
example:
  name: The example site
  description: What it is.
  seeds: [example.org, "https://example.org/fr/"]
  schedule: "0 3 * * 1"
  crawl: {max_pages: 5000, per_host_delay: 2}
  scope: {allow_paths: [/news/], deny_paths: ["*.zip$"]}
  plugins: [page]
  page_parameters: [lang, id]
  name_template: "ex-{date:%Y}"
  tool_options: {initial_workers: 2}
other:
  seeds: [https://other.example/]
  tool_options: {engine: zimit}
  zimit_passthrough_args: [--lang, en]
"""


def test_sources_are_read_from_a_file(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text(WHOLE)
    assert import_sources(database, file, NOON) == Added(added=("example", "other"), kept=())
    assert import_sources(database, file, NOON) == Added(added=(), kept=("example", "other"))
    seen = view(database, "example")
    assert (seen.name, seen.description, seen.base_url) == ("The example site", "What it is.", SITE)
    assert (seen.schedule, seen.page_parameters) == ("0 3 * * 1", ("id", "lang"))
    assert seen.next_run_at == datetime(2025, 12, 15, 3, tzinfo=UTC)
    assert entry(database, "example").to_json() == {
        "name_template": "ex-{date:%Y}",
        "default_seeds": [SITE, f"{SITE}fr/"],
        "default_zimit_passthrough_args": [],
        "default_tool_options": {"initial_workers": 2},
        "schedule_hint": "0 3 * * 1",
        "crawl": {"max_pages": 5000, "per_host_delay": 2},
        "scope": {"allow_paths": ["/news/"], "deny_paths": ["*.zip$"]},
        "plugins": ["page"],
    }
    assert view(database, "other").name == "other.example"
    other = entry(database, "other")
    assert (other.default_zimit_passthrough_args, other.default_tool_options) == (["--lang", "en"], {"engine": "zimit"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n  seed: [x.org]\n", ":2: unknown key 'seed' in a (did you mean seeds?)"),
        ("a:\n  name: A\n", ":2: a needs seeds"),
        ("a:\n  seeds: []\n", ":2: a needs seeds"),
        ("a:\n  seeds: [x.org]\nA B:\n  seeds: [x.org]\n", ":3: 'A B' is not a source's code"),
        ("a:\n  seeds: [x.org]\na:\n  seeds: [x.org]\n", ":3: a is given twice in a file of sources"),
        ("a:\n  seeds: [x.org]\n  schedule: soon\n", ":3: 'soon' is not a schedule"),
        ("a:\n  seeds: [x.org]\n  crawl:\n    max_pages: 0\n", ":4: a job's max_pages cannot be 0"),
        ("a:\n  seeds: [x.org]\n  tool_options:\n    cleanup: 1\n", ":4: tool_options.cleanup must be true or false"),
        (
            "a:\n  seeds: [x.org]\n  tool_options:\n    enable_vpn_rotation: true\n",
            ":4: enable_vpn_rotation needs enable_monitoring",
        ),
        ("a:\n  seeds: [x.org]\n  scope: {allow_paths: [x]}\n", ":3: 'x' is not a path pattern"),
        ("a:\n  seeds: [x.org]\n  name_template: '../x'\n", ":3: '../x' is not a template"),
        ("a:\n  seeds: [x.org]\n  page_parameters: ['a b']\n", ":3: 'a b' is not the name of a query parameter"),
        ("[a]\n", ":1: a file of sources must be a mapping, not a list"),
        ("a: x\n", ":1: a must be a mapping, not 'x'"),
        ("", ":1: the file is empty"),
    ],
)
def test_what_should_not_be_in_a_file_is_refused_with_its_position(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_source_file(file)
    assert str(refused.value).startswith(f"{file}{said}")


def test_a_file_is_imported_whole_or_not_at_all(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("good:\n  seeds: [x.org]\nbad:\n  seeds: [x.org]\n  schedule: soon\n")
    with pytest.raises(UsageError, match=r"sources\.yaml:5: 'soon' is not a schedule"):
        import_sources(database, file, NOON)
    with database.read() as session:
        assert sources.list_sources(session) == []
