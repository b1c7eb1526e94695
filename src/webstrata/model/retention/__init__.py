"""Values and rules of retention: policies, legal holds, tombstones, artifacts."""
