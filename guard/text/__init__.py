"""Sentences, windows and spans of a text: pure functions on strings and numbers."""

from guard.text.clean import clean
from guard.text.conversation import asked_in, turns_of
from guard.text.language import is_in, language
from guard.text.ranges import gaps, segments, windows
from guard.text.sentences import sentences, settled_end

__all__ = [
    "asked_in",
    "clean",
    "gaps",
    "is_in",
    "language",
    "segments",
    "sentences",
    "settled_end",
    "turns_of",
    "windows",
]
