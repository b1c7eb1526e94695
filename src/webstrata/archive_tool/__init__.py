"""`archive-tool`: crawls one job in a separate process; started by a worker or by a person."""
