"""The file that says what the labels of an imported classifier are to us."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guard.errors import SettingsError
from guard.settings.load import read_yaml

IGNORE = "ignore"


def load_label_map(path: str | os.PathLike[str]) -> Mapping[str, Mapping[str, float]]:
    """Label to heads and weights, as in `LABEL_1: toxicity`, `neutral: {sentiment: 0.5}` or
    `LABEL_0: ignore`.

    Raises SettingsError that names the file, the label and what is allowed.
    """
    data = read_yaml(Path(path))
    return {str(label): _heads(label, value, path) for label, value in data.items()}


def _heads(label: object, value: Any, path: str | os.PathLike[str]) -> Mapping[str, float]:
    if value == IGNORE:
        return {}
    if isinstance(value, str):
        return {value: 1.0}
    if isinstance(value, dict) and value and all(map(_is_weight, value.values())):
        return {str(head): float(weight) for head, weight in value.items()}
    raise SettingsError(
        f"{path}: {label}: must be a head such as toxicity, `{IGNORE}`, or heads with weights such"
        f" as {{sentiment: 0.5}}, got {value!r}"
    )


def _is_weight(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
