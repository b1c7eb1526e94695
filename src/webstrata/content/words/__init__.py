"""Words of texts: their stems, their other forms, compounds, and the part of a page that they are in."""
