"""One key of a guard.yaml changed, everything else in it left as it stands, comments too."""

from __future__ import annotations

import re

from guard.errors import SettingsError
from guard.settings.load import parse_settings

_SECTION = re.compile(r"^scoring:[ \t]*(#.*)?$", re.MULTILINE)
_NEXT_SECTION = re.compile(r"^[^\s#]", re.MULTILINE)


def with_scoring(text: str, key: str, name: str, *, source: str = "guard.yaml") -> str:
    """The text of a guard.yaml with `name` as that key of `scoring`, such as `model`.

    Raises SettingsError for a text that is wrong, or is written so that it has to be changed by
    hand.
    """
    before = parse_settings(text, source=source)
    after = _edited(text, key, name)
    scoring = before.scoring.model_copy(update={key: name})
    wanted = before.model_copy(update={"scoring": scoring})
    if parse_settings(after, source=source) != wanted:
        raise SettingsError(f"{source}: its `scoring` has to be changed by hand: {key}: {name}")
    return after


def _edited(text: str, key: str, name: str) -> str:
    if (section := _SECTION.search(text)) is None:
        return f"{text.rstrip()}\n\nscoring:\n  {key}: {name}\n".lstrip()
    begin = section.end()
    following = _NEXT_SECTION.search(text, begin)
    end = following.start() if following else len(text)
    inside = text[begin:end]
    present = re.compile(rf"^([ \t]+){key}:[ \t]*[^#\n]*?([ \t]*#.*)?$", re.MULTILINE)
    if present.search(inside):
        changed = present.sub(rf"\g<1>{key}: {name}\g<2>", inside, count=1)
    else:
        changed = f"\n  {key}: {name}{inside}"
    return text[:begin] + changed + text[end:]
