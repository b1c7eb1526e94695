"""Commands on single pages: compare, extract, judge quality."""
