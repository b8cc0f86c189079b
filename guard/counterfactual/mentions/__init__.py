"""Finding who is mentioned, and what must not be touched."""
