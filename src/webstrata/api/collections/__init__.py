"""Routes of listings, prices, hauls, health and the other collections."""
