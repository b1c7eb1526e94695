"""Evidence audits in the database: sessions, their queue, pages and logs."""
