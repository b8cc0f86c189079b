"""Words and terms that name groups of people, from data files and from the user."""
