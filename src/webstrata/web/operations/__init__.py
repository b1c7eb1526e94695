"""Pages for administrators about the archive itself."""
