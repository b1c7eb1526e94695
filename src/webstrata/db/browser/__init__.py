"""Tables and queries of pages that a browser opened."""
