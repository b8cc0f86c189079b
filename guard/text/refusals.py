"""Whether a reply, in English, says no more than that it will not help."""

from __future__ import annotations

import re

_OPENING = 240
"""Characters within which a refusal is said; an answer may mention limits further down."""
_SORRY = (
    r"(?:(?:i(?:['’]m| am)|we(?:['’]re| are)) (?:(?:really|very|so|truly) )?sorry"
    r"|sorry|my apologies|apologies|i apologi[sz]e|unfortunately)"
)
_AFTER_SORRY = r"(?:[,.:;!—–-]| but| that| however| to say)*\s*"
_MODEL = r"as an? (?:ai|artificial|large|language)[^.!?\n]{0,60}?,? (?:i|we)"
_WHO = rf"(?:i|we|this assistant|{_MODEL})"
_CANNOT = (
    r"(?:can(?:['’]t| ?not)"
    r"|(?:am|['’]m|are|['’]re|is) (?:unable|not (?:able|allowed|permitted))(?: to)?"
    r"|(?:won['’]t|will not)(?: be able to)?"
    r"|must (?:decline|refuse)(?: to)?|(?:have|need) to decline|decline to"
    r"|(?:do not|don['’]t) feel comfortable|(?:am|['’]m) not comfortable)"
)
_HELP = (
    r"\b(?:help|assist|provid|answer|discuss|compl[yi]|fulfil|do (?:that|this)|creat|generat|writ"
    r"|shar|continu|respond|support|engag|offer|advi[sc]|comment|process|complet|request)"
)
_REFUSAL = re.compile(
    rf"\s*(?:{_SORRY}{_AFTER_SORRY})?{_WHO}\s?{_CANNOT}[^.!?\n]{{0,80}}?{_HELP}", re.IGNORECASE
)


def is_refusal(text: str) -> bool:
    """Whether the text opens with a refusal ("I'm sorry, but I can't help with that.").

    A heuristic for English, made to miss rather than to see refusals where there are none: a
    refusal in other words, in another language, or after an opening that is none is not seen.
    """
    return _REFUSAL.match(text[:_OPENING]) is not None
