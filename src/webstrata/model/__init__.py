"""What things are: frozen values and pure rules, no input or output."""
