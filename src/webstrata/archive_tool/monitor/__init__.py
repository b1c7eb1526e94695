"""The monitor: recognises from a crawl's log when it is in trouble, and acts on it."""
