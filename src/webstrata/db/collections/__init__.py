"""Listings, prices, hauls and the other collections in the database."""
