"""Who is mentioned in a text, and the same text about another group."""
