"""Retention: policies, passes that delete expired rows, cleanup of artifacts, legal holds and tombstones."""
