"""WARC files: durable writing, reading at an offset, verification, journals and packages."""
