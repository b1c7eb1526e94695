"""SQL tools: bulk statements, lists as parameters, planner hints, ids, the change token."""
