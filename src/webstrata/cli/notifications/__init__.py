"""Commands of notifications: targets, subscriptions, deliveries and dead letters."""
