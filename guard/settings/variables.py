"""Names of environment variables, as errors show them: some hold what belongs in the variable."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from guard.errors import SettingsError

_NAME: Final = re.compile(r"[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,16})*")
_SECRET: Final = re.compile(r"(?:.*_)?(?:env|url|key|keys|password|secret|sha256|token)", re.I)


def shown_variable(name: str) -> str:
    """The name, unless it could be a key that was written in the place of one."""
    return name if _NAME.fullmatch(name) else "that it names (not shown: it could be a key)"


def unset_variable(setting: str, name: str) -> SettingsError:
    """The error where a variable that a setting names is not set, or empty."""
    return SettingsError(
        f"{setting}: the environment variable {shown_variable(name)} is not set; write the key to a"
        " variable, and the name of that here"
    )


def is_secret(path: Iterable[str]) -> bool:
    """Whether the value at a path of the settings may hold a key or a password."""
    return any(_SECRET.fullmatch(step) or step == "headers_env" for step in path)
