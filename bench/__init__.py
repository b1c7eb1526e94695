"""Measurements: ratios in one run on one machine, against peers that the bench installs itself."""
