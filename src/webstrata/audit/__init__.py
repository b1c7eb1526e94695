"""Evidence audits of shops: sessions, readiness, popups, product-page discovery and validation, evidence packs."""
