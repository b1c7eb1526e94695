"""Evidence audits of shops: what a session looks for, decides and brings back."""
