"""Values and rules of changes: facts, reasons, significance."""
