"""Sources: registry, files, schedules, commands and deletion."""
