"""What make needs to set things up; it runs on the system's Python, before anything is installed."""

import sys

if sys.version_info < (3, 11):
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit("Webstrata needs Python 3.11 or newer, this is " + found + ". Name another: make PYTHON=python3.12 ...")
