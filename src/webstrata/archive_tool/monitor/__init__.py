"""The monitor: sees from a crawl's log when it is in trouble, and answers."""
