"""Values and rules of replay: Wayback addresses, closest captures, CDX queries."""
