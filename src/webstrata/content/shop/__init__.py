"""Shop pages: the signals that make a page a product page, its features and its links."""
