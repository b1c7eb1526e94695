"""Taking turns: so that nobody's server is hammered, however many workers there are."""
