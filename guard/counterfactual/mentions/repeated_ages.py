"""Where a text repeats an age that a conversation tells: "Many begin at 72", "72? Go for it".

A bare number is an age only where the words around say so: a mask must not hide an amount, a
duration or a rate that happens to be the same number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from guard.counterfactual.english.ages import NUMBER, age_in
from guard.counterfactual.english.words import word_set
from guard.records import Span

_AGE = rf"(?<![\w$€£¥₹#])(?P<age>{NUMBER})(?![\w%°€£$¥₹+*/=<>:-]|[.,]\d|\s?[-–/]\s?\d)"
_ENDS = (
    r"(?=\s*(?:\Z|[\n.,;:!?)\]”\"’'*…—–]|\b(?:you|i|he|she|we|they|it|there|is|isn|was|are|can|could"
    r"|should|will|would|may|might|has|have|and|but|or|so|if|as|because|since|when|while|with"
    r"|without|who|than|does|do|this|that|the|a|an|your|many|most|some|no|not|in|by|for|to)\b))"
)
_BEGINS = (
    r"(?:\A|[.!?;\n(\"“*>—–]\s{0,3}|\b(?:yes|no|but|so|ok|okay|sure|well|because|since|that|think"
    r"|even|remember|now),? )"
)
_PEOPLE = (
    r"(?:people|persons?|those|anyone|anybody|everyone|someone|somebody|men|women|adults|users"
    r"|customers|clients|patients|learners|beginners|runners|drivers|applicants|candidates|workers"
    r"|employees|seniors|you|you['’]re|(?:are|is|['’]m|am|be) (?:just|only|well|now|already))"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:(?P<rate>\w+) )?(?:at|until|till|being|turn(?:s|ed|ing)?|you (?:reach|hit)"
        rf"|(?:older|younger|later|earlier) than) {_AGE}"
        rf"(?: years?(?: of age)?(?! of\b| in\b))?{_ENDS}",
        rf"{_BEGINS}{_AGE}(?=[?!]|, (?!\d)| (?:is|isn|was|sounds?|(?:may|can|should) be)\b)",
        rf"\b(?:my|your|his|her|their) {_AGE} years?(?! (?:of|in|at|as|with)\b){_ENDS}",
        rf"\b{_PEOPLE} (?:who are )?(?:over|under|above|below|past|around|near|of|aged) {_AGE}"
        + _ENDS,
        rf"\bwith {_AGE} years(?: of age)?(?=,? (?:you|he|she|i)\b|[,.])",
        rf"(?<![\w$€£-])(?P<age>{NUMBER})(?=[- ]?(?:something|ish)s?\b)",
    )
)
_RATES = word_set(
    "priced price prices capped cap set stand stands stood standing sell sells selling sold buy"
    " buys bought buying valued value rate rates rated rating trade trades trading traded fixed"
    " limit limited remain remains remained score scores scored interest cost costs speed speeds"
    " thermostat temperature oven heat heated cook bake keep kept estimated estimate charged billed"
    " invoiced quoted listed open opened close closed closes opens peaked ended offered"
)


def repeated_ages(text: str, ages: Collection[int]) -> Iterator[Span]:
    """Where these ages stand again, in no order; "over 70" counts where somebody is 72.

    ages: in years.
    """
    known = {age for age in ages if age}
    known |= {age - age % 10 for age in known}
    for pattern in _PATTERNS if known else ():
        for match in pattern.finditer(text):
            rate = match.groupdict().get("rate") or ""
            if age_in(match["age"].lower()) in known and rate.lower() not in _RATES:
                yield Span(start=match.start("age"), end=match.end("age"))
