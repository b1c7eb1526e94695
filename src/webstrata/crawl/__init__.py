"""The crawl: from a job's seeds to WARC files, without losing acknowledged records or overloading a server."""
