"""WARC files: written so that nothing acknowledged is lost, read at an offset."""
