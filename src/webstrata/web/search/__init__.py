"""The search page: form, results, filters and paging."""
