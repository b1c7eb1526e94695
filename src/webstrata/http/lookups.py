"""Look-ups of what a request names: a snapshot, a source, a listing or a haul; NotFoundError when there is none."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import Path

from webstrata.app import App
from webstrata.db.collections import hauls, listings
from webstrata.db.collections.hauls import HaulView
from webstrata.db.operations import catalog
from webstrata.db.retention.tombstones import missing_snapshot
from webstrata.db.sources.editions import PublicSource, public_source
from webstrata.errors import NotFoundError
from webstrata.http.dependencies import SnapshotId, Text
from webstrata.model.archive import SnapshotView

ListingId = Annotated[SnapshotId, Path(description="A listing's number.")]
HaulId = Annotated[Text, Path(max_length=64, description="The id of a haul, as its link has it.")]
USE_TIME = timedelta(hours=1)
"""How long retention does not delete a haul after its last use, as a comparison or an export may be running."""


def known_snapshot(app: App, snapshot_id: int) -> SnapshotView:
    """Return the snapshot that a request names; NotFoundError when there is none, GoneError when it is withheld."""
    with app.database.read() as session:
        found = catalog.snapshot(session, snapshot_id)
        if found is None:
            raise missing_snapshot(session, snapshot_id)
    return found


def known_source(app: App, code: str) -> PublicSource:
    """Return the source that a request names; NotFoundError when there is none, or not for the public."""
    with app.database.read() as session:
        found = public_source(session, code)
    if found is None:
        raise NotFoundError("Source not found")
    return found


def known_listing(app: App, listing_id: int) -> listings.ListingView:
    """Return a listing; NotFoundError when there is none."""
    with app.database.read() as session:
        found = listings.find_listing(session, listing_id)
    if found is None:
        raise NotFoundError("There is no such listing")
    return found


def used_haul(app: App, haul_id: str) -> HaulView:
    """Return a haul to be compared or exported, and mark it as in use, so that retention does not delete it."""
    with app.database.read() as session:
        found = hauls.load_haul(session, haul_id)
    if not app.database.is_read_only:
        with app.database.write() as session:
            hauls.use_haul(session, haul_id, datetime.now(UTC) + USE_TIME)
    return found
