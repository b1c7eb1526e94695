"""Comparing the lines of two captures of a page: matched, moved and changed lines, words, sections, HTML."""
