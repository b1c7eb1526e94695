"""Demo shops, served on loopback: each is what a server answers, by path."""
