"""Notifications of changes: targets, subscriptions, the outbox and its delivery."""
