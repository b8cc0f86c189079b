"""Pages from templates: what they print is always text, never markup, with nothing invisible."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

Labels: TypeAlias = Mapping[str, Mapping[str, str]]
TEMPLATES: Final = Path(__file__).with_name("templates")
LABELS: Final = Path(__file__).with_name("labels.json")
UNITS: Final = ((60.0, "s"), (3600.0, "min"), (86_400.0, "h"), (float("inf"), "d"))
_JOINING_SCRIPTS: Final = "\u0600-\u06ff\u0900-\u0dff"  # where joiners change how letters connect
_EMOJI: Final = "#*0-9\u00a9\u00ae\u2000-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
    f"|(?<![{_JOINING_SCRIPTS}{_EMOJI}\ufe0f])[\u200c\u200d]|(?<![{_EMOJI}])\ufe0f"
)
_LINE_ENDS: Final = re.compile("\r\n?")


def show_invisible(value: object) -> object:
    """A text with its invisible characters written out as [U+XXXX].

    These are control characters, direction marks, characters without width and lone surrogates:
    what a person sees is all there is. Markup made by a template stays as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _INVISIBLE.sub(lambda found: f"[U+{ord(found[0]):04X}]", _LINE_ENDS.sub("\n", value))


def load_labels() -> Labels:
    """By what they name, the labels of all codes."""
    labels: Labels = json.loads(LABELS.read_text(encoding="utf-8"))
    return labels


def template_environment(labels: Labels) -> Environment:
    """The templates, with escaping always on."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=show_invisible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["labels"] = labels
    made.filters["label"] = label_for
    made.filters["age"] = format_age
    made.filters["time"] = format_time
    return made


def label_for(code: str, names: Mapping[str, str]) -> str:
    """The name of a code; the code itself in readable form where it has none."""
    return names.get(code) or code.replace("_", " ")


def as_sentence(error: Exception) -> str:
    """The message of an error, with a capital and a full stop."""
    text = str(error)
    return text[:1].upper() + text[1:].rstrip(".") + "."


def format_time(seconds: float) -> str:
    """A Unix time, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_age(at: float, now: float) -> str:
    """The time since `at`, in one unit."""
    return format_duration(float(int(max(now - at, 0.0))))


def format_duration(seconds: float) -> str:
    """A duration in one unit, like `12 min`; below 10 s with a tenth."""
    if 0 < seconds < 10 and seconds % 1:
        return f"{seconds:.1f} s"
    unit = 1.0
    for most, name in UNITS:
        if seconds < most:
            return f"{int(seconds / unit)} {name}"
        unit = most
    return ""
