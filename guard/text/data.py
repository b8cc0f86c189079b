"""The files that texts are read by: each is read once, at its first use or ahead of it."""

from __future__ import annotations

from guard.text.language import function_words, language_tables
from guard.text.lookalikes import lookalikes
from guard.text.unigrams import english_unigrams


def load_data() -> None:
    """Read them now. The first text would wait for them, and could not be read where the process
    has no file descriptor left by then. Raises OSError."""
    english_unigrams()
    function_words()
    language_tables()
    lookalikes()
