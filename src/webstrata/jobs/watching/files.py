"""Watches and saved searches in a file beside the WARC folders, from which a rebuild restores them."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import structlog

from webstrata.db.engine import Database
from webstrata.db.sources import manifests
from webstrata.db.watching import saved_searches, watches
from webstrata.errors import NotFoundError, StorageError, WebstrataError
from webstrata.model.watching.saved_searches import SavedSearch, check_parameters
from webstrata.model.watching.watches import Watch, WatchRules, WatchScope
from webstrata.storage.disk import write_atomically

log = structlog.get_logger()

WATCHING_FILE = "watches.json"
_KIND, _VERSION = "webstrata-watches", 1


def write_watching(database: Database, archive_root: Path) -> None:
    """Write all watches and saved searches to the archive's folder; a failure to write is only logged."""
    with database.read() as session:
        known = [{**_watch_json(watch), "source": code} for watch, code in watches.all_watches(session)]
        searches = [_search_json(search) for search in saved_searches.list_searches(session)]
    content = {"version": _VERSION, "kind": _KIND, "watches": known, "saved_searches": searches}
    path = archive_root / WATCHING_FILE
    try:
        write_atomically(path, json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
    except (StorageError, NotFoundError) as error:
        log.error("manifest.failed", file=str(path), reason=str(error))


def restore_watching(database: Database, archive_root: Path) -> list[str]:
    """Store the watches and saved searches of the archive's folder that the database lacks; return the problems of the
    file."""
    path = archive_root / WATCHING_FILE
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        return [f"{path}: {error}"]
    if not isinstance(content, dict) or (content.get("kind"), content.get("version")) != (_KIND, _VERSION):
        return [f"{path}: it is not a list of watches that this program reads"]
    problems: list[str] = []
    with database.write() as session:
        sources = manifests.known_sources(session)
    for entry in _entries(content, "watches"):
        try:
            watch = _watch(entry, sources)
            with database.write() as session:
                watches.restore_watch(session, watch)
        except (KeyError, TypeError, ValueError, WebstrataError) as error:
            problems.append(f"{path}: a watch cannot be restored: {error}")
    for entry in _entries(content, "saved_searches"):
        try:
            search = _search(entry)
            with database.write() as session:
                saved_searches.restore_search(session, search)
        except (KeyError, TypeError, ValueError, WebstrataError) as error:
            problems.append(f"{path}: a saved search cannot be restored: {error}")
    return problems


def _entries(content: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    listed = content.get(name)
    return [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []


def _watch_json(watch: Watch) -> dict[str, object]:
    return {
        "id": watch.id,
        "url": watch.url,
        "scope": watch.scope.value,
        "page": watch.page,
        "selector": watch.rules.selector,
        "ignored": list(watch.rules.ignored),
        "min_significance": watch.min_significance,
        "schedule": watch.schedule,
        "paused": watch.paused,
        "next_run_at": watch.next_run_at.isoformat(),
        "created_at": watch.created_at.isoformat(),
        "first_job_id": watch.first_job_id,
        "last_job_id": watch.last_job_id,
    }


def _watch(entry: Mapping[str, object], sources: Mapping[str, int]) -> Watch:
    ignored = entry.get("ignored")
    return Watch(
        id=_number(entry["id"]),
        source_id=sources[str(entry["source"])],
        url=str(entry["url"]),
        scope=WatchScope(str(entry["scope"])),
        page=str(entry["page"]),
        rules=WatchRules(
            str(entry["selector"]) if entry.get("selector") else None,
            tuple(map(str, ignored)) if isinstance(ignored, list) else (),
        ),
        min_significance=float(str(entry["min_significance"])),
        schedule=str(entry["schedule"]),
        paused=bool(entry.get("paused")),
        next_run_at=_moment(entry["next_run_at"]),
        created_at=_moment(entry["created_at"]),
        first_job_id=_number(entry["first_job_id"]) if entry.get("first_job_id") else None,
        last_job_id=_number(entry["last_job_id"]) if entry.get("last_job_id") else None,
    )


def _search_json(search: SavedSearch) -> dict[str, object]:
    return {
        "id": search.id,
        "name": search.name,
        "parameters": dict(search.parameters),
        "created_at": search.created_at.isoformat(),
    }


def _search(entry: Mapping[str, object]) -> SavedSearch:
    parameters = entry["parameters"]
    if not isinstance(parameters, Mapping):
        raise TypeError("its parameters are not a mapping")
    found = check_parameters({str(name): str(value) for name, value in parameters.items()})
    return SavedSearch(_number(entry["id"]), str(entry["name"]), found, _moment(entry["created_at"]))


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**31:
        raise ValueError(f"its number cannot be {value!r:.40}")
    return value


def _moment(value: object) -> datetime:
    moment = datetime.fromisoformat(str(value))
    if moment.tzinfo is None:
        raise ValueError(f"its date {value!r:.40} has no time zone")
    return moment
