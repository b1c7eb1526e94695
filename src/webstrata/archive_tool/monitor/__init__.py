"""The monitor: detects problems of a crawl in its log, and takes recovery actions."""
