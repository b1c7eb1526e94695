"""Bytes to facts: what a page says, in which language, where it links to."""
