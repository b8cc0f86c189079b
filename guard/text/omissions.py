"""What stands in the place of what nobody is shown: as many characters as there were."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING


def vanish(match: re.Match[str]) -> str:
    """Nothing of it."""
    return NOTHING * len(match[0])


def shown_alone(match: re.Match[str]) -> str:
    """The group `shown` of it."""
    before, after = match.start("shown") - match.start(), match.end() - match.end("shown")
    return NOTHING * before + match["shown"] + NOTHING * after
