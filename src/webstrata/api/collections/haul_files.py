"""Hauls as files: CSV for spreadsheets, or JSON."""

from enum import StrEnum

from webstrata.api.collections.listing_schemas import HaulSchema
from webstrata.api.collections.spreadsheet import table_as_csv


class HaulFormat(StrEnum):
    """How a haul is exported."""

    CSV = "csv"
    JSON = "json"


def haul_file(haul: HaulSchema, file_format: HaulFormat) -> bytes:
    """Return the captures of a haul, with their listings, as a file."""
    if file_format is HaulFormat.JSON:
        return haul.model_dump_json(indent=1).encode()
    names = list(type(haul.captures[0]).model_fields) if haul.captures else []
    return table_as_csv([names, *(list(capture.model_dump().values()) for capture in haul.captures)])
