"""Coordination between workers: host permits, domain locks, throttles and presence, so that no server is overloaded."""
