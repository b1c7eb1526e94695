"""`archive-tool`: crawls one job, in a process of its own; called by the worker, or by hand."""
