"""Commands of evidence audits."""
