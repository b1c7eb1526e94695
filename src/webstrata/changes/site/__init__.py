"""Site diff: added, removed, moved, unlinked and changed pages between two runs of a source."""
