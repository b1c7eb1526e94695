"""Change tracking: pairs of captures, their comparison, templates of sites, and the events that come of it."""
