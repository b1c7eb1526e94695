"""Bytes from the web, through a guard that every fetcher passes."""
