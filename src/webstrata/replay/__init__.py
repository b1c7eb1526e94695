"""Replay: shows captures as they were."""
