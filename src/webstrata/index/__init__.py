"""WARCs to captures and snapshots: what was fetched becomes what can be found."""
