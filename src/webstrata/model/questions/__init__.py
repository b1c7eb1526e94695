"""Questions in plain words: their terms, their stop words, and how well pages match them."""
