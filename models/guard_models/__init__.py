"""Model files of fairguard, one folder each; nothing is loaded on import."""
