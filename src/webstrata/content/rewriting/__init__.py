"""Rewriting archived pages and style sheets for replay."""
