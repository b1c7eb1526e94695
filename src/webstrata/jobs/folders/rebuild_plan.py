"""The plan of a rebuild: sources and jobs from their manifests, or from the WARC files themselves."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from webstrata.db.sources.manifests import Facts
from webstrata.errors import NotFoundError, StorageError, WarcError
from webstrata.jobs.folders.manifest import JobManifest, read_manifests
from webstrata.model.jobs.job import JobStatus
from webstrata.warc.discovery import discover
from webstrata.warc.warcinfo import WarcOrigin, origin_of

_FOLDER = re.compile(r"(\d{8}T\d{6}Z)__(.+)")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class PlannedSource:
    """A source to be restored; without an id it gets a new one."""

    code: str
    id: int | None
    facts: Facts


@dataclass(frozen=True)
class PlannedJob:
    """A job to be restored; without an id it gets a new one."""

    id: int | None
    source_code: str
    output_dir: Path
    facts: Facts
    warc_files: tuple[Path, ...]

    @property
    def name(self) -> str:
        """Return the job's name."""
        return str(self.facts["name"])

    @property
    def goal(self) -> tuple[JobStatus, str | None]:
        """Return the job's final status, and the reason."""
        status = JobStatus(str(self.facts.get("status", JobStatus.INDEXED)))
        reason = self.facts.get("status_reason")
        has_files = bool(self.warc_files)
        return restored_status(status, str(reason) if reason else None, has_files=has_files, lost=self.lost)

    @property
    def lost(self) -> str | None:
        """Return which of the job's WARC files are missing, and what is lost with them; None when none is."""
        count = _count(self.facts, "warc_file_count")
        missing = count - len(self.warc_files)
        if missing <= 0:
            return None
        cleaned_at = self.facts.get("cleaned_at")
        by = f" (cleanup-job deleted its temporary files on {cleaned_at:%Y-%m-%d})" if cleaned_at else ""
        if self.warc_files:
            return f"{missing} of its {count} WARC files are missing{by}; their captures cannot be restored"
        pages = _count(self.facts, "indexed_page_count")
        what = f"its {pages:,} snapshots cannot" if pages else "nothing of it can"
        return f"its WARC files are missing{by}; {what} be restored"

    @property
    def loss(self) -> str | None:
        """Return a line for the report if the job is not restored completely and its folder exists."""
        status, reason = self.goal
        failed = reason if status is JobStatus.INDEX_FAILED else None
        what = self.lost or failed
        if what is None or not self.output_dir.exists():
            return None
        return f"job {self.id}: {what}" if self.id else f"{self.output_dir}: {what}"


@dataclass
class RebuildPlan:
    """The sources and jobs to be restored, and the problems of the files."""

    sources: list[PlannedSource] = field(default_factory=list)
    jobs: list[PlannedJob] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def losses(self) -> list[str]:
        """Return a line for each job that is not restored completely."""
        return [job.loss for job in self.jobs if job.loss]


def restored_status(
    status: JobStatus, reason: str | None, *, has_files: bool, lost: str | None = None
) -> tuple[JobStatus, str | None]:
    """Return the status of a job after a rebuild, from its status in the manifest, and the reason."""
    if status in (JobStatus.FAILED, JobStatus.STOPPED):
        return status, reason
    if status in (JobStatus.QUEUED, JobStatus.RETRYABLE, JobStatus.RUNNING):
        if not has_files:
            return JobStatus.QUEUED, None
        return JobStatus.STOPPED, "it was under way when the database was lost: resume-job continues it"
    if has_files:
        return JobStatus.INDEXED, None if status is JobStatus.INDEX_FAILED else reason
    if lost is not None or status is JobStatus.INDEX_FAILED:
        return JobStatus.INDEX_FAILED, lost or reason
    return JobStatus.INDEXED, reason


def plan_rebuild(archive_root: Path) -> RebuildPlan:
    """Return what can be restored from an archive root; an id that is claimed twice is replaced, and reported."""
    if not archive_root.is_dir():
        raise NotFoundError(f"there is no archive at {archive_root} (WEBSTRATA_ARCHIVE_ROOT sets the folder)")
    found = read_manifests(archive_root)
    plan = RebuildPlan(problems=found.problems)
    known = {job.output_dir.resolve() for job in found.jobs}
    unwritten = [*_unwritten_jobs(archive_root, known, plan.problems)]
    jobs = [*found.jobs, *unwritten]
    plan.sources = _sources(found.sources, jobs, plan.problems)
    plan.jobs = [*_jobs(jobs, plan.problems)]
    return plan


def _unwritten_jobs(archive_root: Path, known: set[Path], problems: list[str]) -> Iterator[JobManifest]:
    """Yield the jobs without a manifest: folders with WARC files that have the name of a job's folder."""
    for folder in sorted(archive_root.glob("*/*__*")):
        named = _FOLDER.fullmatch(folder.name)
        if named is None or folder.resolve() in known or not folder.is_dir():
            continue
        try:
            files = discover(folder).files
            if files:
                yield _from_files(folder, named, origin_of(files[0]))
        except (StorageError, NotFoundError, WarcError) as error:
            problems.append(f"{folder}: {error}")


def _from_files(folder: Path, named: "re.Match[str]", origin: WarcOrigin) -> JobManifest:
    begun = datetime.strptime(named.group(1), "%Y%m%dT%H%M%S%z")
    says = origin.source_code or ""
    code = says if _CODE.fullmatch(says) else folder.parent.name
    job: Facts = {
        "name": origin.job_name or named.group(2),
        "created_at": begun.astimezone(UTC),
        "started_at": begun.astimezone(UTC),
        "status": JobStatus.INDEXED.value,
    }
    if origin.job_id:
        job["id"] = origin.job_id
    return JobManifest(folder, job, {"code": code, "name": code})


def _sources(listed: list[Facts], jobs: list[JobManifest], problems: list[str]) -> list[PlannedSource]:
    """Return every source once; the list of sources has precedence, then the newest job."""
    newest_last = sorted(jobs, key=lambda manifest: _id(manifest.job) or 0)
    by_code: dict[str, Facts] = {}
    for facts in [*(manifest.source for manifest in newest_last), *listed]:
        code = str(facts["code"])
        # Values from WARC files alone, without an id, do not replace values from a manifest.
        if _id(facts) is not None or code not in by_code:
            by_code[code] = facts
    taken: dict[int, str] = {}
    planned = []
    for code, facts in sorted(by_code.items(), key=lambda item: (_id(item[1]) or 0, item[0])):
        planned.append(PlannedSource(code, _free(taken, _id(facts), f"source {code}", problems), facts))
    return planned


def _jobs(manifests: list[JobManifest], problems: list[str]) -> Iterator[PlannedJob]:
    taken: dict[int, str] = {}
    for manifest in sorted(manifests, key=_order):
        job_id = _free(taken, _id(manifest.job), str(manifest.output_dir), problems)
        try:
            files = discover(manifest.output_dir).files
        except NotFoundError:
            files = ()
            problems.append(f"{manifest.output_dir}: the job's files are not there")
        except StorageError as error:
            files = ()
            problems.append(f"{manifest.output_dir}: {error}")
        yield PlannedJob(job_id, str(manifest.source["code"]), manifest.output_dir, manifest.job, files)


def _order(manifest: JobManifest) -> tuple[int, str, str]:
    """Sort jobs by the order of their creation: revisits refer to captures of earlier jobs."""
    return _id(manifest.job) or 1 << 62, str(manifest.job.get("created_at", "")), str(manifest.output_dir)


def _id(facts: Mapping[str, object]) -> int | None:
    found = facts.get("id")
    return found if isinstance(found, int) else None


def _count(facts: Mapping[str, object], name: str) -> int:
    found = facts.get(name)
    return found if isinstance(found, int) else 0


def _free(taken: dict[int, str], requested: int | None, who: str, problems: list[str]) -> int | None:
    """Return the id that a manifest claims, or None when another has it."""
    if requested is None:
        return None
    first = taken.setdefault(requested, who)
    if first == who:
        return requested
    problems.append(f"{who}: it claims the id {requested}, which {first} has: it gets a new one")
    return None
