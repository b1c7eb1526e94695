"""Commands of the collections."""
