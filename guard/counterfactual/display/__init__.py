"""A text as a display shows it: markup, wrapped lines and odd letters read as what they show."""
