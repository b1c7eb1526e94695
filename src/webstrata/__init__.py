"""Webstrata: a self-hosted web archive that also watches."""

__version__ = "0.1.0"
