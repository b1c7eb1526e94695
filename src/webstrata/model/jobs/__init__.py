"""Values and rules of jobs and sources: states, schedules, checks, tool options."""
