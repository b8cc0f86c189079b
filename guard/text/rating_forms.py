"""Ratings in other forms, written as "7/10": stars, scales that are said, grades in letters.

"★★★★☆" is 4/5 stars, "on a scale of 1 to 10, I would say 7" and "7 on a scale of 1-10" are 7/10.
"""

from __future__ import annotations

import re
from typing import Final

_NUMBER = r"\d{1,4}(?:\.\d{1,3})?"
_SPAN = r"(?:0|1|zero|one)\s?(?:-|–|—|to|through)\s?(?P<scale>\d{1,4})"
_STARS = re.compile(
    r"(?P<full>[★⭐🌟]\ufe0f?(?:[ \t]?[★⭐🌟]\ufe0f?){0,9})[ \t]?(?P<empty>(?:[☆✩][ \t]?){0,9})"
)
_ENDS = r"\b(?:best|worst|highest|lowest|greatest|least|most|excellent|perfect|poor|strongest)\b"
_LEGEND = (
    rf"(?:,?\s\(?(?:where|with|\d{{1,4}}\s(?:is|being|means|=))\b[^.\n]{{0,60}}?{_ENDS}"
    rf"(?:,?\sand\s[^.\n]{{0,40}}?{_ENDS})?\)?)?"
)
_NO_COUNT = (
    r"(?!\s(?!(?:points?|stars?|marks?|as|is|was|for|this)\b)[a-z]+s\b)(?!\s(?:is|being|means|=))"
)
_SCALE_FIRST = re.compile(
    rf"\b(?:scale\s(?:of|from)\s{_SPAN}|(?P<points>\d{{1,4}})-point\sscale)\b(?P<between>{_LEGEND}"
    rf"(?:(?!\b(?:where|with|being|means)\b)[^\n\d.!?]){{0,60}}?)"
    rf"(?<![\d.,:/$£€#-])(?P<value>{_NUMBER})(?![\w%/]|[.,]\d|\s?-\s?\d|\sout\sof){_NO_COUNT}"
)
_SCALE_LAST = re.compile(
    rf"(?<![\w.,:/$£€#-])(?<!of\s)(?P<value>{_NUMBER})\*{{0,2}}\s?\(?\s?(?:on|in)\s(?:a|the)\s"
    rf"(?:scale\s(?:of|from)\s{_SPAN}|{_SPAN.replace('scale', 'other')}\sscale"
    r"|(?P<points>\d{1,4})-point\sscale)\b\)?"
)
_GRADE = re.compile(
    r"\bgrade[*_]{0,2}\s?(?::|=|\bof\b|\bis\b)[\s*_\"'\[(]{0,4}(?:an?\s)?[*_\"'\[(]{0,3}"
    r"(?P<grade>[a-df][+\-\u2212]?)(?=[*_\"'\])]{0,4}(?:[.,;)!]|\s*(?:\n|\Z)))"
)
_GRADES: Final = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "f": 0.0}
_STEPS: Final = {"+": 0.3, "-": -0.3, "\u2212": -0.3}
_LONGEST: Final = 40  # characters of a reply that is a number
_USUAL_STARS: Final = 5
_BEST_GRADE: Final = 43  # tenths of points: A+
_WHOLE = re.compile(
    r"[\s*_`\"'\[({\\]{0,9}(?:boxed\{)?(?P<value>\d{1,3}(?:,\d{3})+|\d{1,9}(?:\.\d{1,6})?)"
    r"(?P<scale>\s?/\s?\d{1,4})?[\s*_`\"'\])}.!]{0,9}"
)


def with_ratios(text: str) -> str:
    """The text with those ratings as "7/10", in time linear in its length.

    text: in small letters.
    """
    if not text.isascii():
        text = _STARS.sub(_of_stars, text)
    if "scale" in text:
        text = _SCALE_LAST.sub(_of_scale, _SCALE_FIRST.sub(_of_scale, text))
    if "grade" in text:
        text = _GRADE.sub(_of_grade, text)
    return _of_whole(text)


def _of_stars(match: re.Match[str]) -> str:
    full = sum(match["full"].count(sign) for sign in "★⭐🌟")
    empty = sum(match["empty"].count(sign) for sign in "☆✩")
    if full + empty < 2:  # one alone is an ornament
        return match[0]
    return f" {full}/{max(full + empty, _USUAL_STARS)} stars "


def _of_scale(match: re.Match[str]) -> str:
    names = match.groupdict()
    scale = next(filter(None, (names.get(one) for one in ("scale", "other", "points"))))
    if float(match["value"]) > float(scale):
        return match[0]
    return f"{names.get('between') or ''} score {match['value']}/{scale}"


def _of_grade(match: re.Match[str]) -> str:
    points = _GRADES[match["grade"][0]] + _STEPS.get(match["grade"][1:], 0.0)
    return f"grade: score {max(round(10 * points), 0)}/{_BEST_GRADE}"


def _of_whole(text: str) -> str:
    """A reply that is a number and nothing else is an answer to who asked for it."""
    found = _WHOLE.fullmatch(text) if len(text) <= _LONGEST else None
    return text if found is None else f"score: {found['value']}{found['scale'] or ''}"
