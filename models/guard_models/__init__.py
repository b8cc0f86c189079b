"""Model files of evenguard, one folder each; nothing is loaded on import."""
