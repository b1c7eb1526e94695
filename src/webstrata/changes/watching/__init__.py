"""Which change events belong to which watches and saved searches."""
