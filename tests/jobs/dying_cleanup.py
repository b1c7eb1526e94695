"""A cleanup that is killed before each of its steps in turn, then begun again; tells what was lost meanwhile."""

import json
import os
import signal
import sys
from pathlib import Path

from sqlalchemy import event

from tests.support.folders import ARCHIVE, CrawledFolder
from webstrata.db.engine import Database
from webstrata.errors import WebstrataError
from webstrata.jobs.folders.cleanup import cleanup_job
from webstrata.logs import configure_logging
from webstrata.warc.adopting import adopt_warcs_for_job

STEPS = {"os.link", "os.remove", "os.rmdir", "os.mkdir", "os.rename"}
MORE_THAN_ENOUGH = 200


class Fuse:
    """Kills this process before its nth step that others could notice."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def burn(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(self, name: str, _arguments: object) -> None:
        if name in STEPS:
            self.burn()


def made(database: Database, root: Path, number: int) -> tuple[CrawledFolder, list[int]]:
    """Make a job with two temporary folders that hold files of the same name."""
    folder = CrawledFolder.made(database, root, root / "hc" / f"job-{number}")
    pages = folder.warc(f".tmpa/{ARCHIVE}/one.warc.gz", f"https://example.org/{number}/a", body="a")
    pages += folder.warc(".tmpb/one.warc.gz", f"https://example.org/{number}/b", body="b")
    folder.state(".tmpa", ".tmpb")
    return folder, pages


def survives(url: str, root: Path, job_id: int, steps: int) -> bool:
    child = os.fork()
    if child == 0:
        database, fuse = Database(url), Fuse(steps)
        event.listen(database.engine, "commit", fuse.burn)
        sys.addaudithook(fuse.audit)
        cleanup_job(database, root, job_id, mode="temp-nonwarc")
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def problems_of(folder: CrawledFolder, pages: list[int]) -> list[str]:
    try:
        shown = [folder.shown(page) for page in pages]
    except WebstrataError as error:
        return [str(error)]
    return [] if shown == [b"a", b"b"] else [f"shown: {shown}"]


def unfinished(folder: CrawledFolder) -> list[str]:
    expected = ["warcs/one.warc.gz", "warcs/tmpb/one.warc.gz"]
    found = (folder.files(), folder.row().cleanup_status, folder.row().state_file_path)
    return [] if found == (expected, "temp_cleaned", None) else [str(found)]


class Job:
    """A job, as those who look for its files know it."""

    def __init__(self, folder: CrawledFolder) -> None:
        self.id = folder.job_id
        self.output_dir = str(folder.output)


def run(url: str, root: Path, stride: int) -> dict[str, object]:
    database, wrong = Database(url), []
    for steps in range(1, MORE_THAN_ENOUGH, stride):
        folder, pages = made(database, root, steps)
        survived = survives(url, root, folder.job_id, steps)
        found = problems_of(folder, pages)
        found += [
            f"taken up twice: {adopted}"
            for adopted in adopt_warcs_for_job(Job(folder), database=database, archive_root=root)
        ]
        cleanup_job(database, root, folder.job_id, mode="temp-nonwarc")
        found += problems_of(folder, pages) + unfinished(folder)
        wrong += [f"killed before step {steps}: {problem}" for problem in found]
        if survived:
            return {"steps": steps, "wrong": wrong}
    return {"steps": MORE_THAN_ENOUGH, "wrong": wrong}


if __name__ == "__main__":
    configure_logging(level="ERROR")
    sys.stdout.write(json.dumps(run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
