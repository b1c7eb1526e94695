"""Folders of jobs: manifests, disk space, clean-up, registering and rebuilding."""
