"""Words that stand one by one in a source of JSON: as its keys, as its values, or as both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from guard.replies.json_text import EscapeDecoder

LONGEST_SHORT: Final = 24
"""Characters of a key or value that may be a word of a sentence; a longer one is read as it is."""
FEWEST: Final = 4
"""From so many on they may be a sentence."""
_STEP = re.compile(r'\\.|"|[^"\\]+', re.DOTALL)


class ShortStrings:
    """Reads one source, which may come in parts."""

    def __init__(self) -> None:
        self._begun = ""
        self._inside = False
        self._string = ""
        self._ended = False
        self._runs: dict[str, list[str]] = {"keys": [], "values": [], "strings": []}

    def read(self, part: str) -> list[tuple[str, str]]:
        """What of the keys, of the values and of all is to be judged now as one text, with the name
        of each: nothing while there are few."""
        before = {name: len(run) for name, run in self._runs.items()}
        for text, is_key in self._strings(part):
            if 0 < len(text) <= LONGEST_SHORT:
                _take(self._runs["keys" if is_key else "values"], text)
                _take(self._runs["strings"], text)
        return [(name, said) for name in before if (said := self._said(name, before[name]))]

    def _said(self, name: str, before: int) -> str:
        run = self._runs[name]
        if len(run) < FEWEST or len(run) == before:
            return ""
        new = run[before:] if before >= FEWEST else run
        return "".join(f"{text} " for text in new)

    def _strings(self, part: str) -> Iterator[tuple[str, bool]]:
        """Those that end in `part`, and whether each is a key: what follows tells."""
        source, self._begun = self._begun + part, ""
        for found in _STEP.finditer(source):
            step = found[0]
            if step == '"':
                self._inside, self._ended = not self._inside, self._inside
                self._string = self._string if self._ended else ""
            elif self._inside:
                self._string += step if len(self._string) <= 6 * LONGEST_SHORT else ""
            elif self._ended and step.strip():
                self._ended = False
                yield EscapeDecoder().read(self._string), step.lstrip().startswith(":")
        if (len(source) - len(source.rstrip("\\"))) % 2:
            self._begun = "\\"


def _take(run: list[str], text: str) -> None:
    """The third time in a row and on, a word says nothing more."""
    if run[-2:] != [text, text]:
        run.append(text)
