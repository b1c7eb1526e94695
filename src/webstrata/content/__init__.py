"""Reading captured bytes: text, language, links and metadata of pages."""
