"""Packages of captures for other programs: WACZ files, single WARC files and pywb collections."""
