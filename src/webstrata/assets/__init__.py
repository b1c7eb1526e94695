"""Assets: plugins normalise what was captured, and every change of the result is a version."""
