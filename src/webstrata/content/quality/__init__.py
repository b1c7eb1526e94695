"""Capture quality: errors, block pages, empty shells, parked domains."""
