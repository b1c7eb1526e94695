"""Jobs from the queue to the index: who runs them, in which order, and what becomes of them."""
