"""Commands that run, follow and control jobs."""
