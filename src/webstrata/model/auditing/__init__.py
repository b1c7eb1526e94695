"""Evidence audits: values and rules."""
