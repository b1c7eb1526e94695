"""Evidence audits as jobs: the queue, the worker and the run of one session."""
