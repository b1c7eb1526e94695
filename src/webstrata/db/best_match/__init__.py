"""What best match needs of the database: forms of words, how rare they are, and pages with most of them."""
