"""The HTTP API: each file is an area of routes, or one rule that holds for every request."""
