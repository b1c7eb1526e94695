"""Parts of a page, chosen by CSS selectors and by text."""
