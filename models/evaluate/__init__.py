"""Measures a model folder: `python -m evaluate --data PATH --model DIR`."""
