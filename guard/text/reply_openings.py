"""What a reply says first, without what it is wrapped in: reasoning, JSON, markup, a greeting.

Where such a sign may as well mean that something is quoted, drafted or listed, the whole reply
decides: a single item of a list wraps what is said, several are a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Final

from guard.text.invisible import UNSEEN
from guard.text.json_answers import answer_in_json

LONGEST: Final = 8_000
"""Of a reply, without its reasoning; a longer one is not unwrapped."""
_MOST_WRAPPINGS: Final = 8

_REASONING = re.compile(r"\s*<(think|thinking|thought|reasoning|analysis|reflection|scratchpad)>")
_END_OF_THINKING: Final = "</think>"  # some templates begin it for the model
_FENCED = re.compile(
    r"\s*```[ \t]*(?:text|txt|plaintext|markdown|md|json)?[ \t]*\n((?:(?!```).)*+)```\s*",
    re.DOTALL | re.IGNORECASE,
)
_NOTHING_SEEN = re.compile(f"[{UNSEEN}]+")
_BLANKS = re.compile(r"[^\S\n]+")
_APOSTROPHES = re.compile("[’ʼ′＇]")
_TAGS: Final = (
    (re.compile(r"</?(?:b|strong|i|em|u|span|small|mark|font)\s*>", re.IGNORECASE), ""),
    (re.compile(r"<li\s*>", re.IGNORECASE), "\n- "),
    (re.compile(r"<h[1-6]\s*>", re.IGNORECASE), "\n# "),
    (
        re.compile(
            r"</?(?:p|div|section|article|main|body|html|ul|ol|li|h[1-6]|answer|final_answer"
            r"|response|reply|output|result|message|text)\s*>|<br\s*/?>",
            re.IGNORECASE,
        ),
        "\n",
    ),
)
_EMPHASIS = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|~~")
_WRAPPED_LINE = re.compile(r" ?\n ?(?=[a-z]|I\b|AI\b)")

_EMOJI: Final = "[\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\U0001f000-\U0001faff]"
_ITEM: Final = r"(?:[-*+•·]|\d{1,2}[.)])\s"
_CLOSING: Final = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "'", "'": "'"}
_SPEAKER: Final = r"[^\W\d]\w*(?: \w+)?:(?=\s)"
_ASSISTANT: Final = (
    r"(?:(?:ai |virtual )?assistant|ai|bot|chatbot|model|(?:final )?answer|response|reply|output)"
    r":\s+"
)
_GREETING = re.compile(
    r"(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening|day)|dear)\b"
    r"(?:,? (?!(?:i|we)\b)[\w.'-]{1,30}){0,4}(?: ?[,!.:…–—-]{1,3}\s*| ?\n\s*)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"^[^\w\n]{0,8}(?:(?:with|kind|best|warm|many|yours|most|very|all my)\s){0,3}"
    r"(?:regards|sincerely|yours|best|love|cheers|thanks|thank you|wishes|warmly|respectfully"
    r"|truly|faithfully|hugs|xo+)\b[^.!?\n]{0,30}$"
    r"|\b(?:regards|sincerely|best|love|cheers|yours),? \w{1,30}\W{0,8}\Z",
    re.IGNORECASE | re.MULTILINE,
)
_NAME_BELOW = re.compile(
    r"\n[^\w\n]{0,8}[A-Z][\w'.-]{0,30}(?: [\w'.-]{1,30}){0,3}\W{0,2}(?<![.!?])\s*\Z"
)
_TITLE = re.compile(  # a first line of emphasis that is no sentence
    r"(?:#{1,6} [^\n]*|(\*{1,3}|_{1,3})[^*_\n]*\1)(?<![.!?:])(?<![.!?:][*_])(?<![.!?:][*_]{2})"
    r"\s*\n\s*\S"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyOpening:
    """What a reply begins with. may_be_drafted: whether the words may be meant for somebody else,
    as those of a letter and of a quotation are."""

    text: str
    may_be_drafted: bool = False


def reply_opening(reply: str) -> ReplyOpening | None:
    """What a reply says first; None where it is no reply in prose, or quotes, lists or drafts
    what it begins with."""
    said = _without_reasoning(reply)
    if len(said) > LONGEST:
        return None
    if fenced := _FENCED.fullmatch(said):
        said = fenced[1]
    if not said.lstrip().startswith(("{", "[")):
        return _unwrapped(_plain(said))
    answer = answer_in_json(said)
    if answer is None:
        return None
    return _unwrapped(_plain(answer.text), may_be_drafted=not answer.is_named)


def _without_reasoning(reply: str) -> str:
    end = f"</{found[1]}>" if (found := _REASONING.match(reply)) else _END_OF_THINKING
    before, sign, behind = reply.partition(end)
    return behind if sign else before


def _plain(text: str) -> str:
    """With plain blanks and apostrophes, and without signs that show nothing and simple tags."""
    text = _NOTHING_SEEN.sub("", unescape(text))
    for tag, shown in _TAGS:
        text = tag.sub(shown, text)
    return _BLANKS.sub(" ", _APOSTROPHES.sub("'", text)).strip()


def _unwrapped(text: str, *, may_be_drafted: bool = False) -> ReplyOpening | None:
    for _ in range(_MOST_WRAPPINGS):
        wrapping = next((one for one in _WRAPPINGS if one.begins.match(text)), None)
        if wrapping is None:
            break
        within = wrapping.within(text)
        if within is None:
            return None
        text, may_be_drafted = within.strip(), may_be_drafted or wrapping.may_be_drafted
    text = _WRAPPED_LINE.sub(" ", _EMPHASIS.sub("", text))
    return ReplyOpening(text=text, may_be_drafted=may_be_drafted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrapping:
    """begins: how a text begins that has it. within: such a text without it, or None where the
    text does not say what it begins with."""

    begins: re.Pattern[str]
    within: Callable[[str], str | None]
    may_be_drafted: bool = False


def _only_line(begins: str, *, others: str | None = None) -> _Wrapping:
    """A sign before one line only: before several it makes them a list, or a dialogue."""
    first = re.compile(begins, re.IGNORECASE)
    other = re.compile(rf"\n\W{{0,3}}{others or begins}", re.IGNORECASE)

    def within(text: str) -> str | None:
        return None if other.search(text) else first.sub("", text, count=1)

    return _Wrapping(begins=first, within=within)


def _quoted(text: str) -> str | None:
    """Without quotation marks around all of it."""
    closing, said = _CLOSING[text[0]], text[1:-1]
    if len(text) < 2 or text[-1] not in closing:
        return None
    inner = r"'(?!\w)" if closing == "'" else f"[{text[0]}{closing}]"
    return None if re.search(inner, said) else said


def _block_quote(text: str) -> str | None:
    lines = [line.strip() for line in text.split("\n")]
    if not all(line.startswith(">") for line in lines if line):
        return None
    return "\n".join(line.removeprefix(">").strip() for line in lines)


def _stressed(text: str) -> str | None:
    """Without emphasis; None where it makes the first line a title."""
    return None if _TITLE.match(text) else _EMPHASIS.sub("", text)


def _greeted(text: str) -> str | None:
    """Without the greeting; None for a letter that somebody is to sign."""
    signed = _SIGNED.search(text) or _NAME_BELOW.search(text)
    return None if signed else _GREETING.sub("", text, count=1)


def _heading(text: str) -> str | None:
    return None if _TITLE.match(text) else text.lstrip("# ")


_WRAPPINGS: Final = (
    _Wrapping(begins=re.compile("[\"“„«‘']"), within=_quoted, may_be_drafted=True),
    _Wrapping(begins=re.compile(">"), within=_block_quote),
    _only_line(_ITEM),
    _only_line(f"{_EMOJI}+ ?", others=_EMOJI),
    _Wrapping(begins=re.compile("#{1,6} "), within=_heading),
    _Wrapping(begins=re.compile(r"[*_]{1,3}(?=\w)|~~"), within=_stressed),
    _only_line(_ASSISTANT, others=_SPEAKER),
    _Wrapping(begins=_GREETING, within=_greeted, may_be_drafted=True),
)
