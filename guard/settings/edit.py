"""One key of a guard.yaml changed, everything else in it left as it stands, comments too."""

from __future__ import annotations

import re

from guard.errors import SettingsError
from guard.settings.load import parse_settings

_SECTION = re.compile(r"^scoring:[ \t]*(#.*)?$", re.MULTILINE)
_MODEL = re.compile(r"^([ \t]+)model:[ \t]*[^#\n]*?([ \t]*#.*)?$", re.MULTILINE)
_NEXT_SECTION = re.compile(r"^[^\s#]", re.MULTILINE)


def with_model(text: str, name: str, *, source: str = "guard.yaml") -> str:
    """The text of a guard.yaml with `scoring.model: name`.

    Raises SettingsError for a text that is wrong, or is written so that it has to be changed by
    hand.
    """
    before = parse_settings(text, source=source)
    after = _edited(text, name)
    scoring = before.scoring.model_copy(update={"model": name})
    wanted = before.model_copy(update={"scoring": scoring})
    if parse_settings(after, source=source) != wanted:
        raise SettingsError(f"{source}: its `scoring` has to be changed by hand: model: {name}")
    return after


def _edited(text: str, name: str) -> str:
    if (section := _SECTION.search(text)) is None:
        return f"{text.rstrip()}\n\nscoring:\n  model: {name}\n".lstrip()
    begin = section.end()
    following = _NEXT_SECTION.search(text, begin)
    end = following.start() if following else len(text)
    inside = text[begin:end]
    if _MODEL.search(inside):
        changed = _MODEL.sub(rf"\g<1>model: {name}\g<2>", inside, count=1)
    else:
        changed = f"\n  model: {name}{inside}"
    return text[:begin] + changed + text[end:]
