"""A classifier of pairs of texts (natural language inference), from data to weights."""
