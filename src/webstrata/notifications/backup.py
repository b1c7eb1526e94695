"""Targets and subscriptions in a file beside the WARC folders, which a rebuild reads."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from webstrata.db.engine import Database
from webstrata.db.notifications import restoring
from webstrata.db.notifications.restoring import SavedSubscription, SavedTarget
from webstrata.errors import StorageError
from webstrata.model.notifications.values import TargetKind
from webstrata.storage.disk import write_atomically

NOTIFICATIONS_NAME = "notifications.json"


def write_notifications(database: Database, archive_root: Path) -> None:
    """Write targets and subscriptions to the archive's folder; only their owner can read the file."""
    with database.read() as session:
        targets, subscriptions = restoring.list_saved(session)
    saved = {"targets": [vars(one) for one in targets], "subscriptions": [vars(one) for one in subscriptions]}
    text = json.dumps(saved, default=_as_json, indent=2)
    write_atomically(archive_root / NOTIFICATIONS_NAME, text.encode())


def restore_notifications(database: Database, archive_root: Path) -> int:
    """Store the targets and subscriptions of the archive's folder in a database without any; return how many."""
    path = archive_root / NOTIFICATIONS_NAME
    try:
        saved = json.loads(path.read_bytes())
        targets = [_target(values) for values in saved["targets"]]
        subscriptions = [_subscription(values) for values in saved["subscriptions"]]
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{path} cannot be read: {type(error).__name__}") from error
    with database.write() as session:
        return restoring.restore(session, targets, subscriptions)


def _as_json(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _target(values: Mapping[str, Any]) -> SavedTarget:
    moment = datetime.fromisoformat(values["created_at"])
    return SavedTarget(**{**values, "created_at": moment, "kind": TargetKind(values["kind"]).value})


def _subscription(values: Mapping[str, Any]) -> SavedSubscription:
    return SavedSubscription(**{**values, "created_at": datetime.fromisoformat(values["created_at"])})
