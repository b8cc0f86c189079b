"""Tokens of a text without the signs that a vocabulary does not have."""

from __future__ import annotations

from dataclasses import dataclass, field

from guard.scoring.word_encoder import Encode, Encoding

_SPACE = " "


@dataclass(frozen=True, slots=True)
class KnownEncoder:
    """Gives the encoding of a text as if signs that the vocabulary does not have were spaces.

    An emoji is one token for "unknown", as is the word that it touches: so one of them would hide a
    word, and a classifier hears the sentence behind it as something else than it is.
    unknown: the token of what it does not have.
    """

    encode: Encode
    unknown: int
    _signs: dict[str, bool] = field(default_factory=dict)

    def __call__(self, text: str) -> Encoding:
        """`text` as tokens, at its own offsets."""
        if text.isascii():
            return self.encode(text)
        found = {ord(sign): _SPACE for sign in set(text) if self._is_unknown(sign)}
        return self.encode(text.translate(found) if found else text)

    def _is_unknown(self, character: str) -> bool:
        """Whether it is a sign, not a letter, and unknown; what was found is kept."""
        if character.isascii() or character.isalpha():
            return False
        known = self._signs.get(character)
        if known is None:
            known = self._signs[character] = self.unknown in self.encode(character).ids
        return known
