"""What jobs do with a browser besides crawling."""
