"""Words that name a group of people, by which the mix is balanced."""

import re
from collections.abc import Iterable
from itertools import pairwise

# Each entry is one term with its inflections: the balance is struck per entry.
TERMS: dict[str, str] = {
    "jew": "jew|jews|jewish|judaism",
    "muslim": "muslim|muslims|moslem|moslems",
    "islam": "islam|islamic",
    "christian": "christian|christians|christianity",
    "catholic": "catholic|catholics",
    "hindu": "hindu|hindus|hinduism",
    "buddhist": "buddhist|buddhists|buddhism",
    "sikh": "sikh|sikhs",
    "atheist": "atheist|atheists|atheism",
    "woman": "woman",
    "women": "women|womens",
    "man": "man",
    "men": "men",
    "girl": "girl|girls",
    "boy": "boy|boys",
    "wife": "wife|wives|girlfriend|girlfriends",
    "mothe": "mother|mothers|mom|moms",
    "female": "female|females",
    "male": "male|males",
    "feminist": "feminist|feminists|feminism",
    "black": "black|blacks",
    "white": "white|whites",
    "african": "african|africans|africa",
    "asian": "asian|asians",
    "chinese": "chinese|china",
    "japanese": "japanese|korean|koreans|vietnamese",
    "indian": "indian|indians|pakistani|pakistanis",
    "arab": "arab|arabs|arabic",
    "middle eastern": "middle eastern|iranian|iranians|turkish|syrian|syrians"
    "|palestinian|palestinians",
    "mexican": "mexican|mexicans|mexico",
    "latino": "latino|latinos|latina|latinas|hispanic|hispanics",
    "native": "native american|native americans|indigenous|aboriginal|aboriginals",
    "european": "german|germans|french|italian|italians|polish|russian|russians|irish",
    "immigrant": "immigrant|immigrants|immigration|migrant|migrants",
    "refugee": "refugee|refugees|foreigner|foreigners",
    "gay": "gay|gays",
    "homosexual": "homosexual|homosexuals|homosexuality",
    "lesbian": "lesbian|lesbians",
    "bisexual": "bisexual|bisexuals|queer|queers|lgbt|lgbtq",
    "trans": "trans|transgender|transsexual|transsexuals|transgenders",
    "disabled": "disabled|disability|disabilities|wheelchai",
    "blind": "blind|deaf",
    "mental": "mentally ill|mental illness|autistic|autism|schizophrenic|bipola",
    "mentally disabled": "mentally disabled|mentally handicapped|down syndrome",
    "old": "old people|elderly|old man|old woman|boomer|boomers",
    "poo": "poor people|homeless",
    "fat": "fat|obese|overweight",
    "gypsy": "roma|romani|gypsy|gypsies",
}

TERM_OF = {form: term for term, forms in TERMS.items() for form in forms.split("|")}
WORD = re.compile(r"[a-z]+")


def terms_in(text: str) -> frozenset[str]:
    """The terms that a text mentions, as one word or as two in a row."""
    words = WORD.findall(text.lower())
    pairs = map(" ".join, pairwise(words))
    return frozenset(TERM_OF[form] for form in {*words, *pairs} & TERM_OF.keys())


def mentions(texts: Iterable[str]) -> list[frozenset[str]]:
    return [terms_in(text) for text in texts]
