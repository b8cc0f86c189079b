"""A reply once more as tokens: beside the text, as strings with probabilities or as numbers."""

from __future__ import annotations

import re
from typing import Any

from guard.replies.schema import is_name

_LONGEST_TOKEN = 64
_PART_OF_CHARACTER = re.compile(r"(?:bytes:)?(?:\\x[0-9a-fA-F]{2}|\ufffd)+")


def are_numbers(values: list[Any]) -> bool:
    """Whether they are numbers alone, as tokens are, and bytes."""
    return bool(values) and all(type(one) in {int, float} for one in values)


class TokenTexts:
    """The texts in a `logprobs` object: the reply once more, as tokens.

    alternatives: the client asked for tokens that the model did not choose, so that short ones
    pass. text: that the chosen tokens make. others: every other string.
    """

    def __init__(self, value: Any, *, alternatives: bool) -> None:
        self._alternatives = alternatives
        self._said = bytearray()
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
        self.text = self._said.decode("utf-8", "replace")

    def _take(self, text: str, key: str) -> None:
        if key in {"token", "tokens"}:
            self._said += text.encode("utf-8", "replace")
        elif text:
            self.others.append(text)

    def _members(self, node: dict[str, Any], key: str) -> list[tuple[Any, str]]:
        if key == "top_logprobs":
            self._take_alternatives(node)
            return []
        self.others += [name for name in node if name and not is_name(name)]
        inner = list(reversed(node.items()))
        if (spelled := _token_bytes(node)) is not None:
            self._said += spelled
            inner = [(name, one) for name, one in inner if name != "token"]
        return [(one, name) for name, one in inner]

    def _take_alternatives(self, node: dict[str, Any]) -> None:
        """Alternative tokens: the keys of `node`, or the strings in it."""
        strings = [*node, *(one for one in node.values() if isinstance(one, str))]
        held = [one for one in strings if not self._alternatives or len(one) > _LONGEST_TOKEN]
        self.others += [one for one in held if one and one not in {"token", "logprob", "bytes"}]
        self.others += [str(one) for one in node.values() if not _says_nothing(one)]


def _says_nothing(value: Any) -> bool:
    """Whether a value beside a token contains no text."""
    if isinstance(value, list):
        return all(type(one) is int for one in value)
    return not isinstance(value, dict)


def _token_bytes(node: dict[str, Any]) -> bytes | None:
    """The bytes of a token, if its string is the same or a part of a character."""
    token, found = node.get("token"), node.get("bytes")
    if not isinstance(token, str) or not isinstance(found, list):
        return None
    try:
        made = bytes(found)
    except (TypeError, ValueError):
        return None
    same = made == token.encode("utf-8", "replace") or _PART_OF_CHARACTER.fullmatch(token)
    return made if same else None
