"""Showing captures as they were."""
