"""Running jobs: the worker, leases, stages, recovery after dead workers."""
