"""Values and rules of watching: site diffs, watches, saved searches."""
