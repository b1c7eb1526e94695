"""The crawl: from a job's seeds to WARC files, so that nothing acknowledged is lost and nobody is hammered."""
