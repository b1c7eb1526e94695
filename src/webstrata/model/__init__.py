"""The model: frozen values and pure rules, without input or output."""
