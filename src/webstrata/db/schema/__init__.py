"""Tables of the database, by area."""
