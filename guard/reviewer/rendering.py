"""Pages from templates. Whatever a template prints is a text, never markup, and can be seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from guard.reviewer import wording
from guard.reviewer.moments import ago, moment

TEMPLATES: Final = Path(__file__).with_name("templates")
_JOINS: Final = "\u0600-\u06ff\u0900-\u0dff"  # scripts in which joiners tell how letters meet
_EMOJI: Final = "#*0-9\u00a9\u00ae\u2000-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
    f"|(?<![{_JOINS}{_EMOJI}\ufe0f])[\u200c\u200d]|(?<![{_EMOJI}])\ufe0f"
)
_LINES: Final = re.compile("\r\n?")


def visible(value: object) -> object:
    """Texts with every character that hides, turns round or breaks the page written out.

    Controls, marks of direction, characters without width and lone surrogates become [U+XXXX], so
    that what a person sees is all there is. Markup that a template made is left as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", _LINES.sub("\n", value))


def environment() -> Environment:
    """The templates, with escaping always on."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["words"] = wording
    made.filters["named"] = wording.named
    made.filters["ago"] = ago
    made.filters["moment"] = moment
    return made
