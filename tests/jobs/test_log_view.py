from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webstrata.jobs.progress.log_view import LONGEST_LINE, log_tail
from webstrata.logs import HIDDEN
from webstrata.model.archive import JobView
from webstrata.storage.combined_log import INITIAL_CRAWL, combined_log_name

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)
EARLIER = combined_log_name(INITIAL_CRAWL, 1, NOON)
LATER = combined_log_name(INITIAL_CRAWL, 2, NOON + timedelta(hours=1))


@pytest.fixture
def job(tmp_path: Path) -> JobView:
    """A job with a folder and nothing in it."""
    unknown = dict.fromkeys(JobView.__dataclass_fields__)
    return JobView(**unknown | {"id": 3, "output_dir": str(tmp_path), "config": {}})  # type: ignore[arg-type]


def write(folder: str | Path, name: str, text: str) -> Path:
    path = Path(folder) / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(job: JobView, *secrets: str) -> tuple[str, ...]:
    found = log_tail(job, secrets)
    assert found is not None
    return found.lines


def test_a_job_without_a_log_or_a_folder_has_none(job: JobView) -> None:
    for folder in (job.output_dir, "", "/nowhere"):
        assert log_tail(replace(job, output_dir=folder)) is None


def test_the_newest_log_is_read_unless_another_is_on_record(job: JobView) -> None:
    earlier = write(job.output_dir, EARLIER, "one\n")
    write(job.output_dir, LATER, "two\n")
    assert lines(job) == ("two",)
    assert lines(replace(job, combined_log_path=str(earlier))) == ("one",)
    assert lines(replace(job, combined_log_path=EARLIER)) == ("one",)
    assert lines(replace(job, combined_log_path="gone.combined.log")) == ("two",)


def test_a_log_outside_of_the_jobs_folder_is_never_read(job: JobView, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = write(tmp_path_factory.mktemp("other"), "secret.txt", "not for you\n")
    (Path(job.output_dir) / "link.log").symlink_to(outside)
    for path in (str(outside), "link.log", f"../{outside.parent.name}/secret.txt"):
        assert log_tail(replace(job, combined_log_path=path)) is None


def test_secrets_do_not_show(job: JobView) -> None:
    command = 'connect --key "abc def"'
    told = replace(job, config={"tool_options": {"vpn_connect_command": command}})
    write(
        job.output_dir,
        EARLIER,
        f'ran {command}\n{{"ran":"connect --key \\"abc def\\""}}\ntoken hunter2 given\npostgresql://me:pw@db/x\n',
    )
    shown = lines(told, "hunter2", "")
    assert shown == (
        f"ran {HIDDEN}",
        f'{{"ran":"{HIDDEN}"}}',
        f"token {HIDDEN} given",
        f"postgresql://me:{HIDDEN}@db/x",
    )


def test_a_log_is_shown_in_bounds_and_cannot_command_anything(job: JobView) -> None:
    write(job.output_dir, EARLIER, "\x1b[2Jred\u202e\n" + "x" * 5_000 + "\n" + "last\n")
    clear, long, last = lines(job)
    assert clear == "\\x1b[2Jred\\u202e"
    assert len(long) == LONGEST_LINE + 1
    assert last == "last"
    write(job.output_dir, EARLIER, "".join(f"{n}\n" for n in range(5_000)))
    assert lines(job) == tuple(str(n) for n in range(4_800, 5_000))
