"""Plugins as a part of a job: they see what was captured, and cost the job nothing."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.support.stored_assets import assets_of_source
from tests.support.web_server import WebServer, page
from webstrata.assets.plugin import CapturedContent, NormalizedAsset
from webstrata.assets.registry import PluginRegistry
from webstrata.db.queue import jobs
from webstrata.errors import UsageError
from webstrata.jobs.running.lifecycle import Runner
from webstrata.jobs.running.queueing import queue_archive
from webstrata.model.jobs.job import JobStatus


class Broken:
    """A plugin that fails on every page."""

    name = "broken"

    def supports(self, asset_type: str) -> bool:
        return True

    def normalize(self, content: CapturedContent) -> Iterable[NormalizedAsset]:
        raise RuntimeError("no")


def archived(runner: Runner, web_server: WebServer, **told: object) -> JobStatus:
    job_id = queue_archive(runner.database, runner.archive_root, (web_server.url(),), **told)  # type: ignore[arg-type]
    return runner.run(job_id).status


def found(runner: Runner) -> list[tuple[str, int]]:
    with runner.database.read() as session:
        source = jobs.load_job(session, 1).source_id
        return sorted((asset.plugin, asset.version) for asset in assets_of_source(session, source))


def test_a_job_leaves_assets_and_a_changed_page_a_new_version(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home", text="first")
    assert archived(runner, web_server) is JobStatus.INDEXED
    assert found(runner) == [("page", 1)]
    web_server.answers["/"] = page("Home", text="second")
    assert archived(runner, web_server) is JobStatus.INDEXED
    assert found(runner) == [("page", 2)]


def test_a_plugin_that_fails_costs_the_job_nothing(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    registry = PluginRegistry()
    registry.register(Broken())
    assert archived(replace(runner, plugins=registry), web_server) is JobStatus.INDEXED
    assert found(runner) == [("page", 1)]


def test_a_job_runs_only_the_plugins_that_it_names(runner: Runner, web_server: WebServer) -> None:
    web_server.answers["/"] = page("Home")
    archived(runner, web_server, plugins=("media",))
    assert found(runner) == []


def test_an_unknown_plugin_is_named_before_anything_is_fetched(runner: Runner, web_server: WebServer) -> None:
    with pytest.raises(UsageError, match="pages"):
        archived(runner, web_server, plugins=("pages",))
    assert web_server.requests == []
