"""Commands of watching: site diffs, watches, saved searches."""
