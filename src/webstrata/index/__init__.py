"""The index: from WARC files to captures and snapshots that can be searched."""
