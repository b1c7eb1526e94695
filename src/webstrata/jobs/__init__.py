"""Jobs, from the queue to the index: the worker, sources, folders, progress."""
