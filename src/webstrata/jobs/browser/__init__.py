"""Uses of the browser by jobs, other than crawling."""
