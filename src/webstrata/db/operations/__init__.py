"""Queries for administrators: audit log, metrics, disk space, reports, integrity."""
