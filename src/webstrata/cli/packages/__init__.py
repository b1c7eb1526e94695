"""Commands that export, import and link captures."""
