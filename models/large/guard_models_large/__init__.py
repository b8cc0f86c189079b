"""The larger model of evenguard, in a folder of its own; nothing is loaded on import."""
