"""Messages of notifications: for a change, for the digest of a run, and for a test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from webstrata.model.changes.values import ChangeType
from webstrata.model.notifications.values import Subject
from webstrata.model.watching.site_events import SITE_EVENT_WORDS, SiteEventKind
from webstrata.model.words import counted

MAX_LISTED = 100
"""The most changes that a digest lists, the most significant ones; all are counted."""

_MAX_LINES = 20
_MAX_TEXT = 300
_WORDS = {
    ChangeType.NEW_PAGE.value: "New page",
    ChangeType.UPDATED.value: "Changed",
    ChangeType.UNAVAILABLE.value: "Unavailable",
    ChangeType.RESTORED.value: "Available again",
    **{kind.value: words for kind, words in SITE_EVENT_WORDS.items()},
}
_COUNTED = {
    ChangeType.NEW_PAGE.value: "new",
    ChangeType.UPDATED.value: "changed",
    ChangeType.UNAVAILABLE.value: "unavailable",
    ChangeType.RESTORED.value: "available again",
    SiteEventKind.ADDED.value: "back on the site",
    SiteEventKind.TEMPLATE.value: "change of the template",
}


class MessageKind(StrEnum):
    """What a message is about."""

    CHANGE = "change"
    DIGEST = "digest"
    TEST = "test"


@dataclass(frozen=True)
class Notification:
    """A message as it is sent."""

    key: str
    """The id by which a receiver recognises a repeated message."""
    kind: MessageKind
    created_at: datetime
    payload: Mapping[str, Any]
    subscription_id: int | None = None
    subject: Subject = field(default_factory=Subject)


def compare_path(from_snapshot_id: int | None, to_snapshot_id: int) -> str:
    """Return the path of the page that compares two captures; without an older one, of the capture's change."""
    if from_snapshot_id is None:
        return f"/compare/{to_snapshot_id}"
    return f"/compare?from={from_snapshot_id}&to={to_snapshot_id}"


def site_diff_path(source_code: str, from_job_id: int, to_job_id: int) -> str:
    """Return the path of the page that compares two runs of a source."""
    return f"/sources/{quote(source_code)}/diff?from={from_job_id}&to={to_job_id}"


def digest_payload(
    job_id: int, changes: Sequence[Mapping[str, Any]], by_type: Mapping[str, int], template_changes: Sequence[str]
) -> dict[str, Any]:
    """Return the digest of a run from its most significant changes and the numbers of all of them."""
    first = changes[0]
    return {
        "jobId": job_id,
        "sourceCode": first.get("sourceCode"),
        "sourceName": first.get("sourceName"),
        "total": sum(by_type.values()),
        "byType": dict(by_type),
        "templateChanges": list(template_changes),
        "changes": list(changes),
    }


def body_of(message: Notification, site: str) -> dict[str, Any]:
    """Return a message as JSON for a webhook, with links to a site."""
    data = dict(message.payload)
    if message.kind is MessageKind.CHANGE:
        data = _linked(data, site)
    elif message.kind is MessageKind.DIGEST:
        data["changes"] = [_linked(change, site) for change in data["changes"]]
        data["changesUrl"] = _run_link(data, site)
    subject = message.subject
    return {
        "id": message.key,
        "type": message.kind.value,
        "timestamp": message.created_at.isoformat(),
        "subscription": {
            "id": message.subscription_id,
            "sourceCode": data.get("sourceCode") if subject.source_id is not None else None,
            "page": subject.page,
            "watchId": subject.watch_id,
            "savedSearchId": subject.saved_search_id,
        },
        "data": data,
    }


def title_of(message: Notification) -> str:
    """Return the subject line of a message."""
    data = message.payload
    if message.kind is MessageKind.CHANGE:
        return _change_title(data)
    if message.kind is MessageKind.DIGEST:
        return _shorten(f"{data['sourceName']}: {counted(data['total'], 'change')}")
    return "Test notification from Webstrata"


def text_of(message: Notification, site: str) -> str:
    """Return a message as plain text, for mail and chat."""
    data = message.payload
    if message.kind is MessageKind.CHANGE:
        return "\n".join(_change_lines(data, site))
    if message.kind is MessageKind.DIGEST:
        return "\n".join(_digest_lines(data, site))
    return "Notifications to this address work."


def _digest_lines(data: Mapping[str, Any], site: str) -> list[str]:
    counts = [f"{number:,} {_COUNTED.get(kind, kind)}" for kind, number in data["byType"].items()]
    lines = [f"Run {data['jobId']} of {data['sourceName']}: {', '.join(counts)}.", *data["templateChanges"], ""]
    for change in data["changes"][:_MAX_LINES]:
        lines += [_change_title(change), *_change_lines(change, site), ""]
    left = data["total"] - min(len(data["changes"]), _MAX_LINES)
    return [*lines, *([f"and {left:,} more"] if left else []), f"All changes of the run: {_run_link(data, site)}"]


def _change_title(change: Mapping[str, Any]) -> str:
    return _shorten(f"{_WORDS.get(change['changeType'], 'Changed')}: {change['title'] or change['url']}")


def _change_lines(change: Mapping[str, Any], site: str) -> list[str]:
    parts = [change["summary"], *change["reasons"], change["url"]]
    return [_shorten(line) for line in parts if line] + [_compare_link(change, site)]


def _linked(change: Mapping[str, Any], site: str) -> dict[str, Any]:
    shown = {name: value for name, value in change.items() if name != "replaces"}
    return {**shown, "compareUrl": _compare_link(change, site)}


def _compare_link(change: Mapping[str, Any], site: str) -> str:
    if "fromJobId" in change:
        runs = change["fromJobId"], change["jobId"]
        return site + site_diff_path(change["sourceCode"], *runs)
    return site + compare_path(change["fromSnapshotId"], change["toSnapshotId"])


def _run_link(data: Mapping[str, Any], site: str) -> str:
    return f"{site}/changes?jobId={data['jobId']}"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"
