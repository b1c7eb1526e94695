"""What the API and the web pages share: access control, limits, caching, headers, errors, metrics."""
