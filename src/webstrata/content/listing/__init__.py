"""Listings: what product and property pages offer, from structured data and from the page itself."""
