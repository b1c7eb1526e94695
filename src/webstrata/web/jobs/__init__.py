"""The pages of jobs: the list, one job, its history and progress."""
