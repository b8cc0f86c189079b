"""Write `guard/text/english_words.txt`: English words, the commonest first.

    pip install symspellpy==6.10.1
    python scripts/english_words.py > guard/text/english_words.txt

From the frequency dictionary that the package `symspellpy` carries: words of SCOWL by how often
Google's Books Ngram Viewer has them.
"""

from __future__ import annotations

import sys
from importlib import resources
from itertools import islice
from textwrap import wrap

HEADER = """\
# English words, the commonest first, written by scripts/english_words.py; do not edit.
# From the frequency dictionary of symspellpy (MIT License): Google Books Ngram data
# (https://books.google.com/ngrams, CC BY 3.0) of the words of SCOWL (http://wordlist.aspell.net,
# Copyright Kevin Atkinson, free to use, copy, modify and distribute).
"""
FILE = "frequency_dictionary_en_82_765.txt"
MOST = 45_000
SHORT = frozenset({"a", "i"})
BESIDE_RANK = {
    "cannot": 300, "dont": 300, "im": 300, "youre": 600, "thats": 600, "cant": 900, "didnt": 900,
    "doesnt": 900, "hes": 900, "shes": 900, "isnt": 1200, "wont": 1200, "ive": 1200, "lets": 1200,
    "theres": 1200, "couldnt": 1800, "wouldnt": 1800, "wasnt": 1800, "theyre": 1800, "arent": 2400,
    "shouldnt": 2400, "hasnt": 2400, "havent": 2400, "werent": 2400, "whats": 2400, "whos": 2400,
    "hadnt": 3600, "theyll": 3600, "youll": 3600, "youve": 3600, "youd": 3600, "weve": 3600,
    "theyve": 3600, "theyd": 3600, "asshole": 4800, "openai": 9000, "assholes": 9000,
    "dumbass": 9000, "stfu": 12000, "faggots": 20000, "subhuman": 20000, "gassed": 20000,
    "imbecile": 20000, "kike": 30000, "kikes": 30000, "wetback": 30000, "gook": 30000,
    "towelhead": 30000, "tranny": 30000, "trannies": 30000, "spic": 30000, "chink": 30000,
}  # fmt: skip
"""What people write as one word, and the dictionary has not or as a rarer one, before the word of
this rank. A guard has to know the words that it is there for."""


def main() -> None:
    lines = (resources.files("symspellpy") / FILE).read_text("utf-8-sig").splitlines()
    words = (line.split()[0] for line in lines)
    chosen = list(islice(filter(is_word, words), MOST))
    for word, rank in sorted(BESIDE_RANK.items(), key=lambda one: -one[1]):
        chosen.insert(rank, word)
    sys.stdout.write(HEADER)
    sys.stdout.write("\n".join(wrap(" ".join(dict.fromkeys(chosen)), 100)) + "\n")


def is_word(entry: str) -> bool:
    return entry.isalpha() and entry.isascii() and (len(entry) > 1 or entry in SHORT)


if __name__ == "__main__":
    main()
