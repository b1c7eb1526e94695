"""Archived pages in a browser that sees nothing but the archive: replay checks and previews."""
