"""Search: parsing a query, finding the matching snapshots and ranking them."""
