"""Queries of WARC files, captures, snapshots and their documents."""
