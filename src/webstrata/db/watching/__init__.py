"""Tables and queries of watching: site diffs, watches, saved searches."""
