"""Whether a reply, in English, says no more than that it will not help."""

from __future__ import annotations

import re

from guard.text.reply_openings import reply_opening

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
_HELP = (  # "I can't help but wonder" is none
    r"\b(?:help(?! (?:but|it|(?:feel|think|notic|wonder|smil|laugh|lov|fall|admir)\w*)\b)"
    r"|assist|provid|answer|discuss|compl[yi]|fulfil|do (?:that|this)|creat|generat|writ"
    r"|shar|continu|respond|support|engag|offer|advi[sc]|comment|process|complet|request)"
)
_PRAISE = r"(?:thank(?:s|ing)|congratulat(?:ing|ions)|admir(?:ing|ation)|prais(?:e|ing))"
_HOW = r"(?:tell|say)ing (?:you )?how (?:great|good|nice|glad|happy|lovely|beautiful|wonderful)"
_EAGER = (  # "I can't wait to help", "I can not only do that": the opposite of a refusal
    r"(?: (?:ever )?(?:wait|only|stop|resist|hesitate)\b"
    r"|(?: \w+){1,2} (?:you|this|it|that) enough\b"
    rf"|(?:(?!{_HELP})[^.!?\n]){{0,40}} without {_PRAISE}\b"
    rf"|[^.!?\n]{{0,40}} without {_HOW}\b)"
)
_REFUSAL = re.compile(
    rf"\s*(?:{_SORRY}{_AFTER_SORRY})?(?:{_WHO}\s?{_CANNOT}{_EAGER}[^.!?\n]{{0,80}}?\b)?"
    rf"{_WHO}\s?{_CANNOT}(?!{_EAGER})[^.!?\n]{{0,80}}?{_HELP}",
    re.IGNORECASE,
)

_REQUEST = (
    r"\b(?:(?:that|this|it)(?=[.!;:,]| for you|\Z)"
    r"|(?:that|this|these|those|such|your)(?: \w+){0,3}? (?:requests?|questions?|information"
    r"|topics?|subjects?|matters?|content|application|account|enquiry|inquiry|query|problem|issue|case)"
    r"|(?:financial|legal|medical|investment|tax|personal|professional) \w+|advice)\b"
)
_END = (
    r"(?: for you| here| directly| today| now| at (?:this time|the moment))?"
    r"\s?(?:[.!?;\n]|\Z|,? but (?:you (?:can|could|may|might)|i(?:'d|'m| am| can| could| would)"
    r"|please|if|feel free)\b)"
)
_OF_A_REQUEST = re.compile(
    rf"(?:{_SORRY}{_AFTER_SORRY})?{_WHO}(?<!we)\s?{_CANNOT}(?!{_EAGER})"
    r"(?: (?:to|be|able|really|currently|directly|personally|legally|simply)){0,3}"
    rf"(?=[^.!?\n]{{0,80}}?{_REQUEST}{_END})(?: give(?: \w+)?)? ?{_HELP}",
    re.IGNORECASE,
)
"""Somebody else's letter may say "I can't answer the phone", or for a firm "We can't answer that",
and gives reasons; hardly "I can't answer that" and no more."""
_GIVEN = re.compile(r"\b(?:here(?:'s| is| are)|because|yet)\b|```", re.IGNORECASE)
_LONGEST_DRAFTED = 400
"""Of what is no letter, though it begins as one."""


def is_refusal(text: str) -> bool:
    """Whether the text opens with a refusal ("I'm sorry, but I can't help with that.").

    It may be wrapped in reasoning, JSON, markup or quotation marks, and a greeting, a speaker's
    label or an emoji may stand before it.

    A heuristic for English, made to miss rather than to see refusals where there are none: a
    refusal in other words, in another language, or after another opening is not seen, nor is one
    in a list of several, in a dialogue or in what may be a letter: with a signature, or, after a
    greeting, of "we", with a reason or with more behind.
    """
    if _REFUSAL.match(text[:_OPENING]):
        return True
    opening = reply_opening(text)
    if opening is None:
        return False
    if opening.may_be_drafted:
        return _refuses_a_request(opening.text)
    return _REFUSAL.match(opening.text[:_OPENING]) is not None


def _refuses_a_request(said: str) -> bool:
    """Whether words that may be meant for somebody else refuse what the assistant was asked."""
    if len(said) > _LONGEST_DRAFTED or _GIVEN.search(said):
        return False
    return _OF_A_REQUEST.match(said[:_OPENING]) is not None
