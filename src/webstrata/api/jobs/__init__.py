"""Admin API of jobs: lists, details, commands, progress."""
