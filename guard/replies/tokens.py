"""A reply once more as tokens: beside the text, as strings with probabilities or as numbers."""

from __future__ import annotations

import re
from typing import Any

from guard.replies.schema import is_name

_LONGEST_TOKEN = 64
_NAMED_BLANKS = str.maketrans("\u0120\u010a\u2581", " \n ")
_SPECIAL = re.compile(
    r"</?s>|<(?:[be]os|(?:start|end)_of_turn)>"
    r"|<\|(?:im_(?:start|end)|eo[tm]_id|end|return|endoftext|(?:begin|end)_of_text)\|>"
)
_WORD = re.compile(r"[\u0120\u2581]?[^\W\d_][\w'\u2019]*[.,!?]?|[.,!?]")
_FEWEST_WORDS = 4
_PART_OF_CHARACTER = re.compile(r"(?:bytes:)?(?:\\x[0-9a-fA-F]{2}|\ufffd)+")


def are_numbers(values: list[Any]) -> bool:
    """Whether they are numbers alone, as tokens are, and bytes."""
    return bool(values) and all(type(one) in {int, float} for one in values)


class TokenTexts:
    """The texts in a `logprobs` object: the reply once more, as tokens.

    alternatives: the client asked for tokens that the model did not choose, so that short ones
    pass. text: what the chosen tokens say together. words: what they say with a blank between each,
    where all are words and none has a blank. others: every other string, and what their bytes spell
    where that is something else.
    """

    def __init__(self, value: Any, *, alternatives: bool) -> None:
        self._alternatives = alternatives
        self._said = list[bytes]()
        self._spelt = bytearray()
        self._differs = False
        self.others: list[str] = []
        waiting = [(value, "")]
        while waiting:
            node, key = waiting.pop()
            if isinstance(node, str):
                self._take(node, key)
            elif isinstance(node, list):
                waiting += [(one, key) for one in reversed(node)]
            elif isinstance(node, dict):
                waiting += self._members(node, key)
        self.text = b"".join(self._said).decode("utf-8", "replace")
        self.words = self._spaced()
        if self._differs:
            self.others.append(self._spelt.decode("utf-8", "replace"))

    def repeats(self, said: str) -> bool:
        """Whether the chosen tokens say nothing beside `said`, as they are, by their names in a
        vocabulary, or without those that end a reply."""
        if self.text in said:
            return True
        plain = _SPECIAL.sub("", self.text)
        return plain in said or plain.translate(_NAMED_BLANKS).strip() in said

    def _spaced(self) -> str:
        words = [one.decode("utf-8", "replace") for one in self._said]
        are_words = len(words) >= _FEWEST_WORDS and all(map(_WORD.fullmatch, words))
        return " ".join(one.translate(_NAMED_BLANKS).strip() for one in words) if are_words else ""

    def _take(self, text: str, key: str) -> None:
        if key in {"token", "tokens"}:
            self._said.append(text.encode("utf-8", "replace"))
        elif text:
            self.others.append(text)

    def _members(self, node: dict[str, Any], key: str) -> list[tuple[Any, str]]:
        if key == "top_logprobs":
            self._take_alternatives(node)
            return []
        self.others += [name for name in node if name and not is_name(name)]
        inner = list(reversed(node.items()))
        if (spelt := _bytes_of(node)) is not None:
            self._spelt += spelt
            if _is_said_by(node.get("token"), spelt):
                self._said.append(spelt)
                return [(one, name) for name, one in inner if name != "token"]
            self._differs = self._differs or bool(spelt)
        return [(one, name) for name, one in inner]

    def _take_alternatives(self, node: dict[str, Any]) -> None:
        """Alternative tokens: the keys of `node`, or the strings in it."""
        strings = [*node, *(one for one in node.values() if isinstance(one, str))]
        held = [one for one in strings if not self._alternatives or len(one) > _LONGEST_TOKEN]
        self.others += [one for one in held if one and one not in {"token", "logprob", "bytes"}]
        self.others += [str(one) for one in node.values() if not _says_nothing(one)]
        if (spelt := _bytes_of(node)) and not _is_said_by(node.get("token"), spelt):
            self.others.append(spelt.decode("utf-8", "replace"))


def _says_nothing(value: Any) -> bool:
    """Whether a value beside a token contains no text."""
    if isinstance(value, list):
        return all(type(one) is int for one in value)
    return not isinstance(value, dict)


def _bytes_of(node: dict[str, Any]) -> bytes | None:
    """The bytes of a token; None where there are none."""
    found = node.get("bytes")
    try:
        return bytes(found) if isinstance(found, list) else None
    except (TypeError, ValueError):
        return None


def _is_said_by(token: object, spelt: bytes) -> bool:
    """Whether these bytes are those of the token's string, or that is a part of a character."""
    if not isinstance(token, str):
        return False
    return spelt == token.encode("utf-8", "replace") or bool(_PART_OF_CHARACTER.fullmatch(token))
