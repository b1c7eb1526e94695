"""Formats of files that captures are exported to."""

from enum import StrEnum


class PackageFormat(StrEnum):
    """The kind of file that an export is."""

    WACZ = "wacz"
    WARC = "warc"
