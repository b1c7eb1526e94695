"""Values of what browsers show of captures."""
