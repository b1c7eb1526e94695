"""Values and rules of search: the query language, ranking, word similarity, PageRank."""
