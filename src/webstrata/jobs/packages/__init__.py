"""Imports of files from other archives, and checks of the files in this one."""
