"""Evidence audits over the API."""
