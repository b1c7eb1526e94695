"""Delete a source in processes that are killed before each of their steps in turn; report what the next try left."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from sqlalchemy import event, func, select

from webstrata.db.engine import Database
from webstrata.db.schema.retention_tables import Tombstone
from webstrata.db.schema.tables import ArchiveJob, Capture, Source
from webstrata.jobs.folders.manifest import read_manifests
from webstrata.jobs.packages.integrity import verify_archive
from webstrata.jobs.sources.source_deletion import delete_source
from webstrata.logs import configure_logging

STEPS = {"os.remove", "os.rmdir", "os.rename"}
MORE_THAN_ENOUGH = 300


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


def survives(url: str, root: Path, name: str, steps: int) -> bool:
    child = os.fork()
    if child == 0:
        database, fuse = Database(url), Fuse(steps)
        event.listen(database.engine, "commit", fuse.burn)
        sys.addaudithook(fuse.audit)
        delete_source(database, root, "one", name)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def problems(database: Database, root: Path, snapshots: int) -> list[str]:
    manifests = read_manifests(root)
    with database.read() as session:
        facts = {
            "sources": list(session.scalars(select(Source.code))) == ["two"],
            "captures": set(session.scalars(select(Capture.source_id))) == set(session.scalars(select(Source.id))),
            "jobs": set(session.scalars(select(ArchiveJob.source_id))) == set(session.scalars(select(Source.id))),
            "tombstones": session.scalar(select(func.count()).select_from(Tombstone)) == snapshots,
        }
    facts |= {
        "folder": not (root / "one").exists(),
        "manifests": "one" not in [source["code"] for source in manifests.sources] and len(manifests.jobs) == 1,
        "integrity": verify_archive(database, root, lambda _done, _total: None).findings == [],
    }
    return [name for name, holds in facts.items() if not holds]


def run(path: Path, root: Path, name: str, snapshots: int, stride: int) -> dict[str, object]:
    backup, url, wrong = root.with_name("backup"), f"sqlite:///{path}", []
    shutil.copytree(root, backup / "archive")
    shutil.copy(path, backup / "db")
    for steps in range(1, MORE_THAN_ENOUGH, stride):
        shutil.rmtree(root)
        shutil.copytree(backup / "archive", root)
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink()
        shutil.copy(backup / "db", path)
        survived = survives(url, root, name, steps)
        database = Database(url)
        with database.read() as session:
            is_there = session.scalar(select(Source.id).where(Source.code == "one")) is not None
        listed = any(source["code"] == "one" for source in read_manifests(root).sources)
        if is_there or listed:
            delete_source(database, root, "one", name)
        wrong += [f"killed before step {steps}: {problem}" for problem in problems(database, root, snapshots)]
        database.dispose()
        if survived:
            return {"steps": steps, "wrong": wrong}
    return {"steps": MORE_THAN_ENOUGH, "wrong": wrong}


if __name__ == "__main__":
    configure_logging(level="CRITICAL")
    file, folder, title, count, every = sys.argv[1:]
    sys.stdout.write(json.dumps(run(Path(file), Path(folder), title, int(count), int(every))))
