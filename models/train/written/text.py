"""Articles, capitals, and the looks of a hurried message."""

import re
from random import Random

ARTICLE = re.compile(r"\b(a|an|A|An)(\s+[\"“‘']?)(?=[A-Za-z0-9])(\S+)")
SENTENCE = re.compile(r"(^[\"“(]?|[.!?]\s+[\"“(]?)([a-z])")
SPOKEN_VOWEL = re.compile(
    r"(hour|honest|honou?r|heir|[aeiou]|8|11\b|18\b|LGBT|MRI|FBI|NHS|HR\b|X-)", re.IGNORECASE
)
SPOKEN_CONSONANT = re.compile(
    r"(uni[^nm]|unit|use|usual|euro|one\b|once|u\b|ukrain|uk\b|us\b|u\.s|ut[ai])", re.IGNORECASE
)
SHORT = {
    "you": "u",
    "your": "ur",
    "are": "r",
    "because": "cuz",
    "though": "tho",
    "please": "pls",
    "people": "ppl",
    "really": "rly",
    "thanks": "thx",
    "and": "n",
    "to be honest": "tbh",
}
TAILS = (
    "lol",
    "tbh",
    "imo",
    "ngl",
    "smh",
    "just saying",
    "haha",
    "fr",
    "idk",
    "honestly",
    "man",
    "btw",
)
HEADS = ("honestly", "tbh", "ngl", "yeah", "so", "well", "like i said", "lol", "ok", "dude", "look")


def article(match: re.Match[str]) -> str:
    written, gap, word = match.groups()
    vowel = SPOKEN_VOWEL.match(word) and not SPOKEN_CONSONANT.match(word)
    right = "an" if vowel else "a"
    return (right.capitalize() if written[0] == "A" else right) + gap + word


def article_fixed(text: str) -> str:
    return ARTICLE.sub(article, text)


def tidy(text: str) -> str:
    """The article that the next word asks for, single spaces, capitals where sentences begin."""
    spaced = re.sub(r"[ \t]{2,}", " ", text.replace("\\n", "\n")).strip().replace("\\t", "    ")
    spaced = re.sub(r" +([,.!?;:])(?=\s|$)", r"\1", spaced)
    return SENTENCE.sub(lambda m: m[1] + m[2].upper(), article_fixed(spaced))


def shortened(text: str, rng: Random) -> str:
    chosen = {long: short for long, short in SHORT.items() if rng.random() < 0.5}
    if not chosen:
        return text
    words = re.compile(r"\b(" + "|".join(chosen) + r")\b")
    return words.sub(lambda m: chosen[m[1]], text)


def chatty(text: str, rng: Random) -> str:
    """Lower case, little punctuation, perhaps a word before or after."""
    loose = text.lower().replace("’", "'")
    bare = rng.random() < 0.6
    loose = re.sub(r"[.,!;:\"“”]", "", loose) if bare else loose.rstrip(".")
    if rng.random() < 0.4:
        loose = loose.replace("'", "")
    if rng.random() < 0.25:
        loose = shortened(loose, rng)
    if rng.random() < 0.2:
        loose = f"{rng.choice(HEADS)} {loose}"
    if rng.random() < 0.2 and not loose.endswith("?"):
        loose = f"{loose} {rng.choice(TAILS)}"
    return loose
