"""Values and rules of a crawl: settings, scope, tasks, traps, responses."""
