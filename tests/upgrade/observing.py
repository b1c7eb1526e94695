"""What users see of an archive: through the program's commands, its API and its files, and nothing else."""

import dataclasses
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.program import Program, free_port
from tests.support.waiting import wait_until
from tests.upgrade.site import EDITIONS

ADMIN_TOKEN = "upgrade"


@dataclasses.dataclass(frozen=True)
class ObservedArchive:
    """An archive's data folder and database, and the program over them."""

    data: Path
    database_url: str

    @property
    def program(self) -> Program:
        """Return the program with the settings that lead to this archive."""
        settings = {"WEBSTRATA_DATABASE_URL": self.database_url, "WEBSTRATA_ADMIN_TOKEN": ADMIN_TOKEN}
        return Program(self.data, settings)

    def run(self, *arguments: str) -> str:
        """Run a command that must succeed and return what it prints."""
        done = self.program.run(*arguments)
        assert done.returncode == 0, f"webstrata {' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Run a command with --json and return what it prints, parsed."""
        return json.loads(self.run(*arguments, "--json"))

    @contextmanager
    def served(self) -> Iterator[httpx.Client]:
        """Serve the archive while the block runs; no worker, which would crawl what is due."""
        port = free_port()
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        with (
            self.program.started("serve", "--no-worker", "--port", str(port)) as server,
            httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30) as client,
        ):
            wait_until(lambda: _is_ready(client), f"the archive is served\n{server.output}", 60)
            yield client


def snapshot_of(client: httpx.Client, snapshot_id: int) -> dict[str, Any]:
    """Return what identifies a snapshot."""
    found = _get(client, f"/api/snapshot/{snapshot_id}")
    return {
        "id": found["id"],
        "url": found["originalUrl"],
        "captured": found["captureTimestamp"],
        "status": found["statusCode"],
        "type": found["mimeType"],
    }


def shows(client: httpx.Client, snapshot_id: int, archived: bytes) -> bool:
    """Tell whether a snapshot is shown as exactly the archived bytes, but for a banner in one place."""
    response = client.get(f"/api/snapshots/raw/{snapshot_id}")
    response.raise_for_status()
    pairs = enumerate(zip(response.content, archived, strict=False))
    banner = next((place for place, (shown, sent) in pairs if shown != sent), len(archived))
    return len(response.content) >= len(archived) and response.content.endswith(archived[banner:])


def archived_body(edition: str, url: str) -> bytes:
    """Return the body that a site sent, without its content encoding."""
    response = EDITIONS[edition][url]
    is_packed = ("Content-Encoding", "gzip") in response.headers
    return gzip.decompress(response.body) if is_packed else response.body


def first_hit(client: httpx.Client, search: Mapping[str, str]) -> dict[str, Any]:
    """Return the id and the URL of the first result of a search; nothing when nothing is found."""
    results = _get(client, "/api/search", **search)["results"]
    return {"id": results[0]["id"], "url": results[0]["originalUrl"]} if results else {}


def totals(client: httpx.Client) -> dict[str, int]:
    """Return what the archive counts."""
    found = _get(client, "/api/stats")
    return {name: found[name] for name in ("snapshotsTotal", "pagesTotal", "sourcesTotal")}


def editions(client: httpx.Client, source: str) -> list[list[Any]]:
    """Return a source's jobs that are indexed, newest first: id, name, number of captures, days of first and last."""
    shown = ("jobId", "jobName", "recordCount", "firstCapture", "lastCapture")
    return [[job[name] for name in shown] for job in _get(client, f"/api/sources/{source}/editions")]


def timeline(client: httpx.Client, snapshot_id: int) -> list[int]:
    """Return the captures of a snapshot's page, oldest first."""
    return [capture["snapshotId"] for capture in _get(client, f"/api/snapshots/{snapshot_id}/timeline")["snapshots"]]


def latest(client: httpx.Client, snapshot_id: int) -> int:
    """Return the newest good capture of a snapshot's page."""
    return int(_get(client, f"/api/snapshots/{snapshot_id}/latest")["snapshotId"])


def report(client: httpx.Client, report_id: int) -> dict[str, Any]:
    """Return what a reader reported, and what an administrator made of it."""
    return dict(_get(client, f"/api/admin/reports/{report_id}"))


def sources(archive: ObservedArchive) -> list[dict[str, Any]]:
    """Return the sources with their schedules."""
    shown = ("code", "name", "base_url", "description", "enabled", "schedule", "schedule_paused", "next_run_at")
    return [{name: source[name] for name in (*shown, "page_parameters")} for source in archive.json("sources")]


def jobs(archive: ObservedArchive) -> list[list[Any]]:
    """Return the jobs, oldest first: id, source, name, status."""
    found = archive.json("list-jobs")
    return sorted([job["id"], job["source_code"], job["name"], job["status"]] for job in found)


def audit_log(archive: ObservedArchive) -> list[list[Any]]:
    """Return who changed what, oldest first."""
    found = archive.json("audit-log", "--limit", "1000")
    return sorted([entry["id"], entry["at"], entry["actor"], entry["action"], entry["target"]] for entry in found)


def asset_bytes(archive: ObservedArchive) -> int:
    """Return how many bytes the assets of all sources take, as the database knows it."""
    return int(archive.json("storage")["asset_bytes"])


def warc_digests(data: Path) -> dict[str, str]:
    """Return the SHA-256 of every WARC file."""
    found = [*data.rglob("*.warc"), *data.rglob("*.warc.gz")]
    return {file.relative_to(data).as_posix(): _sha256(file) for file in found}


def asset_digests(data: Path) -> set[str]:
    """Return the SHA-256 of every file in the asset store."""
    return {_sha256(file) for file in (data / "archive" / "assets").rglob("*") if file.is_file()}


def journals(data: Path) -> dict[str, bytes]:
    """Return the journals in which the ids of captures and snapshots are promised."""
    return {file.relative_to(data).as_posix(): file.read_bytes() for file in data.rglob("*.cdxj")}


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _get(client: httpx.Client, path: str, **parameters: str) -> Any:
    response = client.get(path, params=parameters)
    assert response.status_code == 200, f"{response.url}: {response.status_code} {response.text}"
    return response.json()


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/api/health").status_code == 200
    except httpx.TransportError:
        return False
