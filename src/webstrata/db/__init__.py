"""Tables, sessions, migrations and named queries: the only place with SQL."""
