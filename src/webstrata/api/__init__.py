"""The HTTP API: each module has the routes of one area, or their schemas."""
