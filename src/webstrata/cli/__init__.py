"""The command line: each command parses its arguments, calls the code that does the work, and prints the result."""
