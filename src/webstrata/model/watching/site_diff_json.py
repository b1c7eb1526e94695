"""The site diff as JSON, the same for the command line and the API."""

from dataclasses import asdict

from webstrata.model.watching.site_diff import ChangedPage, MissingPage, SiteDiff, SitePage, SiteRun

Json = dict[str, object]


def site_diff_json(diff: SiteDiff) -> Json:
    """Return a site diff as JSON."""
    return {
        "source": diff.source,
        "from": _run(diff.older),
        "to": _run(diff.newer),
        "whyNothingRemoved": diff.why_nothing_removed,
        "counts": {_camel(name): count for name, count in diff.counts.items()},
        "added": [_page(one) for one in diff.added],
        "removed": [_missing(one) for one in diff.removed],
        "moved": [{"from": _page(one.old), "to": _page(one.new), "evidence": one.evidence.value} for one in diff.moved],
        "unlinked": [_page(one) for one in diff.unlinked],
        "changed": [_changed_page(one) for one in diff.changed],
        "restored": [_page(one) for one in diff.restored],
        "unavailable": [_missing(one) for one in diff.unavailable],
        "notSeen": [_page(one) for one in diff.not_seen],
        "templateChanges": [
            {"addedLines": [*one.added_lines], "removedLines": [*one.removed_lines], "pages": one.pages}
            for one in diff.templates
        ],
        "limits": [*diff.limits],
    }


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _run(run: SiteRun) -> Json:
    return {
        "jobId": run.job_id,
        "name": run.name,
        "status": run.status.value,
        "firstCapture": run.first_capture.isoformat(),
        "lastCapture": run.last_capture.isoformat(),
        "snapshots": run.snapshots,
    }


def _page(page: SitePage) -> Json:
    return {"url": page.page, "title": page.title, "snapshotId": page.snapshot_id}


def _missing(missing: MissingPage) -> Json:
    return {**_page(missing.page), "reason": missing.reason}


def _changed_page(changed: ChangedPage) -> Json:
    return {
        **_page(changed.page),
        "fromSnapshotId": changed.from_snapshot_id,
        "significance": changed.significance,
        "changes": changed.changes,
        "summary": changed.summary,
        "reasons": [asdict(reason) for reason in changed.reasons],
    }
