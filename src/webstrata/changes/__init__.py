"""Change tracking: pairs of captures, their comparison, templates of sites, and change events."""
