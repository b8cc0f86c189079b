"""Trains the multi-head classifier: `python -m train --data PATH --out DIR`."""
