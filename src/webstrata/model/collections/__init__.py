"""Values and rules of listings' prices and of health trends."""
