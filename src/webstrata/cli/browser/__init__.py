"""Commands that open pages in a browser."""
