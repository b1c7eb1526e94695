"""Web pages of evidence audits."""
