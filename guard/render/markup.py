"""Elements of HTML and SVG from values: what is not `Markup` is text, and is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

from guard.render.visible import visible_text

VOID: Final = frozenset(("br", "input", "meta", "wbr"))
"""Elements of HTML that have no end."""


@dataclass(frozen=True, slots=True)
class Markup:
    """Markup that is finished: only this module makes it from texts."""

    text: str

    def __html__(self) -> str:
        """For templates that escape what is no markup."""
        return self.text


Content: TypeAlias = Markup | str
Attribute: TypeAlias = str | float | bool | None
NOTHING: Final = Markup("")


def element(name: str, /, *children: Content, **attributes: Attribute) -> Markup:
    """An element. name: from the code, never from data.

    Attributes are written with `-` for `_`, without a `_` at their end (`class_`). None and False
    leave one out, True gives it no value.
    """
    start = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Markup(start if name in VOID else f"{start}{join(children).text}</{name}>")


def join(parts: Iterable[Content], between: Content = NOTHING) -> Markup:
    """Parts one after the other."""
    return Markup(_text(between).join(_text(one) for one in parts))


def _text(part: Content) -> str:
    return part.text if isinstance(part, Markup) else escape(visible_text(part), quote=False)


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_attribute_text(value)}"'


def _attribute_text(value: str | float) -> str:
    if isinstance(value, str):
        return escape(visible_text(value))
    return f"{value:.1f}".removesuffix(".0")
