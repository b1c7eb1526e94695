"""Queries of assets, their versions and contents, and of plugin runs."""
