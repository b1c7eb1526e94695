"""Progress of jobs: logs, statistics, history, reports."""
