"""HTTP parts of the API and the web pages: access control, limits, caching, headers, errors, metrics."""
