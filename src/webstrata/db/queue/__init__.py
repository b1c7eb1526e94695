"""Queries of jobs, URLs to crawl, leases and host permits."""
