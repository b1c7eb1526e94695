"""Pages of listings, hauls and health."""
