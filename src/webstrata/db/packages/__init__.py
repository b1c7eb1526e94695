"""Queries for packages of captures, and for checking files."""
