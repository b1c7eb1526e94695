"""What a worker starts: it says in one line what is wrong, and loads only what its stage needs."""

import subprocess
import sys

import pytest

from webstrata.cli.worker_children import run

FOR_PEOPLE = {"typer", "fastapi", "jinja2", "granian", "alembic.command"}
CRAWL, INDEX = "webstrata.crawl.engine", "webstrata.index.pipeline"
SHOWN = "import sys; {}; print(*sys.modules)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["index-job", "--tied"], "the following arguments are required: --id"),
        (["index-job", "--id", "x", "--tied"], "argument --id: invalid int value: 'x'"),
        (["index-job", "--id", "1", "--tied", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["list-jobs", "--id", "1", "--tied"], "invalid choice: 'list-jobs'"),
    ],
)
def test_a_call_that_makes_no_sense_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith("webstrata: ")
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("loading", "needed", "not_needed"),
    [
        (
            "from webstrata.cli import worker_children; from webstrata.jobs.running import lifecycle, indexing",
            INDEX,
            CRAWL,
        ),
        (
            "import webstrata.archive_tool.native, webstrata.jobs.running.lifecycle, webstrata.jobs.running.crawling",
            CRAWL,
            INDEX,
        ),
    ],
)
def test_a_stage_loads_neither_the_other_one_nor_what_only_people_need(
    loading: str, needed: str, not_needed: str
) -> None:
    done = subprocess.run([sys.executable, "-c", SHOWN.format(loading)], capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    assert needed in loaded
    assert not {not_needed, *FOR_PEOPLE} & loaded
