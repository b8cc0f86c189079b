"""Spelling tricks by which people slip past filters, or just play: the meaning stays."""

import re
from collections.abc import Callable
from random import Random

LEET = {"a": "4@", "e": "3", "i": "1!", "o": "0", "s": "5$", "t": "7+", "l": "1", "b": "8"}
CYRILLIC = dict(zip("aceopxyisABCEHKMOT", "асеорхуіѕАВСЕНКМОТ", strict=True))
GREEK = dict(zip("aovuiAEOT", "αονυιΑΕΟΤ", strict=True))
HIDDEN = "\u200b\u200c\u200d\u2060\u00ad"
EMOJI = tuple("😂🔥😡🙃💀🤡😍🙄👏😭✨🤣👍💩🎉")
WORD = re.compile(r"[A-Za-z]{4,}")
Trick = Callable[[str, Random], str]


def replaced(word: str, table: dict[str, str], share: float, rng: Random) -> str:
    return "".join(
        rng.choice(table[char]) if char in table and rng.random() < share else char for char in word
    )


def leet(word: str, rng: Random) -> str:
    folded = {**LEET, **{key.upper(): value for key, value in LEET.items()}}
    return replaced(word, folded, rng.uniform(0.4, 1.0), rng)


def homoglyphs(word: str, rng: Random) -> str:
    return replaced(word, rng.choice((CYRILLIC, CYRILLIC, GREEK)), rng.uniform(0.4, 1.0), rng)


def spread(word: str, rng: Random) -> str:
    return rng.choice((" ", ".", "-", "_", "*", "/")).join(word)


def starred(word: str, rng: Random) -> str:
    """Inner letters hidden, the first and the last left to see."""
    hidden = rng.sample(range(1, len(word) - 1), rng.randint(1, max(1, (len(word) - 2) // 2)))
    mark = rng.choice("*#-")
    return "".join(mark if place in hidden else char for place, char in enumerate(word))


def doubled(word: str, rng: Random) -> str:
    place = rng.randrange(1, len(word))
    return word[:place] + word[place - 1] * rng.randint(1, 4) + word[place:]


def vowelless(word: str, rng: Random) -> str:
    return word[0] + re.sub(r"[aeiou]", lambda v: "" if rng.random() < 0.8 else v[0], word[1:])


def hidden(word: str, rng: Random) -> str:
    return rng.choice(HIDDEN).join(word)


def swapped(word: str, rng: Random) -> str:
    place = rng.randrange(1, len(word) - 2)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def shouted(word: str, _: Random) -> str:
    return word.upper()


def alternating(word: str, _: Random) -> str:
    return "".join(c.upper() if i % 2 else c.lower() for i, c in enumerate(word))


WORD_TRICKS: tuple[Trick, ...] = (
    leet,
    leet,
    homoglyphs,
    homoglyphs,
    spread,
    starred,
    doubled,
    vowelless,
    hidden,
    swapped,
    shouted,
    alternating,
)


def decorated(text: str, rng: Random) -> str:
    """Emoji at the end, or between the words."""
    if rng.random() < 0.6:
        return f"{text} {rng.choice(EMOJI) * rng.randint(1, 3)}"
    words = text.split(" ")
    for _ in range(rng.randint(1, 3)):
        words.insert(rng.randrange(1, len(words) + 1), rng.choice(EMOJI))
    return " ".join(words)


def run_together(text: str, rng: Random) -> str:
    """A few words without the space between them."""
    return re.sub(r" ", lambda _: "" if rng.random() < 0.35 else " ", text)


def by_words(text: str, rng: Random) -> str:
    """One trick, on some or most of the longer words."""
    trick, share = rng.choice(WORD_TRICKS), rng.choice((0.3, 0.5, 0.8, 1.0))
    changed = WORD.sub(lambda m: trick(m[0], rng) if rng.random() < share else m[0], text)
    return changed if changed != text else WORD.sub(lambda m: trick(m[0], rng), text)


def disguise(text: str, rng: Random) -> str:
    """The text with one or two spelling tricks."""
    whole: tuple[Trick, ...] = (decorated, run_together, lambda t, _: t.upper())
    tricks = [rng.choice(whole) if rng.random() < 0.25 else by_words]
    if rng.random() < 0.2:
        tricks.append(decorated)
    for trick in tricks:
        text = trick(text, rng)
    return text
