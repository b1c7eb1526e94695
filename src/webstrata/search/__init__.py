"""Finding snapshots: what is meant, which ones match, which comes first."""
