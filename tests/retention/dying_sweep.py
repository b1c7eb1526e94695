"""Sweep and clean up in processes that are killed before each of their steps in turn; report what was untrue then."""

import json
import os
import sys
from pathlib import Path

from sqlalchemy import event, func, select

from tests.retention.dying_deletion import Fuse
from tests.retention.rows import DAY, NOW, add_row
from tests.retention.test_artifact_cleanup import SESSION, store
from webstrata.db.engine import Database
from webstrata.db.retention import artifacts
from webstrata.db.schema.asset_tables import AssetBlob
from webstrata.db.schema.collection_tables import HaulRow
from webstrata.logs import configure_logging
from webstrata.retention.artifact_cleanup import clean_up_artifacts
from webstrata.retention.sweep import run_manual_pass
from webstrata.storage.disk import DiskStore


def fill(database: Database, root: Path, round_number: int) -> None:
    """Add an unreferenced blob, an artifact and a row, all expired, and one of each that stays."""
    for number, at in enumerate((NOW - 999 * DAY, NOW)):
        name = f"{round_number}-{number}"
        digest = DiskStore(root / "assets").put(name.encode())
        with database.write() as session:
            session.add(AssetBlob(digest=digest, size=len(name), created_at=at))
        store(database, root / "artifacts", f"a/{name}.html.gz", at)
        add_row(database, "hauls", at, name)


def sweep(database: Database, root: Path) -> None:
    run_manual_pass(database, NOW, dry_run=False, archive_root=root)
    clean_up_artifacts(database, root / "artifacts", NOW, batch_size=100, dry_run=False)


def dies(url: str, root: Path, steps: int) -> bool:
    child = os.fork()
    if child == 0:
        database, fuse = Database(url), Fuse(steps)
        event.listen(database.engine, "commit", fuse.burn)
        sys.addaudithook(fuse.audit)
        sweep(database, root)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def untrue(database: Database, root: Path) -> tuple[list[str], list[str]]:
    """Return the rows whose file is gone, and the files that no row knows, or knows as deleted."""
    blobs = {path.name for path in (root / "assets").rglob("*") if path.is_file()}
    pages = {f"a/{path.name}" for path in (root / "artifacts" / "a").iterdir()}
    with database.read() as session:
        digests = set(session.scalars(select(AssetBlob.digest)))
        stored = artifacts.artifacts_of_session(session, SESSION)
    known = {one.storage_uri for one in stored if one.deleted_at is None}
    return sorted((digests | known) - blobs - pages), sorted((blobs | pages) - digests - known)


def run(url: str, root: Path) -> dict[str, object]:
    database, wrong, steps, killed = Database(url), [], 0, True
    while killed:
        steps += 1
        fill(database, root, steps)
        killed = dies(url, root, steps)
        without_file, without_row = untrue(database, root)
        # The one that was being deleted: its file goes first, so the next pass makes its row true.
        if len(without_file) > 1 or without_row:
            wrong.append([steps, without_file, without_row])
        if steps % 10 == 0:
            sweep(database, root)
    sweep(database, root)
    with database.read() as session:
        left = [session.scalar(select(func.count()).select_from(table)) for table in (AssetBlob, HaulRow)]
        gone = [one for one in artifacts.artifacts_of_session(session, SESSION) if one.deleted_at is not None]
    at_the_end = untrue(database, root)
    return {"steps": steps, "wrong": wrong, "end": at_the_end, "left": left, "gone": len(gone)}


if __name__ == "__main__":
    configure_logging(level="CRITICAL")
    sys.stdout.write(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
