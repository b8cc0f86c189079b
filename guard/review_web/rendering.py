"""Pages from templates: what they print is always text, never markup, with nothing invisible."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from guard.render.numbers import format_time
from guard.render.visible import visible_text

Labels: TypeAlias = Mapping[str, Mapping[str, str]]
TEMPLATES: Final = Path(__file__).with_name("templates")
LABELS: Final = Path(__file__).with_name("labels.json")
UNITS: Final = ((60.0, "s"), (3600.0, "min"), (86_400.0, "h"), (float("inf"), "d"))


def show_invisible(value: object) -> object:
    """A text with its invisible characters written out as [U+XXXX]; markup stays as it is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return visible_text(value)


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
