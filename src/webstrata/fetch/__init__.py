"""Fetching from the web: every connection passes the network guard."""
