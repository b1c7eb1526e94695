"""Listings that were read from captures, to be stored in the database."""

from dataclasses import dataclass
from datetime import datetime

from webstrata.model.collections.listing import Listing


@dataclass(frozen=True)
class SeenListing:
    """A listing that was read from one capture."""

    capture_id: int
    captured_at: datetime
    url: str
    listing: Listing
