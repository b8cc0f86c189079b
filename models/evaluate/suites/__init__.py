"""Suites of our own texts for the toxicity, stereotype and sentiment classifier."""
