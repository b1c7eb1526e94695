"""Limits of requests: rate limits per client, and the size and time of a request."""
