"""Sentences, windows and spans of a text: pure functions on strings and numbers."""

from guard.text.clean import clean as clean
from guard.text.conversation import asked_in as asked_in
from guard.text.conversation import said_by_user as said_by_user
from guard.text.conversation import texts_within as texts_within
from guard.text.conversation import turns_of as turns_of
from guard.text.data import load_data as load_data
from guard.text.density import PROSE_CHARACTERS_PER_TOKEN as PROSE_CHARACTERS_PER_TOKEN
from guard.text.density import prose_characters as prose_characters
from guard.text.language import function_words as function_words
from guard.text.language import has_other_script as has_other_script
from guard.text.language import is_in as is_in
from guard.text.language import language as language
from guard.text.language import plain_words as plain_words
from guard.text.long_texts import readings_of as readings_of
from guard.text.neighbours import with_neighbours as with_neighbours
from guard.text.parts import spelt_over_parts as spelt_over_parts
from guard.text.ranges import gaps as gaps
from guard.text.ranges import merged as merged
from guard.text.ranges import segments as segments
from guard.text.ranges import windows as windows
from guard.text.readings import TextReading as TextReading
from guard.text.readings import readings as readings
from guard.text.sentences import sentences as sentences
from guard.text.sentences import settled_end as settled_end
from guard.text.shown_length import shown_length as shown_length
from guard.text.tags import within_tags as within_tags
