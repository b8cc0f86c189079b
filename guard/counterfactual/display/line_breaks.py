"""Which line breaks only wrap a sentence, so that they show no more than a blank."""

from __future__ import annotations

import re
from collections.abc import Callable

from guard.counterfactual.english.words import english, word_set

TAIL = 40
"""Characters before a line break that are looked at."""
AHEAD = 80
"""Characters after a line break that are looked at."""

_MARKS = " *_~\"'“”‘’()[]"
_LEADING = re.compile(r"(?:[*_~\"'“‘(\[]|</?\w[^<>]{0,40}>|&\w{2,8};)*+")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|St|Sir|Lady|Madam)\.?$")
_BLOCK = re.compile(
    r"[-+*•–—]\s|\#{1,6}\s|\d{1,3}[.)]\s|[|>]|```|~~~|[=-]{3}"
    r"|</?(?:p|div|ul|ol|li|t[drh]|table|h\d|blockquote|hr|pre)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W_][\w.'’/() -]{0,30}[*_]{0,2} ?:(?!//)")
_HYPHEN = re.compile(r"[^\W\d_]-$")
_REST = re.compile(r"(?!(?:and|or|to)\b)[a-z]")  # not of "pre- and post-war"
_LAST_WORD = re.compile(r"[^\W_]+$")
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"\d+(?:[.,]\d+)*+(?:st|nd|rd|th)?(?:[ -][^\W\d_]|[.,;!?)])")
_ENDS = frozenset(".!?:;…|")
_ROW = re.compile(r"(?=.*?[^\s\d][,;\t]\S|.*?\S[,;\t][^\s\d])(?!.*[,;] )")
_OBJECTS = word_set("her him me you it us them this that not here there today tomorrow now")
_CALLING = word_set("ask asks meet meets met see saw help contact inform remind invite")
_OPENINGS = word_set(
    "thanks thank regards best cheers sincerely kind warm yours love dear hello hi hey please many"
    " sent from to subject date re"
)


def shown_break(before: str, written: str, after: str, is_name: Callable[[str], bool]) -> str:
    """What a line break is shown as: a blank where it wraps a sentence, nothing after a hyphen.

    before, after: the `TAIL` characters before it, as shown, and the `AHEAD` after it, as written.
    is_name: whether a capitalised word is known as a name.
    """
    breaks = len(re.findall(r"<br\s*/?>\s*?\n|\n|<br|\\n", written, re.IGNORECASE))
    if breaks == 1 and _HYPHEN.search(before) and _REST.match(after):
        return ""
    if breaks == 1 and _wraps(before.rstrip(_MARKS), after, is_name):
        return " "
    plain = "\\" not in written and "<" not in written
    return written if plain else "\n" * min(breaks, 2)


def _wraps(before: str, after: str, is_name: Callable[[str], bool]) -> bool:
    if not before.strip() or _BLOCK.match(after) or _is_row(before, after):
        return False
    after = _LEADING.sub("", after, count=1)
    titled = _TITLE.search(before) is not None
    if not after or (before[-1] in _ENDS and not titled):
        return False
    last = _LAST_WORD.search(before)
    word = last[0].lower() if last else ""
    bound = word in english().closed and word not in _OBJECTS
    return _goes_on(after, last[0] if last else "", is_name, bound=bound or titled)


def _is_row(before: str, after: str) -> bool:
    """Whether both lines have cells, as those of a CSV file: "name,gender", "emily,female"."""
    last = before.rpartition("\n")[2]
    return _ROW.match(last) is not None and _ROW.match(after) is not None


def _goes_on(after: str, last: str, is_name: Callable[[str], bool], *, bound: bool) -> bool:
    """Whether the next line goes on with the sentence. bound: no sentence ends at its last word."""
    first, owner = after[0], last.lower() in ("her", "his")
    if _LABEL.match(after):
        return first.islower() and (bound or owner)
    if first.islower() or bound:
        return True
    if not first.isalpha():
        return owner or (first.isdigit() and _COUNTED.match(after) is not None)
    found = _WORD.match(after)
    word = found[0] if found else ""
    if owner:
        return len(word) > 1 and word.isupper()
    end = after[len(word) : len(word) + 1]
    alone = not end or end == "\n"
    return not alone and _are_one_name(last, word, is_name)


def _are_one_name(last: str, word: str, is_name: Callable[[str], bool]) -> bool:
    """Whether two words around a line break belong together, as far as their looks tell.

    "Mary Smith", "White Album" and "Tell Rose" do; "Hi Mary" and "Thanks for", "Notes" and "Mary
    said" do not.
    """
    if {last.lower(), word.lower()} & _OPENINGS or word.lower() in english().closed:
        return False
    called = last.lower() in english().saying | _CALLING
    if is_name(word):
        return called or (last[:1].isupper() and is_name(last))
    return last[:1].isupper() and not word.endswith("ing")
