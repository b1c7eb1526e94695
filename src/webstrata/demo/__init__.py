"""The built-in demo site: a fictional health agency and its shop, in two editions, served on loopback."""
