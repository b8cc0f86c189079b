"""Turns trained weights into the shipped files: `python -m export classifier|sentence ...`."""
