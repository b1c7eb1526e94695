"""Admin API of operations: audit log, reports, retention, legal holds."""
