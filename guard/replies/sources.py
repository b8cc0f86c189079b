"""What the arguments of tools say to those who decode them, once and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from guard.replies.fields import Path, TextField
from guard.replies.json_text import EscapeDecoder, decode_json
from guard.replies.schema import ReplyKind
from guard.replies.short_strings import ShortStrings

DEEPEST_SOURCE: Final = 3
"""How often arguments are decoded again, as sources of JSON that stand in sources of JSON."""


class SourceReader:
    """Reads the texts of one reply.

    said_in: all that clients join in a channel, with the text that was read last.
    """

    def __init__(self, said_in: Callable[[Path], str]) -> None:
        self._said_in = said_in
        self._decoders: dict[Path, EscapeDecoder] = {}
        self._short: dict[Path, ShortStrings] = {}

    def readings(self, field: TextField) -> Iterator[tuple[TextField, str]]:
        """The text of a field as it is parsed; of a tool also what sources of JSON in it say, each
        in a channel of its own."""
        text = self._parsed(field) if field.source else field.text
        yield field, text
        if field.source:
            yield from self._words(field)
        for _ in range(DEEPEST_SOURCE if field.kind is ReplyKind.TOOL else 0):
            inside = (*field.channel, "\\")
            decoded = _decoded(text) if field.whole else self._decoded_in(inside, field, text)
            if decoded is None:
                return
            field, text = replace(field, channel=inside, fixed=True), decoded
            yield field, text

    def _words(self, field: TextField) -> Iterator[tuple[TextField, str]]:
        """The words that stand one by one in its keys or values."""
        read = ShortStrings() if field.whole else self._short_in(field.channel)
        for name, said in read.read(field.text):
            channel = (*field.channel, f'"{name}"')
            yield replace(field, channel=channel, fixed=True, source=False), said

    def _short_in(self, channel: Path) -> ShortStrings:
        if channel not in self._short:
            self._short[channel] = ShortStrings()
        return self._short[channel]

    def _parsed(self, field: TextField) -> str:
        if field.whole:
            return decode_json(field.text)
        return self._decoders.setdefault(field.channel, EscapeDecoder()).read(field.text)

    def _decoded_in(self, inside: Path, field: TextField, text: str) -> str | None:
        """None while nothing in the channel of the field has to be decoded."""
        if inside not in self._decoders:
            if "\\" not in text:
                return None
            self._decoders[inside] = EscapeDecoder()
            text = self._said_in(field.channel)
        return self._decoders[inside].read(text)


def _decoded(text: str) -> str | None:
    """None where there is nothing to decode."""
    decoded = EscapeDecoder().read(text)
    return None if decoded == text else decoded
