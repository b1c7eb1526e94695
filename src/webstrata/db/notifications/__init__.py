"""Rows of notifications: targets, subscriptions and the outbox."""
